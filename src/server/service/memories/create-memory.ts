import { invalidFields, type ServiceError } from '../../../shared/errors.ts';
import { validateMessage } from '../../../shared/fields/validate.ts';
import {
  type CreateMemoryRequest,
  CreateMemoryRequestSchema,
  type Memory,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext, UploadedFile } from '../../context.ts';
import { selectMemories } from '../../store/memories.ts';
import type { MemoryRow } from '../../store/memory-row.ts';
import type { SpaceRow } from '../../store/spaces.ts';
import { requireInSpace } from '../permission.ts';
import { loadSpace } from '../spaces/load-space.ts';
import type { MemoryDeps } from './deps.ts';
import { createViolations } from './memory-fields.ts';
import { memoryMessage } from './memory-message.ts';
import { contentTooLarge, discardContent, type ReceivedContent, receiveContent } from './receive-content.ts';
import { type MemoryToStore, storeMemory } from './store-memory.ts';

/** The name of the part that holds the content of a multipart create. */
const FILE_PART = 'file';

export async function createMemory(
  deps: MemoryDeps,
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
  return memoryMessage(await settled(deps, row, request.waitMs, context));
}

/** The memory after waiting for its processing, as far as that was asked for. */
async function settled(deps: MemoryDeps, row: MemoryRow, waitMs: number, context: CallContext): Promise<MemoryRow> {
  if (waitMs === 0) return row;
  await deps.ingest.completions.wait([row.memoryId], waitMs, context.signal);
  // It is stored: whatever happens to this look must not turn the answer into a failure.
  const [now] = await selectMemories(deps.db.main, [row.memoryId], { signal: context.signal }).catch(() => []);
  return now ?? row;
}

/** Finds the space of a create and checks that the caller may write there. Throws NOT_FOUND and PERMISSION_DENIED. */
export type FindSpace = (spaceId: string) => Promise<SpaceRow>;

/** Stores a memory whose content stands in the message. */
export async function createFromMessage(
  deps: MemoryDeps,
  request: CreateMemoryRequest,
  context: CallContext,
  findSpace: FindSpace,
): Promise<MemoryRow> {
  const violations = createViolations(request, 'message', Date.now());
  if (violations.length > 0) throw invalidFields(violations);
  const { originalContent = new Uint8Array() } = request;
  if (originalContent.length > deps.maxContentBytes) throw contentTooLarge(deps.maxContentBytes);
  const space = await findSpace(request.spaceId);
  const content = await receive(deps, [originalContent], space.spaceId, context);
  return storeMemory(deps.db, { request, space, content }, context);
}

/** Stores a memory whose content is this file, reading it to its end. */
export async function createFromFile(
  deps: MemoryDeps,
  request: CreateMemoryRequest,
  file: UploadedFile,
  context: CallContext,
  findSpace: FindSpace,
): Promise<MemoryRow> {
  const uploaded = await receiveFile(deps, request, file, context, findSpace);
  return storeMemory(deps.db, uploaded, context);
}

async function createFromFiles(
  deps: MemoryDeps,
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
  return storeMemory(deps.db, uploaded, context);
}

function unexpectedPart(field: string): ServiceError {
  return invalidFields([{ path: field, problem: `only one part named ${FILE_PART} is expected` }]);
}

/** Checks everything that can be checked before the bytes, then takes them in. */
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

/** Looks each space up once: a batch mostly writes into one. */
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
