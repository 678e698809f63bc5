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
