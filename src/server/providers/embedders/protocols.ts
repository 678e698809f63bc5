import { ServiceError } from '../../../shared/errors.ts';
import { isObject } from '../../../shared/json/parse.ts';
import { MalformedAnswer } from '../errors.ts';
import { base64Row, floatRow, floatRows } from './rows.ts';
import type { EmbedderProvider, EmbedInputType } from './types.ts';

interface EmbedRequest {
  modelIdentifier: string;
  texts: readonly string[];
  inputType: EmbedInputType;
  dimensionality: number;
  /** Send optional members, such as the one that asks for vectors in base64; false once the server has refused them. */
  extras: boolean;
}

/** What is particular to one provider's embedding call. Everything else is in the client. */
export interface EmbedderProtocol {
  /** Part of the address after `endpointUrl`. */
  defaultApiPath: string | ((modelIdentifier: string) => string);
  /** Bounds of one request. */
  maxTexts: number;
  maxCharacters: number;
  /** Bytes that one value usually takes in an answer; long vectors make smaller batches. */
  bytesPerValue: number;
  /** Body of the call, before JSON. */
  body(request: EmbedRequest): unknown;
  /** Rows in the order of the texts, not yet scaled. Throws `MalformedAnswer`. */
  rows(answer: unknown): Float32Array[];
  /** A 4xx whose text reads like this means that the extras are not known there. */
  extrasRefused?: RegExp;
}

/** What the relatives of the OpenAI form do differently. */
interface OpenAiVariant {
  defaultApiPath?: string;
  maxTexts: number;
  /** OpenAI takes 300,000 tokens a request, and a character is at most about one token in any common script. */
  maxCharacters?: number;
  /** The member that asks for base64. */
  encodingMember?: string;
  /** Members that tell questions and documents apart. */
  inputType?(inputType: EmbedRequest['inputType']): Record<string, string>;
}

/**
 * The OpenAI form. Vectors are asked for as base64: 5.3 bytes a value instead of about 12, and no number parsing. A
 * server that answers with numbers all the same is understood too.
 */
function openAiForm(variant: OpenAiVariant): EmbedderProtocol {
  const encodingMember = variant.encodingMember ?? 'encoding_format';
  return {
    defaultApiPath: variant.defaultApiPath ?? '/embeddings',
    maxTexts: variant.maxTexts,
    maxCharacters: variant.maxCharacters ?? 250_000,
    bytesPerValue: 5.34,
    body: ({ modelIdentifier, texts, inputType, extras }) => ({
      model: modelIdentifier,
      input: texts,
      ...variant.inputType?.(inputType),
      ...(extras ? { [encodingMember]: 'base64' } : {}),
    }),
    rows: openAiRows,
    extrasRefused: /(?:encoding|embedding)[_ ]?(?:format|type)|base64|only float/i,
  };
}

function openAiRows(answer: unknown): Float32Array[] {
  const data = isObject(answer) ? answer.data : undefined;
  if (!Array.isArray(data)) throw new MalformedAnswer('no data array');
  const rows = new Array<Float32Array | undefined>(data.length).fill(undefined);
  for (const [position, item] of data.entries()) {
    if (!isObject(item)) throw new MalformedAnswer('a data item that is not an object');
    const index = item.index ?? position;
    if (typeof index !== 'number' || !(index in rows) || rows[index] !== undefined) {
      throw new MalformedAnswer('data items whose index is out of range or repeated');
    }
    const embedding = item.embedding;
    rows[index] = typeof embedding === 'string' ? base64Row(embedding) : floatRow(embedding);
  }
  return rows.filter((row) => row !== undefined);
}

/** Text Embeddings Inference: one model a server, 32 inputs a request unless it was started with another limit. */
const teiProtocol: EmbedderProtocol = {
  defaultApiPath: '/embed',
  maxTexts: 32,
  maxCharacters: 250_000,
  bytesPerValue: 12,
  body: ({ texts }) => ({ inputs: texts, truncate: true }),
  rows: floatRows,
};

/** Ollama embeds the inputs of a call on the machine that it runs on: small batches let other callers take turns. */
const ollamaProtocol: EmbedderProtocol = {
  defaultApiPath: '/api/embed',
  maxTexts: 32,
  maxCharacters: 250_000,
  bytesPerValue: 12,
  body: ({ modelIdentifier, texts }) => ({ model: modelIdentifier, input: texts, truncate: true }),
  rows: (answer) => {
    if (!isObject(answer)) throw new MalformedAnswer('no embeddings');
    return floatRows(answer.embeddings);
  },
};

const TASKS = { query: 'RETRIEVAL_QUERY', document: 'RETRIEVAL_DOCUMENT' } as const;

/**
 * The Gemini API: at most 100 texts a call. Its models cut their vectors to a length that is asked for, and the usual
 * records hold less than the full one; the oldest models refuse the wish and have one length only.
 */
const geminiProtocol: EmbedderProtocol = {
  defaultApiPath: (modelIdentifier) =>
    `/v1beta/models/${encodeURIComponent(bareName(modelIdentifier))}:batchEmbedContents`,
  maxTexts: 100,
  maxCharacters: 250_000,
  // Numbers of indented JSON.
  bytesPerValue: 24,
  body: ({ modelIdentifier, texts, inputType, dimensionality, extras }) => ({
    requests: texts.map((text) => ({
      model: `models/${bareName(modelIdentifier)}`,
      content: { parts: [{ text }] },
      taskType: TASKS[inputType],
      ...(extras ? { outputDimensionality: dimensionality } : {}),
    })),
  }),
  rows: (answer) => {
    const embeddings = isObject(answer) ? answer.embeddings : undefined;
    if (!Array.isArray(embeddings)) throw new MalformedAnswer('no embeddings array');
    return embeddings.map((embedding) => floatRow(isObject(embedding) ? embedding.values : undefined));
  },
  extrasRefused: /output_?dimensionality/i,
};

/** The API lists its models as `models/<name>`; a record may hold either. */
function bareName(modelIdentifier: string): string {
  return modelIdentifier.replace(/^models\//, '');
}

const INPUT_TYPES = { query: 'search_query', document: 'search_document' } as const;

/** Cohere's second version: at most 96 texts a call, longer texts are cut at their end by default. */
const cohereProtocol: EmbedderProtocol = {
  defaultApiPath: '/v2/embed',
  maxTexts: 96,
  maxCharacters: 250_000,
  bytesPerValue: 12,
  body: ({ modelIdentifier, texts, inputType }) => ({
    model: modelIdentifier,
    texts,
    input_type: INPUT_TYPES[inputType],
    embedding_types: ['float'],
  }),
  rows: (answer) => {
    const embeddings = isObject(answer) ? answer.embeddings : undefined;
    if (!isObject(embeddings)) throw new MalformedAnswer('no embeddings object');
    return floatRows(embeddings.float);
  },
};

const JINA_TASKS = { query: 'retrieval.query', document: 'retrieval.passage' } as const;

/**
 * The call of each provider over HTTP. Servers that run their own model get smaller batches than a hosted service:
 * one request there occupies one accelerator or a few cores.
 */
const PROTOCOLS: Partial<Record<EmbedderProvider, EmbedderProtocol>> = {
  OPENAI: openAiForm({ maxTexts: 256 }),
  VLLM: openAiForm({ maxTexts: 128 }),
  LLAMA_CPP: openAiForm({ maxTexts: 32 }),
  // 120,000 tokens a request with its larger models.
  VOYAGE: openAiForm({ maxTexts: 128, maxCharacters: 120_000, inputType: (type) => ({ input_type: type }) }),
  JINA: openAiForm({
    defaultApiPath: '/v1/embeddings',
    maxTexts: 128,
    encodingMember: 'embedding_type',
    inputType: (type) => ({ task: JINA_TASKS[type] }),
  }),
  TEI: teiProtocol,
  COHERE: cohereProtocol,
  OLLAMA: ollamaProtocol,
  GEMINI: geminiProtocol,
};

/** The protocol of a provider. Throws UNIMPLEMENTED for one that this build cannot call. */
export function embedderProtocol(provider: EmbedderProvider): EmbedderProtocol {
  const protocol = PROTOCOLS[provider];
  if (protocol === undefined)
    throw new ServiceError('UNIMPLEMENTED', `This build does not support ${provider} embedders`);
  return protocol;
}

/** The `apiPath` of a record that names none; "" for in-process embedders. Throws UNIMPLEMENTED. */
export function defaultEmbedderApiPath(provider: EmbedderProvider, modelIdentifier: string): string {
  if (provider === 'BUILTIN') return '';
  const { defaultApiPath } = embedderProtocol(provider);
  return typeof defaultApiPath === 'string' ? defaultApiPath : defaultApiPath(modelIdentifier);
}
