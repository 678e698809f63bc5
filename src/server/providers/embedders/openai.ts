import { isObject } from '../../../shared/json/is-object.ts';
import { MalformedAnswer } from '../malformed-answer.ts';
import type { EmbedderProtocol, EmbedRequest } from './protocol.ts';
import { base64Row, floatRow } from './rows.ts';

/** What the relatives of the OpenAI form do differently. */
export interface OpenAiVariant {
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
export function openAiForm(variant: OpenAiVariant): EmbedderProtocol {
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
