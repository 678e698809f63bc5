import type { ClientDeps, TargetClient, TargetRecord } from '../target.ts';

/** Every embedder provider that a record may name. */
export const EMBEDDER_PROVIDERS = [
  'OPENAI',
  'VLLM',
  'LLAMA_CPP',
  'VOYAGE',
  'JINA',
  'TEI',
  'COHERE',
  'OLLAMA',
  'GEMINI',
  'BUILTIN',
  'ONNX',
] as const;

export type EmbedderProvider = (typeof EMBEDDER_PROVIDERS)[number];

/** Asymmetric models embed a question and the text that answers it differently. */
export type EmbedInputType = 'query' | 'document';

/** What a call needs to know of an embedder; `endpointUrl` is "" for BUILTIN. */
export interface EmbedderRecord extends TargetRecord<EmbedderProvider> {
  /** Length of every vector. */
  dimensionality: number;
  /** In tokens of the model; longer inputs are cut before the call. */
  maxSequenceLength?: number;
}

export interface EmbedOptions {
  inputType: EmbedInputType;
  signal: AbortSignal;
  /** Epoch milliseconds at which the whole call ends as a time-out: waiting for a slot, all batches, all retries. */
  deadlineMs?: number;
}

export interface EmbedderClient extends TargetClient {
  /**
   * One unit-length vector of `dimensionality` values per text, in the order of the texts.
   * Rejects with a `ProviderError`, or with the signal's reason when the caller gives up.
   */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
}

/** The in-process embedder: computes off the event loop, one vector of `dimensions` values per text. */
export type BuiltinEmbed = (
  texts: readonly string[],
  dimensions: number,
  inputType: EmbedInputType,
  signal: AbortSignal,
) => Promise<Float32Array[]>;

export interface EmbedderDeps extends ClientDeps {
  builtin: BuiltinEmbed;
}
