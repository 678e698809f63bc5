import { type EmbedderProtocol, MalformedAnswer } from './protocol.ts';
import { floatRow } from './rows.ts';

/** Text Embeddings Inference: one model a server, 32 inputs a request unless it was started with another limit. */
export const teiProtocol: EmbedderProtocol = {
  defaultApiPath: '/embed',
  maxTexts: 32,
  maxCharacters: 250_000,
  bytesPerValue: 12,
  body: ({ texts }) => ({ inputs: texts, truncate: true }),
  rows: (answer) => {
    if (!Array.isArray(answer)) throw new MalformedAnswer('something other than an array of vectors');
    return answer.map(floatRow);
  },
};
