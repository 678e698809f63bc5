/**
 * The interface for modules of `--post-processor-module`: a module exports `factory`, or `factories` for several.
 * Records are the JSON of the REST API: ids are strings, times are epoch milliseconds.
 */

export interface PostProcessorFactory {
  /** The value of `postProcessor.name` in a request that selects it: at most 255 characters. */
  name: string;
  /**
   * Called once for each retrieval, before the search. `config` is `postProcessor.config` of the request, `{}` when left
   * out. If it throws, the request is refused with INVALID_ARGUMENT and the message of the error.
   */
  create(config: unknown, tools: Tools): PostProcessor;
}

export interface PostProcessor {
  /** Candidates wanted from the search, 1 to 1000; 20 when left out. A larger `requestedSize` of the request takes precedence. */
  candidates?: number;
  /** Called once. Its outputs are collected until it ends and then sent: the items, followed by the abstract. */
  process(input: Input): AsyncIterable<Output>;
}

export interface Input {
  /** The question. */
  message: string;
  /** Prior turns of the conversation, oldest first. */
  context: ContextItem[];
  /** The results of the search, best first. */
  items: Item[];
  /** Aborts when the client cancels the request or the timeout has passed. Later outputs are dropped. */
  signal: AbortSignal;
}

export interface Item {
  chunk: Chunk;
  memory: Memory;
  /** Higher is better. */
  score: number;
}

/** An item without `chunk` is sent as the whole memory. */
export type Output = { item: Item | Omit<Item, 'chunk'> } | { status: Status } | { abstract: { text: string } };

/** Inference with the permissions of the caller of the retrieval. A failure rejects. */
export interface Tools {
  /** Relevance of each text by a reranker, higher is better, in the order of the texts. */
  rerank(id: string, query: string, texts: string[]): Promise<number[]>;
  /** One reply of an LLM; a reply that hit `maxTokens` (512 when left out) rejects. The temperature is 0.3 when left out. */
  complete(
    id: string,
    system: string,
    user: string,
    opts?: { temperature?: number; maxTokens?: number },
  ): Promise<string>;
}

export type ContextItem = { text: string } | { binary: { contentType: string /** Base64. */; data: string } };

export interface Status {
  /** Capital letters, digits and underscores, at most 64. */
  code: string;
  message?: string;
  details?: Record<string, string>;
}

export interface Chunk {
  chunkId: string;
  memoryId: string;
  chunkSequenceNumber: number;
  chunkText: string;
  vectorStatus?: string;
  startOffset?: number;
  endOffset?: number;
  metadata?: Record<string, unknown>;
  createdAt?: number;
  updatedAt?: number;
  createdById?: string;
  updatedById?: string;
  /** When the request asks for neighbors. */
  neighbors?: { chunkSequenceNumber: number; chunkText: string }[];
}

export interface Memory {
  memoryId: string;
  spaceId: string;
  contentType?: string;
  processingStatus?: string;
  originalContentLength?: number;
  originalContentSha256?: string;
  originalContentRef?: string;
  pageImageStatus?: string;
  pageImageCount?: number;
  metadata?: Record<string, unknown>;
  chunkingConfig?: unknown;
  expiresAt?: number;
  createdAt?: number;
  updatedAt?: number;
  createdById?: string;
  updatedById?: string;
}
