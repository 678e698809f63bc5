import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CredentialKind } from '../../../../src/shared/gen/service/v1/common_pb.ts';
import { failure } from '../../../support/client/grpc-failure.fixture.ts';
import { useService } from '../service.fixture.ts';
import { COMMON_FLAGS, HANDLERS, TARGET_SERVICES, X } from './targets.fixture.ts';

const against = useService(TARGET_SERVICES);

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
    const { svc, server, lastRequest } = await against(HANDLERS);
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

  test('a missing file, and one with the client config', async () => {
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
    expect(await svc(['rerankers', 'create', '--provider', 'TEI', ...COMMON_FLAGS, '--secret', 'x'])).toEqual({
      code: 1,
      stdout: '',
      stderr: 'svc: The server has no secrets key\n  set SERVICE_SECRETS_KEY; make one with: openssl rand -base64 32\n',
    });
  });
});
