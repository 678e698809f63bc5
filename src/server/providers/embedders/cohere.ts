import { isObject } from '../../../shared/json/is-object.ts';
import { MalformedAnswer } from '../malformed-answer.ts';
import type { EmbedderProtocol } from './protocol.ts';
import { floatRows } from './rows.ts';

const INPUT_TYPES = { query: 'search_query', document: 'search_document' } as const;

/** Cohere's second version: at most 96 texts a call, longer texts are cut at their end by default. */
export const cohereProtocol: EmbedderProtocol = {
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
