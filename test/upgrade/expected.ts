import type { Json } from '../support/wire.ts';

/** What the server that made a dump said about its content. */
export interface Expected {
  rootKey: string;
  openAiEmbedderId: string;
  /** Raw keys, with what `GET /v1/users/me` answers to each. */
  keys: Record<string, { raw: string; status: number; email: string | null }>;
  /** Records by the path under which root reads them. */
  records: Record<string, Json>;
  /** Memories that were processed, with their content, history and text; null where there is no text. */
  memories: { record: Json; text: string | null }[];
  /** Memories that were not. */
  unfinished: { memoryId: string; status: string; text: string }[];
  /** Bodies of `POST /v1/memories:retrieve` with the chunks that they found, best first. */
  retrievals: { request: Json; chunkIds: string[] }[];
}

/** The part of a record that does not depend on who looked at it since. */
export function steady(record: Json): Json {
  const { lastUsedAt: _, ...rest } = record;
  return rest;
}
