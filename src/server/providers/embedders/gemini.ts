import { isObject } from '../../../shared/json/is-object.ts';
import { MalformedAnswer } from '../malformed-answer.ts';
import type { EmbedderProtocol } from './protocol.ts';
import { floatRow } from './rows.ts';

const TASKS = { query: 'RETRIEVAL_QUERY', document: 'RETRIEVAL_DOCUMENT' } as const;

/**
 * The Gemini API: at most 100 texts a call. Its models cut their vectors to a length that is asked for, and the usual
 * records hold less than the full one; the oldest models refuse the wish and have one length only.
 */
export const geminiProtocol: EmbedderProtocol = {
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
