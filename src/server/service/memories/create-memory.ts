import { invalidFields, ServiceError } from '../../../shared/errors.ts';
import { validateMessage } from '../../../shared/fields/validate.ts';
import {
  type CreateMemoryRequest,
  CreateMemoryRequestSchema,
  type Memory,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext, UploadedFile } from '../../context.ts';
import { CONTENT_PART_BYTES } from '../../store/content.ts';
import type { Db } from '../../store/db.ts';
import { type NewMemory, selectExpiredMemory, selectMemories } from '../../store/memories.ts';
import { deleteMemoryRows } from '../../store/memory-deletion.ts';
import type { MemoryRow } from '../../store/memory-row.ts';
import { selectSpaceEmbedders } from '../../store/space-embedders.ts';
import type { SpaceRow } from '../../store/spaces.ts';
import { MAX_ATTEMPTS } from '../ingest/failed-attempt.ts';
import { callerOf, requireInSpace } from '../permission.ts';
import { newId } from '../resources.ts';
import { loadSpace } from '../spaces/load-space.ts';
import type { CreateDeps, MemoryDeps } from './deps.ts';
import { chunkingOf, createViolations, expiryOf, metadataOf } from './memory-fields.ts';
import { memoryMessage } from './memory-message.ts';
import {
  contentTooLarge,
  discardContent,
  holdContent,
  type ReceivedContent,
  receiveContent,
  uploadSwept,
} from './receive-content.ts';

/** The name of the part that holds the content of a multipart create. */
const FILE_PART = 'file';

export async function createMemory(
  deps: CreateDeps,
  request: CreateMemoryRequest,
  context: CallContext,
): Promise<Memory> {
  if (request.fileField !== undefined) {
    throw invalidFields([{ path: 'fileField', problem: 'is allowed only in a multipart batch request' }]);
  }
  const row =
    context.files === undefined
      ? await createFromMessage(deps, request, context, spaceFinder(deps, context))
      : await createFromFiles(deps, request, context.files, context);
  deps.ingest.wake();
  const latest = await afterProcessing(deps, [row], request.waitMs, context);
  return memoryMessage(latest.get(row.memoryId) ?? row);
}

/** Waits up to `waitMs` for the processing of stored memories. Returns their latest rows by id. */
export async function afterProcessing(
  deps: MemoryDeps,
  rows: readonly MemoryRow[],
  waitMs: number,
  { signal }: CallContext,
): Promise<Map<string, MemoryRow>> {
  const latest = new Map<string, MemoryRow>(rows.map((row) => [row.memoryId, row]));
  if (waitMs === 0 || rows.length === 0) return latest;
  const ids = [...latest.keys()];
  await deps.ingest.completions.wait(ids, waitMs, signal);
  // The memories are stored, so a failure to read them again must not fail the call.
  const now = await selectMemories(deps.db.main, ids, { signal }).catch(() => []);
  for (const row of now) latest.set(row.memoryId, row);
  return latest;
}

/** Finds the space of a create and checks that the caller may write there. Throws NOT_FOUND and PERMISSION_DENIED. */
export type FindSpace = (spaceId: string) => Promise<SpaceRow>;

/** Stores a memory whose content is in the message. */
export async function createFromMessage(
  deps: CreateDeps,
  request: CreateMemoryRequest,
  context: CallContext,
  findSpace: FindSpace,
): Promise<MemoryRow> {
  const violations = createViolations(request, 'message', Date.now());
  if (violations.length > 0) throw invalidFields(violations);
  const { originalContent = new Uint8Array() } = request;
  if (originalContent.length > deps.maxContentBytes) throw contentTooLarge(deps.maxContentBytes);
  const space = await findSpace(request.spaceId);
  const content =
    originalContent.length <= CONTENT_PART_BYTES
      ? holdContent(originalContent, space.spaceId)
      : await receive(deps, [originalContent], space.spaceId, context);
  return storeMemory(deps, { request, space, content }, context);
}

/** Stores a memory whose content is this file, which is read completely. */
export async function createFromFile(
  deps: CreateDeps,
  request: CreateMemoryRequest,
  file: UploadedFile,
  context: CallContext,
  findSpace: FindSpace,
): Promise<MemoryRow> {
  const uploaded = await receiveFile(deps, request, file, context, findSpace);
  return storeMemory(deps, uploaded, context);
}

async function createFromFiles(
  deps: CreateDeps,
  request: CreateMemoryRequest,
  files: AsyncIterable<UploadedFile>,
  context: CallContext,
): Promise<MemoryRow> {
  const findSpace = spaceFinder(deps, context);
  let uploaded: MemoryToStore | undefined;
  try {
    for await (const file of files) {
      if (file.field !== FILE_PART || uploaded !== undefined) throw unexpectedPart(file.field);
      uploaded = await receiveFile(deps, request, file, context, findSpace);
    }
  } catch (error) {
    if (uploaded?.content.at.kind === 'staged') await discardContent(deps.db.main, uploaded.content);
    throw error;
  }
  if (uploaded === undefined)
    throw invalidFields([{ path: FILE_PART, problem: 'the multipart body has no such part' }]);
  return storeMemory(deps, uploaded, context);
}

function unexpectedPart(field: string): ServiceError {
  return invalidFields([{ path: field, problem: `only one part named ${FILE_PART} is expected` }]);
}

/** Checks everything that can be checked before reading the bytes, then receives them. */
async function receiveFile(
  deps: MemoryDeps,
  request: CreateMemoryRequest,
  file: UploadedFile,
  context: CallContext,
  findSpace: FindSpace,
): Promise<MemoryToStore> {
  if (request.contentType === undefined && file.contentType !== undefined) request.contentType = file.contentType;
  const violations = [
    ...validateMessage(CreateMemoryRequestSchema, request),
    ...createViolations(request, 'file', Date.now()),
  ];
  if (violations.length > 0) throw invalidFields(violations);
  const space = await findSpace(request.spaceId);
  const content = await receive(deps, file.data, space.spaceId, context);
  return { request, space, content, filename: file.filename };
}

/** Looks up each space once, since most batches write to one space. */
export function spaceFinder({ db }: MemoryDeps, context: CallContext): FindSpace {
  const known = new Map<string, Promise<SpaceRow>>();
  const find = async (spaceId: string) => {
    const space = await loadSpace(db.main, spaceId, { signal: context.signal });
    requireInSpace(context, 'CREATE_MEMORY', space);
    return space;
  };
  return (spaceId) => {
    const space = known.get(spaceId) ?? find(spaceId);
    known.set(spaceId, space);
    return space;
  };
}

function receive(
  deps: MemoryDeps,
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  spaceId: string,
  { signal }: CallContext,
): Promise<ReceivedContent> {
  return receiveContent(deps.db.main, source, { spaceId, maxBytes: deps.maxContentBytes, signal });
}

interface MemoryToStore {
  request: CreateMemoryRequest;
  space: SpaceRow;
  content: ReceivedContent;
  filename?: string | undefined;
}

/** Stores a memory with its content and queues its job. Staged content is discarded when that fails. */
async function storeMemory(deps: CreateDeps, what: MemoryToStore, context: CallContext): Promise<MemoryRow> {
  const { content } = what;
  const memory = newMemory(what, callerOf(context).userId);
  try {
    const row = await insertReplacingExpired(deps, memory, content, context);
    if (row === undefined) throw uploadSwept();
    return row;
  } catch (error) {
    // The outcome of the commit may be unknown; content that is still staged belongs to no memory and can be discarded.
    if (content.at.kind === 'staged') await discardContent(deps.db.main, content);
    throw error;
  }
}

/** Replaces an expired memory of the same id, which does not exist for callers although it was not swept yet. */
async function insertReplacingExpired(
  { db, inserts }: CreateDeps,
  memory: NewMemory,
  content: ReceivedContent,
  context: CallContext,
) {
  try {
    return await inserts.insert(memory, content.at, context.signal);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'ALREADY_EXISTS') throw error;
    if (!(await deleteExpired(db, memory.memoryId, context))) throw error;
    return await inserts.insert(memory, content.at, context.signal);
  }
}

async function deleteExpired(db: Db, memoryId: string, { signal }: CallContext): Promise<boolean> {
  const expired = await selectExpiredMemory(db.main, memoryId, { signal });
  if (expired === undefined) return false;
  const { spaceId, contentId } = expired;
  const embedders = await selectSpaceEmbedders(db.main, [spaceId], { signal });
  const embedderIds = embedders.map(({ embedderId }) => embedderId);
  const ids = { spaceId, memoryIds: [memoryId], contentIds: [contentId], embedderIds };
  await db.main.withTx((tx) => deleteMemoryRows(tx, ids), { signal });
  return true;
}

function newMemory({ request, space, content, filename }: MemoryToStore, createdById: string): NewMemory {
  return {
    memoryId: request.memoryId ?? newId(),
    spaceId: space.spaceId,
    contentId: content.contentId,
    contentLength: content.length,
    contentSha256: content.sha256,
    contentRef: request.originalContentRef ?? null,
    // createViolations has checked that there is a type.
    contentType: request.contentType ?? '',
    extractPageImages: request.extractPageImages,
    metadata: metadataOf(request, filename),
    chunkingConfig: chunkingOf(request),
    expiresAt: expiryOf(request, space, Date.now()),
    createdById,
    maxAttempts: MAX_ATTEMPTS,
  };
}
