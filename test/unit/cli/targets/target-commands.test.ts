import { describe, expect, test } from 'vitest';
import { rerankers } from '../../../../src/cli/targets/rerankers-command.ts';
import { RERANKER_PROVIDERS } from '../../../../src/server/providers/rerankers/types.ts';
import { Modality, ProviderType } from '../../../../src/shared/gen/service/v1/common_pb.ts';
import { DistributionType } from '../../../../src/shared/gen/service/v1/embedder_pb.ts';
import { LLMProviderType } from '../../../../src/shared/gen/service/v1/llm_pb.ts';
import { useService } from '../service.fixture.ts';
import { COMMON_FLAGS, HANDLERS, KINDS, ME, TARGET_SERVICES, X } from './targets.fixture.ts';

const against = useService(TARGET_SERVICES);

describe.each(KINDS)('$noun', ({ noun, id, create }) => {
  test('flags become fields of create', async () => {
    const { svc, lastRequest } = await against(HANDLERS);
    const more = ['--description', 'D', '--api-path', '/p', '--modality', 'TEXT', '--modality', 'image'];
    const notes = ['--model-version', '2', '--monitoring-url', 'http://watch', '--label', 'a=b', '--label', 'c=d'];
    const whose = ['--owner', ME, '--id', '01980000-0000-7000-8000-0000000000f9'];
    const { code } = await svc([noun, 'create', ...create, ...more, ...notes, ...whose]);
    expect(code).toBe(0);
    expect(lastRequest()).toMatchObject({
      displayName: 'Small text',
      modelIdentifier: 'small-1',
      endpointUrl: 'http://models.lan:8080',
      description: 'D',
      apiPath: '/p',
      supportedModalities: [Modality.TEXT, Modality.IMAGE],
      version: '2',
      monitoringEndpoint: 'http://watch',
      labels: { a: 'b', c: 'd' },
      ownerId: ME,
      [id]: '01980000-0000-7000-8000-0000000000f9',
    });
    expect(lastRequest().credentials).toBeUndefined();
  });

  test('all missing flags are named at once, before any call', async () => {
    const { svc, server } = await against(HANDLERS);
    const nothing = await svc([noun, 'create']);
    expect(nothing).toEqual({
      code: 64,
      stdout: '',
      stderr: `svc: --provider, --name and --model are required\n  Help: svc ${noun} create --help\n`,
    });
    const named = await svc([noun, 'create', '--provider', 'VLLM', '--name', 'x', '--model', 'y']);
    expect(named.stderr).toMatch(/^svc: --url (and --dimensions are|is) required\n/);
    expect(server.calls).toEqual([]);
  });

  test('update sends the given fields alone', async () => {
    const { svc, lastRequest } = await against(HANDLERS);
    const given = async (...flags: string[]) => {
      await svc([noun, 'update', X, ...flags]);
      const unset = (value: unknown) =>
        value === undefined || (Array.isArray(value) && value.length === 0) || value === 0;
      return Object.fromEntries(
        Object.entries(lastRequest()).filter(([name, value]) => !name.startsWith('$') && !unset(value)),
      );
    };
    expect(await given('--name', 'New')).toEqual({ [id]: X, displayName: 'New', labelUpdate: { case: undefined } });
    expect(await given('--replace-labels', 'a=b')).toMatchObject({
      labelUpdate: { case: 'replaceLabels', value: { labels: { a: 'b' } } },
    });
    expect((await svc([noun, 'update', X, '--provider', 'TEI'])).stderr).toContain('Unknown flag --provider');
  });

  test('lists are filtered, and an empty one says what to do next', async () => {
    const { svc, lastRequest } = await against({
      unary: { ListEmbedders: () => ({}), ListLLMs: () => ({}), ListRerankers: () => ({}) },
    });
    const empty = await svc([noun, 'list']);
    expect(empty).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringContaining(`svc ${noun} create --help\n`),
    });
    const none = await svc([noun, 'list', '--provider', 'VLLM', '--owner', ME, '--label', 'a=b']);
    expect(none.stderr).toMatch(new RegExp(`^No \\w+ matches\\. All of them: svc ${noun} list\n$`));
    expect(lastRequest()).toMatchObject({ ownerId: ME, label: { a: 'b' } });
    expect(lastRequest().providerType).not.toBe(0);
    expect((await svc([noun, 'list', '-o', 'json'])).stdout).toBe('[]\n');
  });

  test('delete asks, and needs -f without a terminal', async () => {
    const { svc, server, lastRequest } = await against(HANDLERS);
    expect((await svc([noun, 'delete', X])).code).toBe(64);
    expect((await svc([noun, 'delete', X], { terminal: true, stdin: 'n\n' })).code).toBe(1);
    expect(server.calls.filter(({ name }) => name.startsWith('Delete'))).toEqual([]);
    const gone = await svc([noun, 'delete', X], { terminal: true, stdin: 'y\n' });
    expect(gone).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(new RegExp(`Deleted \\w+ ${X}\n$`)),
    });
    expect(lastRequest()).toMatchObject({ [id]: X });
    expect((await svc([noun, 'delete', X, '-f'])).code).toBe(0);
  });

  test('a new target comes with a hint to ping it, in text output alone', async () => {
    const { svc } = await against(HANDLERS);
    const shown = await svc([noun, 'create', ...create], { terminal: true, columns: 80 });
    expect(shown.stderr).toMatch(/Test it: svc ping 01980000-0000-7000-8000-0000000000[cde]1\n$/);
    for (const args of [[], ['-o', 'json']]) {
      expect((await svc([noun, 'create', ...create, ...args])).stderr).not.toContain('ping');
    }
    const { stdout } = await svc([noun, 'create', ...create, '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ [id]: expect.any(String) });
  });
});

describe('flags of one kind', () => {
  test('embedders: dimensions, distribution, longest input; BUILTIN needs no endpoint', async () => {
    const { svc, lastRequest } = await against(HANDLERS);
    const own = ['--distribution', 'DENSE', '--max-sequence-length', '512'];
    await svc(['embedders', 'create', '--provider', 'TEI', '--dimensions', '384', ...COMMON_FLAGS, ...own]);
    expect(lastRequest()).toMatchObject({
      dimensionality: 384,
      distributionType: DistributionType.DENSE,
      maxSequenceLength: 512,
    });
    const builtin = ['embedders', 'create', '--provider', 'BUILTIN', '--name', 'L', '--model', 'lexical-v1'];
    expect((await svc(builtin)).code).toBe(0);
    expect(lastRequest()).toMatchObject({ providerType: ProviderType.BUILTIN });
  });

  test('LLMs: capabilities, context, sampling, client config', async () => {
    const { svc, lastRequest } = await against(HANDLERS);
    const can = ['--capability', 'streaming=false', '--capability', 'Function-Calling', '--context-length', '8192'];
    const sampling = ['--temperature', '0.5', '--top-p', '0.9', '--top-k', '40', '--max-tokens', '99', '--stop', 'END'];
    const penalties = ['--frequency-penalty', '-1', '--presence-penalty', '1.5', '--client-config', '{"seed":7}'];
    await svc(['llms', 'create', '--provider', 'OLLAMA', ...COMMON_FLAGS, ...can, ...sampling, ...penalties]);
    expect(lastRequest()).toMatchObject({
      providerType: LLMProviderType.LLM_PROVIDER_TYPE_OLLAMA,
      capabilities: { supportsStreaming: false, supportsFunctionCalling: true },
      maxContextLength: 8192,
      defaultSamplingParams: {
        temperature: 0.5,
        topP: 0.9,
        topK: 40,
        maxTokens: 99,
        stopSequences: ['END'],
        frequencyPenalty: -1,
        presencePenalty: 1.5,
      },
      clientConfig: { seed: 7 },
    });
    expect((lastRequest().capabilities as Record<string, unknown>).supportsChat).toBeUndefined();
    await svc(['llms', 'update', X, '--name', 'New']);
    expect(lastRequest().defaultSamplingParams).toBeUndefined();
  });

  test('LLMs: inferred capabilities of a new one are reported', async () => {
    const { svc } = await against(HANDLERS);
    const { stderr } = await svc(['llms', 'create', '--provider', 'VLLM', ...COMMON_FLAGS]);
    expect(stderr).toBe(
      'note: inferred from the model: chat; not completion\nnote: Something that is not known yet (LATER)\n',
    );
  });

  test.each([
    [['--capability', 'flying'], '--capability must be one of chat, completion, function-calling, system-messages, '],
    [['--capability', 'chat=maybe'], '--capability chat must be true or false, got "maybe"'],
    [['--client-config', '[1]'], '--client-config must be a JSON object'],
    [['--client-config', '{'], '--client-config is not JSON'],
    [['--context-length', '0'], '--context-length must be an integer of at least 1, got "0"'],
  ])('LLMs: %j is refused', async (flags, message) => {
    const { svc, server } = await against(HANDLERS);
    const result = await svc(['llms', 'update', X, ...flags]);
    expect(result.code).toBe(64);
    expect(result.stderr).toContain(message);
    expect(server.calls).toEqual([]);
  });

  test('rerankers: the providers that can rerank', () => {
    const provider = rerankers.find(({ name }) => name === 'create')?.flags.provider;
    expect(provider?.choices).toEqual([...RERANKER_PROVIDERS]);
  });
});
