import { describe, expect, it } from 'vitest';
import { createEmbedderClient } from '../../../../../../src/server/providers/embedders/client.ts';
import { ProviderError } from '../../../../../../src/server/providers/errors.ts';
import {
  DIMENSIONS,
  expectRows,
  newDeps,
  newOpenAi,
  openAiClient,
  options,
  record,
  texts,
} from '../../embedder-client.fixture.ts';
import { failure } from '../../provider-http.fixture.ts';

describe('failures', () => {
  it('are retried after 500, 429 and 503', async () => {
    const { standIn, client } = await openAiClient();
    const headers = { 'retry-after': '0' };
    standIn.next(
      { kind: 'status', status: 500, headers },
      { kind: 'status', status: 429, headers },
      { kind: 'status', status: 503, headers },
    );
    expectRows(await client.embed(texts(1), options()), texts(1));
    expect(standIn.requests).toHaveLength(4);
  });

  it('are retried after a broken connection and a truncated answer', async () => {
    const { standIn, client } = await openAiClient();
    standIn.next({ kind: 'drop' }, { kind: 'truncate' }, { kind: 'text', body: '{"data":[' });
    expectRows(await client.embed(texts(1), options()), texts(1));
    expect(standIn.requests).toHaveLength(4);
  });

  it('of a query are retried once', async () => {
    const { standIn, client } = await openAiClient();
    standIn.always({ kind: 'status', status: 503, headers: { 'retry-after': '0' } });
    const error = await failure(client.embed(['q'], options({ inputType: 'query' })));
    expect(error).toMatchObject({ reason: 'unavailable', httpStatus: 503, away: true });
    expect(standIn.requests).toHaveLength(2);
  });

  it('with a long Retry-After are returned to the caller', async () => {
    const { standIn, client } = await openAiClient();
    standIn.always({ kind: 'status', status: 429, headers: { 'retry-after': '120' } });
    const error = await failure(client.embed(['d'], options()));
    expect(error).toMatchObject({ reason: 'rate_limited', retryAfterMs: 120_000, away: true });
    expect(standIn.requests).toHaveLength(1);
  });

  it.each([
    [400, 'rejected'],
    [401, 'configuration'],
    [403, 'configuration'],
    [404, 'configuration'],
    [302, 'configuration'],
    [422, 'rejected'],
  ] as const)('with status %d are %s and not retried', async (status, reason) => {
    const { standIn, client } = await openAiClient();
    standIn.always({ kind: 'status', status, body: '{"error":{"message":"no"}}' });
    expect(await failure(client.embed(['d'], options()))).toMatchObject({ reason, httpStatus: status, away: false });
    expect(standIn.requests).toHaveLength(1);
  });

  it.each([
    ['too few vectors', { kind: 'too_few' }, '1 vectors for 2 texts'],
    ['vectors of another length', { kind: 'wrong_length' }, 'vectors of length 13 instead of 12'],
    ['zero vectors', { kind: 'values', value: 0 }, 'zero or not finite'],
    ['null for a number', { kind: 'values', value: null }, 'other than numbers'],
    ['text for a number', { kind: 'values', value: '1' }, 'other than numbers'],
    ['a number beyond 32-bit floats', { kind: 'values', value: 1e300 }, 'zero or not finite'],
    ['another shape', { kind: 'text', body: '{"vectors":[]}' }, 'no data array'],
    [
      'a repeated index',
      { kind: 'text', body: '{"data":[{"index":0,"embedding":[1]},{"index":0,"embedding":[1]}]}' },
      'index',
    ],
    ['bad base64', { kind: 'text', body: '{"data":[{"embedding":"AAAA*A=="},{"embedding":""}]}' }, 'base64'],
  ] as const)('%s are an invalid response', async (_name, behavior, words) => {
    const { standIn, client } = await openAiClient({ base64: 'ignored' });
    standIn.always(behavior);
    const error = await failure(client.embed(['a', 'b'], options()));
    expect(error).toMatchObject({ reason: 'invalid_response', httpStatus: 200, away: false });
    expect(error.message).toContain(words);
  });

  it('NaN in base64 is an invalid response too', async () => {
    const { standIn, client } = await openAiClient();
    standIn.always({ kind: 'values', value: Number.NaN });
    expect((await failure(client.embed(['a'], options()))).reason).toBe('invalid_response');
  });

  it('of one batch abort the others', async () => {
    const { standIn, client } = await openAiClient();
    standIn.always({ kind: 'hang' });
    standIn.next({ kind: 'status', status: 400, body: '{"error":{"message":"no"}}' });
    expect(await failure(client.embed(texts(2000), options()))).toMatchObject({ reason: 'rejected' });
  });

  it('include a hanging call, a time-out without a retry', async () => {
    const standIn = await newOpenAi();
    const client = createEmbedderClient(record(`${standIn.url}/v1`), newDeps({ timeoutMs: 1000 }));
    standIn.always({ kind: 'hang' });
    // Time enough to arrive, also where the process was kept from running for a while.
    expect((await failure(client.embed(['a'], options()))).reason).toBe('timeout');
    expect(standIn.requests).toHaveLength(1);
  });

  it('end at the deadline of the call, retries included', async () => {
    const { standIn, client } = await openAiClient();
    standIn.always({ kind: 'hang' });
    const error = await failure(client.embed(['a'], options({ deadlineMs: Date.now() + 50 })));
    expect(error.reason).toBe('timeout');
    expect(error.message).toContain('before the deadline');
  });

  it('are an abort when the caller aborted', async () => {
    const { standIn, client } = await openAiClient();
    standIn.always({ kind: 'hang' });
    const controller = new AbortController();
    const call = client.embed(['a'], options({ signal: controller.signal }));
    await standIn.received(1);
    controller.abort(new Error('the caller left'));
    await expect(call).rejects.toThrow('the caller left');
  });
});

describe('credentials', () => {
  const SECRET = 'Bearer sk-verysecret123456';

  it('are resolved at each call and sent', async () => {
    let secret = 'old';
    const { standIn, client } = await openAiClient(
      {},
      { credentials: async () => ({ Authorization: `Bearer ${secret}` }) },
    );
    standIn.requiredHeader = { name: 'Authorization', value: 'Bearer new' };
    const error = await failure(client.embed(['a'], options()));
    expect(error).toMatchObject({ reason: 'configuration', httpStatus: 401 });
    expect(error.message).toMatch(/^OPENAI at 127\.0\.0\.1:\d+ answered 401 \(it refused the credential\)$/);
    secret = 'new';
    expectRows(await client.embed(['a'], options()), ['a']);
  });

  it('never appear in a message, even when the provider echoes them', async () => {
    const { standIn, client } = await openAiClient({}, { credentials: async () => ({ Authorization: SECRET }) });
    const words = `no quota for ${SECRET}\u0007\n or sk-verysecret123456 <b>${'long '.repeat(200)}`;
    standIn.always({ kind: 'status', status: 400, body: JSON.stringify({ error: { message: words } }) });
    const error = await failure(client.embed(['a'], options()));
    expect(error.message).toContain('answered 400: "no quota for [redacted]');
    expect(error.message).not.toContain('verysecret');
    expect(error.message).not.toMatch(/\p{Cc}/u);
    expect(error.message.length).toBeLessThan(300);
  });

  it('that are unusable end the call before it is made', async () => {
    const unusable = new ProviderError('configuration', 'The stored credential cannot be opened');
    const { standIn, client } = await openAiClient({}, { credentials: () => Promise.reject(unusable) });
    expect(await failure(client.embed(['a'], options()))).toBe(unusable);
    expect(await client.probe('ping', { signal: options().signal, timeoutMs: 1000 })).toMatchObject({
      ok: false,
      errorMessage: unusable.message,
    });
    expect(standIn.requests).toHaveLength(0);
  });
});

describe('probes', () => {
  const probe = { signal: new AbortController().signal, timeoutMs: 20_000 };

  it('are one real call with its bytes and times', async () => {
    const { standIn, client } = await openAiClient();
    const outcome = await client.probe('pingping', probe);
    expect(outcome).toMatchObject({ ok: true, httpStatus: 200, timedOut: false, serverReceivedTimeUnixNanos: 0n });
    expect(outcome.bytesSent).toBe(JSON.stringify(standIn.requests[0]?.body).length);
    expect(outcome.bytesReceived).toBeGreaterThan(DIMENSIONS * 5);
    expect(outcome.clientReceiveTimeUnixNanos).toBeGreaterThan(outcome.clientSendTimeUnixNanos);
    expect(outcome).not.toHaveProperty('errorMessage');
  });

  it('report an error status without a retry', async () => {
    const { standIn, client } = await openAiClient();
    standIn.always({ kind: 'status', status: 503, body: 'warming up' });
    const outcome = await client.probe('ping', probe);
    expect(outcome).toMatchObject({ ok: false, httpStatus: 503, timedOut: false, bytesReceived: 10 });
    expect(outcome.errorMessage).toContain('answered 503: "warming up"');
    expect(standIn.requests).toHaveLength(1);
  });

  it('fail on a vector that could not be stored', async () => {
    const { standIn, client } = await openAiClient();
    standIn.always({ kind: 'wrong_length' });
    expect(await client.probe('ping', probe)).toMatchObject({ ok: false, httpStatus: 200 });
  });

  it('report a time-out, without a status', async () => {
    const { standIn, client } = await openAiClient();
    standIn.always({ kind: 'hang' });
    const outcome = await client.probe('ping', { ...probe, timeoutMs: 50 });
    expect(outcome).toMatchObject({ ok: false, timedOut: true, bytesReceived: 0 });
    expect(outcome).not.toHaveProperty('httpStatus');
  });

  it('end with their signal', async () => {
    const { standIn, client } = await openAiClient();
    standIn.always({ kind: 'hang' });
    const controller = new AbortController();
    const running = client.probe('ping', { ...probe, signal: controller.signal });
    await standIn.received(1);
    controller.abort(new Error('closed'));
    await expect(running).rejects.toThrow('closed');
  });

  it('run in the process for BUILTIN', async () => {
    const deps = newDeps({
      builtin: async (inputs, dimensions) => inputs.map(() => new Float32Array(dimensions).fill(2)),
    });
    const builtin = record('', { providerType: 'BUILTIN', apiPath: '', modelIdentifier: 'lexical-v1' });
    const client = createEmbedderClient(builtin, deps);
    expect(client.resolvedEndpoint).toBe('builtin:lexical-v1');
    const outcome = await client.probe('ping', probe);
    expect(outcome).toMatchObject({ ok: true, bytesSent: 4, bytesReceived: DIMENSIONS * 4 });
    expect(outcome).not.toHaveProperty('httpStatus');
    const [row] = await client.embed(['a'], options());
    expect(Math.hypot(...(row ?? []))).toBeCloseTo(1, 6);
  });
});
