import type { EmbedderProtocol } from './protocol.ts';
import { floatRows } from './rows.ts';

/** Text Embeddings Inference: one model a server, 32 inputs a request unless it was started with another limit. */
export const teiProtocol: EmbedderProtocol = {
  defaultApiPath: '/embed',
  maxTexts: 32,
  maxCharacters: 250_000,
  bytesPerValue: 12,
  body: ({ texts }) => ({ inputs: texts, truncate: true }),
  rows: floatRows,
};
