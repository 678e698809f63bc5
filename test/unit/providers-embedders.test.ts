import { afterEach, describe, expect, it } from 'vitest';
import { createEmbedderClient } from '../../src/server/providers/embedders/client.ts';
import { defaultEmbedderApiPath } from '../../src/server/providers/embedders/protocols.ts';
import { EmbedderRegistry } from '../../src/server/providers/embedders/registry.ts';
import type { EmbedderDeps, EmbedderRecord, EmbedOptions } from '../../src/server/providers/embedders/types.ts';
import { ProviderError } from '../../src/server/providers/errors.ts';
import { createProviderHttp } from '../../src/server/providers/http.ts';
import type { ProviderCallEvent } from '../../src/server/providers/observer.ts';
import { ServiceError } from '../../src/shared/errors.ts';
import { OpenAiStandIn, type OpenAiStandInOptions } from '../support/stand-ins/openai.ts';
import { TeiStandIn } from '../support/stand-ins/tei.ts';
import { standInVector } from '../support/stand-ins/vector.ts';

const DIMENSIONS = 12;
const cleanup: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of cleanup.splice(0).reverse()) await step();
});

function newDeps(extra: Partial<EmbedderDeps> = {}): EmbedderDeps {
  const http = createProviderHttp({ allowLinkLocal: false });
  cleanup.push(() => http.close());
  const builtin = () => Promise.reject(new Error('not the built-in one'));
  return { http, timeoutMs: 20_000, builtin, ...extra };
}

async function newOpenAi(options: Partial<OpenAiStandInOptions> = {}) {
  const standIn = await OpenAiStandIn.start({ dimensions: DIMENSIONS, ...options });
  cleanup.push(() => standIn.close());
  return standIn;
}

function record(endpointUrl: string, extra: Partial<EmbedderRecord> = {}): EmbedderRecord {
  return {
    embedderId: '01980000-0000-7000-8000-0000000000c1',
    providerType: 'OPENAI',
    endpointUrl,
    apiPath: '/embeddings',
    modelIdentifier: 'text-small',
    dimensionality: DIMENSIONS,
    updatedAt: 1,
    ...extra,
  };
}

async function openAiClient(options: Partial<OpenAiStandInOptions> = {}, extra: Partial<EmbedderRecord> = {}) {
  const standIn = await newOpenAi(options);
  return { standIn, client: createEmbedderClient(record(`${standIn.url}/v1`, extra), newDeps()) };
}

const options = (extra: Partial<EmbedOptions> = {}): EmbedOptions => ({
  inputType: 'document',
  signal: new AbortController().signal,
  ...extra,
});

function unit(text: string): number[] {
  const vector = standInVector(text, DIMENSIONS);
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function expectRows(rows: Float32Array[], texts: readonly string[]) {
  expect(rows).toHaveLength(texts.length);
  for (const [i, text] of texts.entries()) {
    expect(rows[i]).toBeInstanceOf(Float32Array);
    for (const [j, value] of unit(text).entries()) expect(rows[i]?.[j]).toBeCloseTo(value, 5);
  }
}

async function failure(promise: Promise<unknown>): Promise<ProviderError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ProviderError);
  return error as ProviderError;
}

const texts = (count: number) => Array.from({ length: count }, (_, i) => `text number ${i}`);

describe('the OpenAI form', () => {
  it('embeds in unit length and in order, with vectors as base64', async () => {
    const { standIn, client } = await openAiClient();
    expectRows(await client.embed(texts(5), options()), texts(5));
    expect(standIn.requests[0]).toMatchObject({
      method: 'POST',
      path: '/v1/embeddings',
      body: { model: 'text-small', input: texts(5), encoding_format: 'base64' },
    });
    expect(client.resolvedEndpoint).toBe(`${standIn.url}/v1/embeddings`);
  });

  it('understands numbers from a server that ignores the wish', async () => {
    const { client } = await openAiClient({ base64: 'ignored' });
    expectRows(await client.embed(texts(3), options()), texts(3));
  });

  it('remembers that a server refuses encoding_format', async () => {
    const { standIn, client } = await openAiClient({ base64: 'refused' });
    expectRows(await client.embed(texts(1), options()), texts(1));
    expectRows(await client.embed(texts(2), options()), texts(2));
    expect(standIn.requests.map(({ body }) => body.encoding_format)).toEqual(['base64', undefined, undefined]);
  });

  it.each(['VLLM', 'LLAMA_CPP'] as const)('is what %s speaks', async (providerType) => {
    const { client } = await openAiClient({}, { providerType });
    expectRows(await client.embed(texts(2), options()), texts(2));
  });

  it('asks nobody when there is nothing to embed', async () => {
    const { standIn, client } = await openAiClient();
    expect(await client.embed([], options())).toEqual([]);
    expect(standIn.requests).toHaveLength(0);
  });

  it('makes batches by count and by characters, keeps the order and bounds the calls in flight', async () => {
    const { standIn, client } = await openAiClient();
    const many = [...texts(700), 'x'.repeat(200_000), 'y'.repeat(200_000), 'z'.repeat(300_000), ...texts(100)];
    standIn.always({ kind: 'slow', ms: 2 });
    const both = await Promise.all([client.embed(many, options()), client.embed(many, options())]);
    for (const rows of both) expectRows(rows, many);
    for (const { body } of standIn.requests) {
      const input = body.input as string[];
      expect(input.length).toBeLessThanOrEqual(256);
      if (input.length > 1) expect(input.join('').length).toBeLessThanOrEqual(250_000);
    }
    expect(standIn.maxInFlight).toBeGreaterThan(1);
    expect(standIn.maxInFlight).toBeLessThanOrEqual(6);
  });

  it('lets a query pass while documents fill their slots', async () => {
    const { standIn, client } = await openAiClient();
    const controller = new AbortController();
    standIn.always({ kind: 'hang' });
    const ingestions = Array.from({ length: 10 }, () =>
      client.embed(['document'], options({ signal: controller.signal })),
    );
    await standIn.received(6);
    standIn.always(undefined);
    expectRows(await client.embed(['query'], options({ inputType: 'query' })), ['query']);
    expect(standIn.requests).toHaveLength(7);
    controller.abort(new Error('drain'));
    for (const ingestion of ingestions) await expect(ingestion).rejects.toThrow('drain');
  });

  it('splits what the server finds too large, and remembers the size', async () => {
    const { standIn, client } = await openAiClient({ maxInputs: 10 });
    expectRows(await client.embed(texts(30), options()), texts(30));
    const before = standIn.requests.length;
    expectRows(await client.embed(texts(30), options()), texts(30));
    const sizes = standIn.requests.slice(before).map(({ body }) => (body.input as string[]).length);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(10);
  });

  it('cuts inputs to maxSequenceLength before the call', async () => {
    const { standIn, client } = await openAiClient({}, { maxSequenceLength: 20 });
    await client.embed(['short', 'word '.repeat(500)], options());
    const [short, cut] = (standIn.requests[0]?.body.input ?? []) as string[];
    expect(short).toBe('short');
    expect(cut?.length).toBeLessThan(120);
    expect('word '.repeat(500).startsWith(cut ?? 'x')).toBe(true);
  });

  it('halves a cut input that the model still finds too long', async () => {
    const { standIn, client } = await openAiClient({ maxInputCharacters: 30 }, { maxSequenceLength: 20 });
    const [row] = await client.embed(['word '.repeat(500)], options());
    expect(row).toHaveLength(DIMENSIONS);
    const last = (standIn.requests.at(-1)?.body.input ?? ['']) as string[];
    expect(last[0]?.length).toBeLessThanOrEqual(30);
  });

  it('does not cut what the record does not tell it to', async () => {
    const { client } = await openAiClient({ maxInputCharacters: 30 });
    const error = await failure(client.embed(['word '.repeat(500)], options()));
    expect(error).toMatchObject({ reason: 'rejected', permanent: true, httpStatus: 400 });
  });
});

describe('TEI', () => {
  it('sends inputs with truncate and reads arrays', async () => {
    const standIn = await TeiStandIn.start({ dimensions: DIMENSIONS });
    cleanup.push(() => standIn.close());
    const client = createEmbedderClient(record(standIn.url, { providerType: 'TEI', apiPath: '/embed' }), newDeps());
    expectRows(await client.embed(texts(70), options()), texts(70));
    expect(standIn.requests[0]?.body).toEqual({ inputs: texts(32), truncate: true });
  });

  it('fits a server that was started with a smaller batch size', async () => {
    const standIn = await TeiStandIn.start({ dimensions: DIMENSIONS, maxClientBatchSize: 5 });
    cleanup.push(() => standIn.close());
    const client = createEmbedderClient(record(standIn.url, { providerType: 'TEI', apiPath: '/embed' }), newDeps());
    expectRows(await client.embed(texts(40), options()), texts(40));
  });
});

describe('failures', () => {
  it('repeat after 500, 429 and 503 and then succeed', async () => {
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

  it('repeat after a broken connection and after an answer that was cut short', async () => {
    const { standIn, client } = await openAiClient();
    standIn.next({ kind: 'drop' }, { kind: 'truncate' }, { kind: 'text', body: '{"data":[' });
    expectRows(await client.embed(texts(1), options()), texts(1));
    expect(standIn.requests).toHaveLength(4);
  });

  it('give a query one more try only', async () => {
    const { standIn, client } = await openAiClient();
    standIn.always({ kind: 'status', status: 503, headers: { 'retry-after': '0' } });
    const error = await failure(client.embed(['q'], options({ inputType: 'query' })));
    expect(error).toMatchObject({ reason: 'unavailable', httpStatus: 503, away: true });
    expect(standIn.requests).toHaveLength(2);
  });

  it('hand a long Retry-After to the caller', async () => {
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
  ] as const)('%d is %s and not repeated', async (status, reason) => {
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
  ] as const)('%s are an invalid response', async (_name, behaviour, words) => {
    const { standIn, client } = await openAiClient({ base64: 'ignored' });
    standIn.always(behaviour);
    const error = await failure(client.embed(['a', 'b'], options()));
    expect(error).toMatchObject({ reason: 'invalid_response', httpStatus: 200, away: false });
    expect(error.message).toContain(words);
  });

  it('NaN in base64 is one too', async () => {
    const { standIn, client } = await openAiClient();
    standIn.always({ kind: 'values', value: Number.NaN });
    expect((await failure(client.embed(['a'], options()))).reason).toBe('invalid_response');
  });

  it('of one batch end the others', async () => {
    const { standIn, client } = await openAiClient();
    standIn.always({ kind: 'hang' });
    standIn.next({ kind: 'status', status: 400, body: '{"error":{"message":"no"}}' });
    expect(await failure(client.embed(texts(2000), options()))).toMatchObject({ reason: 'rejected' });
  });

  it('end a call that hangs, as a time-out without a repeat', async () => {
    const standIn = await newOpenAi();
    const client = createEmbedderClient(record(`${standIn.url}/v1`), newDeps({ timeoutMs: 50 }));
    standIn.always({ kind: 'hang' });
    expect((await failure(client.embed(['a'], options()))).reason).toBe('timeout');
    expect(standIn.requests).toHaveLength(1);
  });

  it('end the whole call at its deadline, with its retries', async () => {
    const { standIn, client } = await openAiClient();
    standIn.always({ kind: 'hang' });
    const error = await failure(client.embed(['a'], options({ deadlineMs: Date.now() + 50 })));
    expect(error.reason).toBe('timeout');
    expect(error.message).toContain('before the deadline');
  });

  it('do not hide that the caller gave up', async () => {
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

  it('are asked for at each call and sent', async () => {
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

  it('never reach a message, even when the provider repeats them', async () => {
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

  it('report an error status without a repeat', async () => {
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

describe('around the clients', () => {
  it('a provider that is not built answers UNIMPLEMENTED', () => {
    for (const providerType of ['COHERE', 'ONNX'] as const) {
      const create = () => createEmbedderClient(record('http://127.0.0.1:1', { providerType }), newDeps());
      expect(create).toThrow(ServiceError);
      expect(create).toThrow(expect.objectContaining({ code: 'UNIMPLEMENTED' }));
    }
  });

  it('a record without apiPath gets the default of its provider', () => {
    expect(defaultEmbedderApiPath('OPENAI', 'm')).toBe('/embeddings');
    expect(defaultEmbedderApiPath('TEI', 'm')).toBe('/embed');
    expect(defaultEmbedderApiPath('BUILTIN', 'm')).toBe('');
  });

  it('addresses join without a doubled slash and are otherwise left alone', async () => {
    const { standIn } = await openAiClient();
    const client = (endpointUrl: string, apiPath: string) =>
      createEmbedderClient(record(endpointUrl, { apiPath }), newDeps()).resolvedEndpoint;
    expect(client(`${standIn.url}/v1/`, '/embeddings')).toBe(`${standIn.url}/v1/embeddings`);
    expect(client(`${standIn.url}/v1`, 'embeddings?api-version=1')).toBe(`${standIn.url}/v1/embeddings?api-version=1`);
    expect(client(`${standIn.url}/v1/embeddings`, '')).toBe(`${standIn.url}/v1/embeddings`);
  });

  it('the registry shares a client until its record changes', () => {
    const registry = new EmbedderRegistry(newDeps());
    const first = registry.client(record('http://127.0.0.1:1'));
    expect(registry.client(record('http://127.0.0.1:1'))).toBe(first);
    const second = registry.client(record('http://127.0.0.1:2', { updatedAt: 2 }));
    expect(second).not.toBe(first);
    expect(second.resolvedEndpoint).toBe('http://127.0.0.1:2/embeddings');
  });

  it('every call is told to the observer, failed ones with their reason', async () => {
    const events: ProviderCallEvent[] = [];
    const standIn = await newOpenAi();
    const deps = newDeps({ observe: (event) => events.push(event) });
    const client = createEmbedderClient(record(`${standIn.url}/v1`), deps);
    standIn.next({ kind: 'status', status: 500, headers: { 'retry-after': '0' } });
    await client.embed(['a'], options());
    expect(events).toEqual([
      { kind: 'embedder', provider: 'OPENAI', durationMs: expect.any(Number), reason: 'server_error' },
      { kind: 'embedder', provider: 'OPENAI', durationMs: expect.any(Number) },
    ]);
  });
});
