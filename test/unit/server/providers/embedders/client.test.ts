import { describe, expect, it, onTestFinished } from 'vitest';
import { createTargetClients } from '../../../../../src/server/providers/clients.ts';
import { createEmbedderClient } from '../../../../../src/server/providers/embedders/client.ts';
import { defaultEmbedderApiPath } from '../../../../../src/server/providers/embedders/protocols.ts';
import type { ProviderCallEvent } from '../../../../../src/server/providers/observer.ts';
import { ServiceError } from '../../../../../src/shared/errors.ts';
import { TeiStandIn } from '../../../../support/stand-ins/tei.ts';
import {
  DIMENSIONS,
  expectRows,
  newDeps,
  newOpenAi,
  openAiClient,
  options,
  record,
  texts,
} from '../embedder-client.fixture.ts';
import { failure } from '../provider-http.fixture.ts';

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

  it('accepts numbers from a server that ignores encoding_format', async () => {
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

  it('makes no call when there is nothing to embed', async () => {
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

  it('lets a query run while documents fill their permits', async () => {
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

  it('splits a batch that the server refuses as too large, and remembers the size', async () => {
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

  it('halves a cut input that the model refuses as too long', async () => {
    const { standIn, client } = await openAiClient({ maxInputCharacters: 30 }, { maxSequenceLength: 20 });
    const [row] = await client.embed(['word '.repeat(500)], options());
    expect(row).toHaveLength(DIMENSIONS);
    const last = (standIn.requests.at(-1)?.body.input ?? ['']) as string[];
    expect(last[0]?.length).toBeLessThanOrEqual(30);
  });

  it('does not cut without maxSequenceLength', async () => {
    const { client } = await openAiClient({ maxInputCharacters: 30 });
    const error = await failure(client.embed(['word '.repeat(500)], options()));
    expect(error).toMatchObject({ reason: 'rejected', permanent: true, httpStatus: 400 });
  });
});

describe('TEI', () => {
  it('sends inputs with truncate and reads arrays', async () => {
    const standIn = await TeiStandIn.start({ dimensions: DIMENSIONS });
    onTestFinished(() => standIn.close());
    const client = createEmbedderClient(record(standIn.url, { providerType: 'TEI', apiPath: '/embed' }), newDeps());
    expectRows(await client.embed(texts(70), options()), texts(70));
    expect(standIn.requests[0]?.body).toEqual({ inputs: texts(32), truncate: true });
  });

  it('adapts to a server with a smaller batch size', async () => {
    const standIn = await TeiStandIn.start({ dimensions: DIMENSIONS, maxClientBatchSize: 5 });
    onTestFinished(() => standIn.close());
    const client = createEmbedderClient(record(standIn.url, { providerType: 'TEI', apiPath: '/embed' }), newDeps());
    expectRows(await client.embed(texts(40), options()), texts(40));
  });
});

describe('around the clients', () => {
  it('a provider that is not built answers UNIMPLEMENTED', () => {
    const create = () => createEmbedderClient(record('file:///dir', { providerType: 'ONNX' }), newDeps());
    expect(create).toThrow(ServiceError);
    expect(create).toThrow(expect.objectContaining({ code: 'UNIMPLEMENTED' }));
  });

  it('a record without apiPath gets the default of its provider', () => {
    expect(defaultEmbedderApiPath('OPENAI', 'm')).toBe('/embeddings');
    expect(defaultEmbedderApiPath('TEI', 'm')).toBe('/embed');
    expect(defaultEmbedderApiPath('BUILTIN', 'm')).toBe('');
  });

  it('addresses are joined without a double slash and otherwise unchanged', async () => {
    const { standIn } = await openAiClient();
    const client = (endpointUrl: string, apiPath: string) =>
      createEmbedderClient(record(endpointUrl, { apiPath }), newDeps()).resolvedEndpoint;
    expect(client(`${standIn.url}/v1/`, '/embeddings')).toBe(`${standIn.url}/v1/embeddings`);
    expect(client(`${standIn.url}/v1`, 'embeddings?api-version=1')).toBe(`${standIn.url}/v1/embeddings?api-version=1`);
    expect(client(`${standIn.url}/v1/embeddings`, '')).toBe(`${standIn.url}/v1/embeddings`);
  });

  it('a client is shared until its record changes', () => {
    const clients = createTargetClients(newDeps());
    const first = clients.embedder(record('http://127.0.0.1:1'));
    expect(clients.embedder(record('http://127.0.0.1:1'))).toBe(first);
    const second = clients.embedder(record('http://127.0.0.1:2', { updatedAt: 2 }));
    expect(second).not.toBe(first);
    expect(second.resolvedEndpoint).toBe('http://127.0.0.1:2/embeddings');
  });

  it('every call is reported to the observer, failed ones with their reason', async () => {
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
