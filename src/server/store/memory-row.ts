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

/** The columns of a MemoryRow from a memory under this alias, named with this prefix. */
export function memoryColumns(alias: string, prefix = ''): string {
  const a = alias;
  const p = prefix;
  return `${a}.memory_id as "${p}memoryId", ${a}.space_id as "${p}spaceId", ${a}.content_id as "${p}contentId",
  ${a}.content_length as "${p}contentLength", encode(${a}.content_sha256, 'hex') as "${p}contentSha256",
  ${a}.content_ref as "${p}contentRef", ${a}.content_type as "${p}contentType",
  ${a}.processing_status as "${p}processingStatus", ${a}.failure_reason as "${p}failureReason",
  ${a}.page_image_status as "${p}pageImageStatus", ${a}.page_image_count as "${p}pageImageCount",
  ${a}.extract_page_images as "${p}extractPageImages", ${a}.metadata as "${p}metadata",
  ${a}.chunking_config as "${p}chunkingConfig", ${a}.chunk_count as "${p}chunkCount",
  ${a}.expires_at as "${p}expiresAt", ${a}.created_at as "${p}createdAt", ${a}.updated_at as "${p}updatedAt",
  ${a}.created_by_id as "${p}createdById", ${a}.updated_by_id as "${p}updatedById"`;
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
