import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { ServiceError, type Violation } from '../../../shared/errors.ts';
import type { CreateMemoryRequest } from '../../../shared/gen/service/v1/memory_pb.ts';
import { timestampToMs } from '../../../shared/time.ts';
import type { ChunkingConfig } from '../../workers/chunk/config.ts';
import { chunkingRecord, readChunkingConfig } from '../chunking-config.ts';

const DAY_MS = 86_400_000;

/** Where the content of a create comes from. */
export type ContentOrigin = 'message' | 'file';

/** What is wrong with a create beyond the rules of its fields. */
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

/** 0 is not a time but says never. */
export function expiryViolations(expiresAt: Timestamp | undefined, nowMs: number): Violation[] {
  const ms = expiresAt === undefined ? 0 : timestampToMs(expiresAt);
  return ms !== 0 && ms <= nowMs ? [{ path: 'expiresAt', problem: 'is in the past' }] : [];
}

/** When the memory expires as a request says it; null for never. */
export function requestedExpiry(expiresAt: Timestamp): Date | null {
  const ms = timestampToMs(expiresAt);
  return ms === 0 ? null : new Date(ms);
}

/** When a new memory expires: as it asks, else as its space says. */
export function expiryOf(
  { expiresAt }: CreateMemoryRequest,
  { retentionDays }: { retentionDays: number | null },
  nowMs: number,
): Date | null {
  if (expiresAt !== undefined) return requestedExpiry(expiresAt);
  return retentionDays === null ? null : new Date(nowMs + retentionDays * DAY_MS);
}

/** The config as it is stored; null for that of the space. */
export function chunkingOf({ chunkingConfig }: CreateMemoryRequest): ChunkingConfig | null {
  return chunkingConfig === undefined ? null : chunkingRecord(chunkingConfig);
}

/** The metadata with the name of the uploaded file, unless the client has set that member. */
export function metadataOf(request: CreateMemoryRequest, filename: string | undefined): Record<string, unknown> {
  const metadata = request.metadata ?? {};
  if (filename === undefined || Object.hasOwn(metadata, 'filename')) return metadata;
  // Comes from a header, where nothing was checked.
  if (filename.includes('\0')) throw new ServiceError('INVALID_ARGUMENT', 'The file name contains a NUL character');
  return { ...metadata, filename };
}
