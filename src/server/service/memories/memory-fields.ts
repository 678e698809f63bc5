import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { invalidFields, NOT_A_UUID, ServiceError, type Violation } from '../../../shared/errors.ts';
import { isUuid } from '../../../shared/fields/formats.ts';
import type { CreateMemoryRequest } from '../../../shared/gen/service/v1/memory_pb.ts';
import { DAY_MS, timestampToMs } from '../../../shared/time.ts';
import type { ChunkingConfig } from '../../workers/chunk/config.ts';
import { chunkingRecord, readChunkingConfig } from '../chunking-config.ts';

/** Where the content of a create comes from. */
type ContentOrigin = 'message' | 'file';

/** The violations of a create beyond the rules of single fields. */
export function createViolations(request: CreateMemoryRequest, origin: ContentOrigin, nowMs: number): Violation[] {
  const found: Violation[] = [];
  const { originalContent, expiresAt } = request;
  if (request.contentType === undefined) found.push({ path: 'contentType', problem: 'is required' });
  if (origin === 'message') {
    if (originalContent === undefined) {
      found.push({ path: 'originalContent', problem: 'is required unless originalContentB64 is given' });
    }
  } else if (originalContent !== undefined) {
    found.push({ path: 'originalContent', problem: 'cannot be given together with a file' });
  }
  found.push(...expiryViolations(expiresAt, nowMs));
  if (request.chunkingConfig !== undefined) {
    found.push(...readChunkingConfig(request.chunkingConfig, 'chunkingConfig').violations);
  }
  return found;
}

/** 0 means never. */
export function expiryViolations(expiresAt: Timestamp | undefined, nowMs: number): Violation[] {
  const ms = expiresAt === undefined ? 0 : timestampToMs(expiresAt);
  return ms !== 0 && ms <= nowMs ? [{ path: 'expiresAt', problem: 'is in the past' }] : [];
}

/** The expiry of a request as a Date; null for never. */
export function requestedExpiry(expiresAt: Timestamp): Date | null {
  const ms = timestampToMs(expiresAt);
  return ms === 0 ? null : new Date(ms);
}

/** The expiry of a new memory: that of the request, else by the retention of the space. */
export function expiryOf(
  { expiresAt }: CreateMemoryRequest,
  { retentionDays }: { retentionDays: number | null },
  nowMs: number,
): Date | null {
  if (expiresAt !== undefined) return requestedExpiry(expiresAt);
  return retentionDays === null ? null : new Date(nowMs + retentionDays * DAY_MS);
}

/** The config to store; null for that of the space. */
export function chunkingOf({ chunkingConfig }: CreateMemoryRequest): ChunkingConfig | null {
  return chunkingConfig === undefined ? null : chunkingRecord(chunkingConfig);
}

/** The metadata, with the name of the uploaded file unless the client has set that member. */
export function metadataOf(request: CreateMemoryRequest, filename: string | undefined): Record<string, unknown> {
  const metadata = request.metadata ?? {};
  if (filename === undefined || Object.hasOwn(metadata, 'filename')) return metadata;
  // The name comes from a header, which was not validated.
  if (filename.includes('\0')) throw new ServiceError('INVALID_ARGUMENT', 'The file name contains a NUL character');
  return { ...metadata, filename };
}

/** The memory id of a list item, in lower case. Throws INVALID_ARGUMENT. */
export function parseMemoryId(text: string): string {
  if (!isUuid(text)) throw invalidFields([{ path: 'memoryId', ...NOT_A_UUID }]);
  return text.toLowerCase();
}
