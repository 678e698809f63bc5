import type { EmbedInputType } from './types.ts';

export interface EmbedRequest {
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
