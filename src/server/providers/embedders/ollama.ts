import { isObject } from '../../../shared/json/is-object.ts';
import { MalformedAnswer } from '../malformed-answer.ts';
import type { EmbedderProtocol } from './protocol.ts';
import { floatRows } from './rows.ts';

/** Ollama embeds the inputs of a call on the machine that it runs on: small batches let other callers take turns. */
export const ollamaProtocol: EmbedderProtocol = {
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
