import type { EmbedInputType } from './types.ts';

export interface EmbedRequest {
  modelIdentifier: string;
  texts: readonly string[];
  inputType: EmbedInputType;
  dimensionality: number;
  /** Ask for vectors in binary where the provider has such a form; false once it has refused. */
  binary: boolean;
}

/** What is particular to one provider's embedding call. Everything else is in the client. */
export interface EmbedderProtocol {
  /** Part of the address after `endpointUrl`; may hold `{modelIdentifier}`. */
  defaultApiPath: string;
  /** Bounds of one request. */
  maxTexts: number;
  maxCharacters: number;
  /** Bytes that one value usually takes in an answer; long vectors make smaller batches. */
  bytesPerValue: number;
  /** Body of the call, before JSON. */
  body(request: EmbedRequest): unknown;
  /** Rows in the order of the texts, not yet scaled. Throws `MalformedAnswer`. */
  rows(answer: unknown): Float32Array[];
  /** A 4xx whose text reads like this means that the binary form is not known there. */
  binaryRefused?: RegExp;
}

/** An answer of another shape than the protocol's. The message completes "… answered with ". */
export class MalformedAnswer extends Error {
  constructor(problem: string) {
    super(problem);
    this.name = 'MalformedAnswer';
  }
}
