/** One result as a variable of a template: plain data that can be sent to another thread. */
export interface TemplateItem {
  /** From 1, as the `[n]` labels of the data section. */
  index: number;
  score: number;
  chunkText: string;
  chunkSequenceNumber: number | null;
  memoryId: string;
  chunkId: string;
  chunkTimestamp: Date;
  /** In words, e.g. `2 days ago`. */
  relativeTimeDescription: string;
  memoryCreatedAt: Date | null;
  /** Nested objects stay nested. */
  memoryMetadata: Record<string, unknown>;
}

/** The variables of every prompt template. */
export interface TemplateVariables {
  userQuery: string;
  dataSection: string;
  /** Earlier turns of the conversation, oldest first. */
  context: readonly string[];
  results: readonly TemplateItem[];
}
