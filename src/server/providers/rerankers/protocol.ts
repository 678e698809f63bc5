export interface RerankRequest {
  modelIdentifier: string;
  query: string;
  texts: readonly string[];
}

/** What is particular to one provider's rerank call. Everything else is in the client. */
export interface RerankerProtocol {
  /** Part of the address after `endpointUrl`. */
  defaultApiPath: string;
  /** Bounds of one request. */
  maxTexts: number;
  maxCharacters: number;
  /** Body of the call, before JSON. */
  body(request: RerankRequest): unknown;
  /** Name of the answer's member that holds the list of results; undefined when the answer is the list. */
  resultsMember?: string;
  /** Name of the score in a result. */
  scoreMember: string;
}
