/** One result as a template sees it. Plain data that can be sent to another thread. */
export interface TemplateItem {
  /** From 1, as the `[n]` labels of the data section. */
  index: number;
  score: number;
  chunkText: string;
  chunkSequenceNumber: number | null;
  memoryId: string;
  chunkId: string;
  chunkTimestamp: Date;
  /** As people say it, e.g. `2 days ago`. */
  relativeTimeDescription: string;
  memoryCreatedAt: Date | null;
  /** Nested objects stay nested. */
  memoryMetadata: Record<string, unknown>;
}

/** What every prompt template is given. */
export interface TemplateVariables {
  userQuery: string;
  dataSection: string;
  /** Earlier turns of the conversation, oldest first. */
  context: readonly string[];
  results: readonly TemplateItem[];
}

/** Why a template cannot be used: a sentence for its author that quotes nothing of the server. */
export class TemplateError extends Error {
  /** `syntax`: it does not parse. `runtime`: it failed while it ran. `limit`: it wanted too much time, memory or output. */
  readonly kind: 'syntax' | 'runtime' | 'limit';

  constructor(kind: TemplateError['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TemplateError';
    this.kind = kind;
  }
}

/** Pebble templates of users, which run away from the event loop with bounded memory, time and output. */
export interface PromptTemplates {
  /**
   * What keeps a template from being used: it does not parse, or uses none of a variable that it must use. Undefined:
   * nothing. Rejects only with the signal's reason. `owner`: whose template it is; owners take turns.
   */
  problem(
    template: string,
    required: readonly (keyof TemplateVariables)[],
    signal: AbortSignal,
    owner?: string,
  ): Promise<string | undefined>;
  /** The text, at most 1 MiB. Rejects with a `TemplateError`, or with the signal's reason. */
  render(template: string, variables: TemplateVariables, signal: AbortSignal, owner?: string): Promise<string>;
}
