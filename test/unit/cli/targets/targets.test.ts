import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rerankers } from '../../../../src/cli/targets/rerankers-command.ts';
import { RERANKER_PROVIDERS } from '../../../../src/server/providers/rerankers/types.ts';
import { CredentialKind, Modality, ProviderType } from '../../../../src/shared/gen/service/v1/common_pb.ts';
import { DistributionType, EmbedderService } from '../../../../src/shared/gen/service/v1/embedder_pb.ts';
import { LLMProviderType, LLMService } from '../../../../src/shared/gen/service/v1/llm_pb.ts';
import { RerankerService } from '../../../../src/shared/gen/service/v1/reranker_pb.ts';
import { UserService } from '../../../../src/shared/gen/service/v1/user_pb.ts';
import { timestampFromMs } from '../../../../src/shared/time.ts';
import { failure } from '../grpc-failure.fixture.ts';
import type { Handlers } from '../grpc-server.fixture.ts';
import { useService } from '../service.fixture.ts';

/** Any target. */
const X = '01980000-0000-7000-8000-0000000000f9';
const against = useService([EmbedderService, LLMService, RerankerService, UserService]);
const ME = '01980000-0000-7000-8000-000000000001';
const createdAt = timestampFromMs(Date.UTC(2026, 2, 3, 9, 30));
const common = {
  displayName: 'Small text',
  endpointUrl: 'http://models.lan:8080',
  modelIdentifier: 'small-1',
  supportedModalities: [Modality.TEXT],
  ownerId: ME,
  createdAt,
  updatedAt: createdAt,
};
const embedder = {
  ...common,
  embedderId: '01980000-0000-7000-8000-0000000000c1',
  providerType: ProviderType.TEI,
  apiPath: '/embed',
  dimensionality: 384,
  distributionType: DistributionType.DENSE,
  maxSequenceLength: 512,
  labels: { default: 'true' },
};
const llm = {
  ...common,
  llmId: '01980000-0000-7000-8000-0000000000d1',
  displayName: 'Chat',
  description: 'Writes the summaries of everybody, in as few words as it can, and of nobody else.',
  providerType: LLMProviderType.LLM_PROVIDER_TYPE_CUSTOM_OPENAI_COMPATIBLE,
  apiPath: '/chat/completions',
  capabilities: { supportsChat: true, supportsStreaming: true, supportsCompletion: false },
  defaultSamplingParams: { temperature: 0.2, maxTokens: 256, stopSequences: ['\n\n'] },
  maxContextLength: 131072,
  clientConfig: { guided: { choice: ['yes', 'no'] } },
};
const reranker = {
  ...common,
  rerankerId: '01980000-0000-7000-8000-0000000000e1',
  providerType: ProviderType.COHERE,
  apiPath: '/v2/rerank',
};
const handlers: Handlers = {
  unary: {
    GetUser: () => ({}),
    CreateEmbedder: () => embedder,
    GetEmbedder: () => embedder,
    ListEmbedders: () => ({ embedders: [embedder] }),
    UpdateEmbedder: () => embedder,
    DeleteEmbedder: () => ({}),
    CreateLLM: () => ({
      llm,
      statuses: [
        { code: 'LLM_CAPABILITY_INFERRED', details: { capability: 'supportsChat', value: 'true' } },
        { code: 'LLM_CAPABILITY_INFERRED', details: { capability: 'supportsCompletion', value: 'false' } },
        { code: 'LATER', message: 'Something that is not known yet' },
      ],
    }),
    GetLLM: () => llm,
    ListLLMs: () => ({ llms: [llm] }),
    UpdateLLM: () => llm,
    DeleteLLM: () => ({}),
    CreateReranker: () => reranker,
    GetReranker: () => reranker,
    ListRerankers: () => ({ rerankers: [reranker] }),
    UpdateReranker: () => reranker,
    DeleteReranker: () => ({}),
  },
};
const common3 = ['--name', 'Small text', '--model', 'small-1', '--url', 'http://models.lan:8080'];
const kinds = [
  { noun: 'embedders', id: 'embedderId', create: ['--provider', 'TEI', '--dimensions', '384', ...common3] },
  { noun: 'llms', id: 'llmId', create: ['--provider', 'vllm', ...common3] },
  { noun: 'rerankers', id: 'rerankerId', create: ['--provider', 'TEI', ...common3] },
] as const;

describe.each(kinds)('$noun', ({ noun, id, create }) => {
  test('flags become fields of create', async () => {
    const { svc, lastRequest } = await against(handlers);
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

  test('what is missing is named at once, before anything is called', async () => {
    const { svc, server } = await against(handlers);
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

  test('update sends what was given and nothing else', async () => {
    const { svc, lastRequest } = await against(handlers);
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

  test('delete asks, and needs -f where nobody can answer', async () => {
    const { svc, server, lastRequest } = await against(handlers);
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

  test('a new one can be tested: people are told how, programs are not', async () => {
    const { svc } = await against(handlers);
    const shown = await svc([noun, 'create', ...create], { terminal: true, columns: 80 });
    expect(shown.stderr).toMatch(/Test it: svc ping 01980000-0000-7000-8000-0000000000[cde]1\n$/);
    for (const args of [[], ['-o', 'json']]) {
      expect((await svc([noun, 'create', ...create, ...args])).stderr).not.toContain('ping');
    }
    const { stdout } = await svc([noun, 'create', ...create, '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ [id]: expect.any(String) });
  });
});

describe('what only one kind has', () => {
  test('embedders: dimensions, distribution, longest input; BUILTIN needs no endpoint', async () => {
    const { svc, lastRequest } = await against(handlers);
    const own = ['--distribution', 'DENSE', '--max-sequence-length', '512'];
    await svc(['embedders', 'create', '--provider', 'TEI', '--dimensions', '384', ...common3, ...own]);
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
    const { svc, lastRequest } = await against(handlers);
    const can = ['--capability', 'streaming=false', '--capability', 'Function-Calling', '--context-length', '8192'];
    const sampling = ['--temperature', '0.5', '--top-p', '0.9', '--top-k', '40', '--max-tokens', '99', '--stop', 'END'];
    const penalties = ['--frequency-penalty', '-1', '--presence-penalty', '1.5', '--client-config', '{"seed":7}'];
    await svc(['llms', 'create', '--provider', 'OLLAMA', ...common3, ...can, ...sampling, ...penalties]);
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

  test('LLMs: what was inferred about a new one is told', async () => {
    const { svc } = await against(handlers);
    const { stderr } = await svc(['llms', 'create', '--provider', 'VLLM', ...common3]);
    expect(stderr).toBe(
      'note: inferred from the model: chat; not completion\nnote: Something that is not known yet (LATER)\n',
    );
  });

  test.each([
    [['--capability', 'flying'], '--capability must be one of chat, completion, function-calling, system-messages, '],
    [['--capability', 'chat=maybe'], '--capability chat must be true or false, got "maybe"'],
    [['--client-config', '[1]'], '--client-config must be a JSON object'],
    [['--client-config', '{'], '--client-config is not JSON'],
    [['--context-length', '0'], '--context-length must be a whole number of at least 1, got "0"'],
  ])('LLMs: %j is refused', async (flags, message) => {
    const { svc, server } = await against(handlers);
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

describe('credentials', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-cli-'));
    await writeFile(join(folder, 'key'), 'from-file\n');
    await writeFile(join(folder, 'empty'), '\n');
    await writeFile(join(folder, 'config.json'), '{"a":{"b":1}}');
  });
  afterAll(() => rm(folder, { recursive: true }));
  const update = async (flags: readonly string[], stdin = '') => {
    const { svc, server, lastRequest } = await against(handlers);
    const result = await svc(['llms', 'update', X, ...flags], { cwd: folder, stdin, env: envOf(server.port) });
    return { ...result, calls: server.calls, request: server.calls.length === 0 ? undefined : lastRequest() };
  };
  const envOf = (port: number) => ({ SVC_SERVER: `http://127.0.0.1:${port}`, SVC_API_KEY: 'svc_test' });

  test.each([
    [['--secret', 'direct'], { inlineSecret: 'direct' }],
    [['--secret', '-'], { inlineSecret: 'piped' }],
    [['--secret-file', 'key'], { inlineSecret: 'from-file' }],
    [['--secret-ref', 'env://KEY'], { secretRef: { uri: 'env://KEY' } }],
    [
      ['--secret', 's', '--secret-header', 'api-key', '--secret-prefix', ''],
      { inlineSecret: 's', headerName: 'api-key', prefix: '' },
    ],
  ])('%j', async (flags, value) => {
    const { request, stdout, stderr } = await update(flags, 'piped\n');
    expect(request).toMatchObject({
      credentials: { kind: CredentialKind.API_KEY, credential: { case: 'apiKey', value } },
    });
    expect(stdout + stderr).not.toMatch(/direct|piped|from-file/);
  });

  test('of Google Cloud', async () => {
    const { request } = await update(['--gcp-adc', '--gcp-scope', 'a', '--gcp-scope', 'b', '--gcp-quota-project', 'p']);
    expect(request).toMatchObject({
      credentials: {
        kind: CredentialKind.GCP_ADC,
        credential: { case: 'gcpAdc', value: { scopes: ['a', 'b'], quotaProjectId: 'p' } },
      },
    });
  });

  test.each([
    [
      ['--secret', 'a', '--secret-ref', 'env://B'],
      'Give only one of --secret, --secret-file, --secret-ref and --gcp-adc',
    ],
    [['--gcp-adc', '--secret-file', 'key'], 'Give only one of --secret, --secret-file, --secret-ref and --gcp-adc'],
    [['--secret-header', 'x'], '--secret-header and --secret-prefix need --secret, --secret-file or --secret-ref'],
    [['--gcp-scope', 'x'], '--gcp-scope and --gcp-quota-project need --gcp-adc'],
    [['--secret', '-'], 'The secret from stdin is empty'],
    [['--secret-file', 'empty'], 'The secret from the file empty is empty'],
  ])('%j is refused', async (flags, message) => {
    const { code, stderr, calls } = await update(flags);
    expect({ code, stderr, calls }).toEqual({
      code: 64,
      stderr: `svc: ${message}\n  Help: svc llms update --help\n`,
      calls: [],
    });
  });

  test('a file that is not there, and one that holds the client config', async () => {
    expect(await update(['--secret-file', 'nowhere'])).toMatchObject({
      code: 66,
      stderr: 'svc: Cannot read nowhere\n  there is no such file\n',
    });
    expect((await update(['--client-config', '@config.json'])).request).toMatchObject({
      clientConfig: { a: { b: 1 } },
    });
  });

  test('a server without a secrets key says how to make one', async () => {
    const { svc } = await against({
      unary: {
        CreateReranker: () => {
          throw failure(9, 'The server has no secrets key', {
            'x-error-code': 'FAILED_PRECONDITION',
            'x-error-details': encodeURIComponent('set SERVICE_SECRETS_KEY; make one with: openssl rand -base64 32'),
          });
        },
      },
    });
    expect(await svc(['rerankers', 'create', '--provider', 'TEI', ...common3, '--secret', 'x'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: The server has no secrets key\n  set SERVICE_SECRETS_KEY; make one with: openssl rand -base64 32\n',
    });
  });
});

describe('how they look', () => {
  const shown = async (columns: number, ...args: string[]) => {
    const { svc } = await against(handlers);
    const options = { terminal: true, columns };
    return `\n${(await svc([...args, '--no-color'], options)).stdout}`;
  };
  test.each([60, 80, 200])('lists on %i columns', async (columns) => {
    const lists = [];
    for (const { noun } of kinds) lists.push(await shown(columns, noun, 'list'));
    expect(lists.join('')).toMatchSnapshot();
  });
  test.each([40, 60, 200])('an LLM on %i columns', async (columns) => {
    expect(await shown(columns, 'llms', 'get', X)).toMatchSnapshot();
  });
  test('an embedder and a reranker on 80 columns', async () => {
    expect(await shown(80, 'embedders', 'get', X)).toMatchSnapshot();
    expect(await shown(80, 'rerankers', 'get', X)).toMatchSnapshot();
  });
});
