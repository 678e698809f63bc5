import { describe, expect, it } from 'vitest';
import { defaultEmbedderApiPath } from '../../../../../src/server/providers/embedders/protocols.ts';
import { GEMINI_MODEL } from '../../../../support/stand-ins/embedders.ts';
import { DIMENSIONS, expectRows, options, texts } from '../embedder-client.fixture.ts';
import { embedderOf } from '../provider-clients.fixture.ts';
import { failure } from '../provider-http.fixture.ts';

const PROVIDERS = ['VOYAGE', 'JINA', 'COHERE', 'OLLAMA', 'GEMINI'] as const;

/** The most inputs that each provider takes or that one call should hold. */
const LIMITS = { VOYAGE: 128, JINA: 128, COHERE: 96, OLLAMA: 32, GEMINI: 100 };

const inputsOf = (body: Record<string, unknown>) => (body.input ?? body.texts ?? body.requests) as unknown[];

describe.each(PROVIDERS)('%s', (provider) => {
  it('embeds in unit length and in order, in batches that it takes', async () => {
    const { standIn, client } = await embedderOf(provider);
    expectRows(await client.embed(texts(300), options()), texts(300));
    const sizes = standIn.requests.map(({ body }) => inputsOf(body).length);
    expect(Math.max(...sizes)).toBe(LIMITS[provider]);
  });

  it('has the address of the real service', async () => {
    const { standIn, client } = await embedderOf(provider);
    const paths = {
      VOYAGE: '/v1/embeddings',
      JINA: '/v1/embeddings',
      COHERE: '/v2/embed',
      OLLAMA: '/api/embed',
      GEMINI: '/v1beta/models/gemini-embedding-001:batchEmbedContents',
    };
    expect(client.resolvedEndpoint).toBe(`${standIn.url}${paths[provider]}`);
  });
});

describe('the bodies', () => {
  it.each([
    ['VOYAGE', 'query', { model: 'model', input: ['a'], input_type: 'query', encoding_format: 'base64' }],
    ['VOYAGE', 'document', { model: 'model', input: ['a'], input_type: 'document', encoding_format: 'base64' }],
    ['JINA', 'query', { model: 'model', input: ['a'], task: 'retrieval.query', embedding_type: 'base64' }],
    ['JINA', 'document', { model: 'model', input: ['a'], task: 'retrieval.passage', embedding_type: 'base64' }],
    ['COHERE', 'query', { model: 'model', texts: ['a'], input_type: 'search_query', embedding_types: ['float'] }],
    ['COHERE', 'document', { model: 'model', texts: ['a'], input_type: 'search_document', embedding_types: ['float'] }],
    ['OLLAMA', 'query', { model: 'model', input: ['a'], truncate: true }],
    ['GEMINI', 'query', { requests: [gemini('RETRIEVAL_QUERY', { outputDimensionality: DIMENSIONS })] }],
    ['GEMINI', 'document', { requests: [gemini('RETRIEVAL_DOCUMENT', { outputDimensionality: DIMENSIONS })] }],
  ] as const)('of %s for a %s', async (provider, inputType, body) => {
    const { standIn, client } = await embedderOf(provider);
    await client.embed(['a'], options({ inputType }));
    expect(standIn.requests[0]?.body).toEqual(body);
  });
});

function gemini(taskType: string, extra: object = {}) {
  return { model: `models/${GEMINI_MODEL}`, content: { parts: [{ text: 'a' }] }, taskType, ...extra };
}

describe('GEMINI', () => {
  it('remembers a model with a fixed dimension', async () => {
    const { standIn, client } = await embedderOf('GEMINI', {}, { fixedLength: true });
    expectRows(await client.embed(['a'], options({ inputType: 'query' })), ['a']);
    expectRows(await client.embed(['b'], options()), ['b']);
    expect(standIn.requests).toHaveLength(3);
    expect(standIn.requests[1]?.body).toEqual({ requests: [gemini('RETRIEVAL_QUERY')] });
  });

  it('knows its models by both of their names', () => {
    expect(defaultEmbedderApiPath('GEMINI', 'models/a b')).toBe('/v1beta/models/a%20b:batchEmbedContents');
    expect(defaultEmbedderApiPath('GEMINI', 'a')).toBe('/v1beta/models/a:batchEmbedContents');
  });

  it('reports an invalid key as such, although its status is 400', async () => {
    const { standIn, client } = await embedderOf('GEMINI');
    const message = 'API key not valid. Please pass a valid API key.';
    standIn.always({ kind: 'status', status: 400, body: JSON.stringify({ error: { code: 400, message } }) });
    const error = await failure(client.embed(['a'], options()));
    expect(error).toMatchObject({ reason: 'configuration', httpStatus: 400 });
    expect(error.message).toMatch(/answered 400 \(it refused the credential\)$/);
  });
});

describe('a server that runs its own model', () => {
  it('with the JINA protocol may return numbers only', async () => {
    const { standIn, client } = await embedderOf('JINA');
    const body = JSON.stringify({ error: { message: 'Only float embeddings are supported' } });
    standIn.next({ kind: 'status', status: 400, body });
    expectRows(await client.embed(['a'], options()), ['a']);
    expect(standIn.requests[1]?.body).toEqual({ model: 'model', input: ['a'], task: 'retrieval.passage' });
  });

  it('is not called again for an input longer than its batch', async () => {
    const { standIn, client } = await embedderOf('OPENAI', { providerType: 'LLAMA_CPP' });
    const message = 'input (600 tokens) is too large to process. increase the physical batch size';
    standIn.always({ kind: 'status', status: 500, body: JSON.stringify({ error: { code: 500, message } }) });
    expect(await failure(client.embed(['a'], options()))).toMatchObject({ reason: 'rejected', permanent: true });
    expect(standIn.requests).toHaveLength(1);
  });
});
