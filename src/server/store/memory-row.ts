export type ProcessingStatusName = 'PENDING' | 'PROCESSING' | 'COMPLETED' | 'FAILED';

export interface MemoryKey {
  spaceId: string;
  memoryId: string;
}

export interface MemoryRow {
  memoryId: string;
  spaceId: string;
  contentId: string;
  /** Bytes. */
  contentLength: number;
  /** Lower-case hex. */
  contentSha256: string;
  contentRef: string | null;
  contentType: string;
  processingStatus: ProcessingStatusName;
  /** Why it is FAILED; null with every other status. */
  failureReason: string | null;
  pageImageStatus: ProcessingStatusName;
  pageImageCount: number;
  extractPageImages: boolean;
  metadata: Record<string, unknown>;
  /** JSON as the service wrote it; null for the config of the space. */
  chunkingConfig: unknown;
  chunkCount: number;
  expiresAt: number | null;
  createdAt: number;
  updatedAt: number;
  createdById: string;
  updatedById: string;
}

/** The columns of a MemoryRow from a memory under this alias. */
export function memoryColumns(alias: string): string {
  const a = alias;
  return `${a}.memory_id as "memoryId", ${a}.space_id as "spaceId", ${a}.content_id as "contentId",
  ${a}.content_length as "contentLength", encode(${a}.content_sha256, 'hex') as "contentSha256",
  ${a}.content_ref as "contentRef", ${a}.content_type as "contentType",
  ${a}.processing_status as "processingStatus", ${a}.failure_reason as "failureReason",
  ${a}.page_image_status as "pageImageStatus", ${a}.page_image_count as "pageImageCount",
  ${a}.extract_page_images as "extractPageImages", ${a}.metadata as "metadata",
  ${a}.chunking_config as "chunkingConfig", ${a}.chunk_count as "chunkCount",
  ${a}.expires_at as "expiresAt", ${a}.created_at as "createdAt", ${a}.updated_at as "updatedAt",
  ${a}.created_by_id as "createdById", ${a}.updated_by_id as "updatedById"`;
}

/** Condition that excludes expired memories, which do not exist for callers although the sweeper may not have deleted them. */
export function isUnexpired(alias: string): string {
  return `(${alias}.expires_at is null or ${alias}.expires_at > now())`;
}

/** Condition for a memory that retrieval may return: COMPLETED and not expired. */
export const RETRIEVABLE = `m.processing_status = 'COMPLETED' and (m.expires_at is null or m.expires_at > now())`;

/** Whether a job is still due or running for a memory of this status. */
export function isUnfinished(status: ProcessingStatusName): boolean {
  return status === 'PENDING' || status === 'PROCESSING';
}
