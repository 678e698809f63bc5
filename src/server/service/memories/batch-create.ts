import { create } from '@bufbuild/protobuf';
import { mapBounded } from '../../../shared/async/map-bounded.ts';
import { invalidFields, ServiceError } from '../../../shared/errors.ts';
import { validateMessage } from '../../../shared/fields/validate.ts';
import {
  type BatchCreateMemoryRequest,
  type BatchMemoryResponse,
  BatchMemoryResponseSchema,
  type BatchMemoryResult,
  type CreateMemoryRequest,
  CreateMemoryRequestSchema,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import type { CallContext, UploadedFile } from '../../context.ts';
import type { MemoryRow } from '../../store/memory-row.ts';
import { failed, succeeded } from './batch-result.ts';
import { afterProcessing, createFromFile, createFromMessage, type FindSpace, spaceFinder } from './create-memory.ts';
import type { CreateDeps } from './deps.ts';
import { GROUPED_BYTES, MOST_TOGETHER } from './insert-groups.ts';
import { memoryMessage } from './memory-message.ts';

/** Concurrent items: small ones are stored together, two statements' worth, and a commit of a large one waits for the disk. */
const AT_ONCE = { small: 2 * MOST_TOGETHER, large: 4 } as const;

/** The outcome of an item so far. */
type Outcome = { row: MemoryRow } | { error: unknown };

interface Batch {
  deps: CreateDeps;
  requests: readonly CreateMemoryRequest[];
  context: CallContext;
  findSpace: FindSpace;
  outcomes: Map<number, Outcome>;
}

export async function batchCreateMemory(
  deps: CreateDeps,
  { requests, waitMs }: BatchCreateMemoryRequest,
  context: CallContext,
): Promise<BatchMemoryResponse> {
  const batch: Batch = { deps, requests, context, findSpace: spaceFinder(deps, context), outcomes: new Map() };
  for (const [index, error] of context.itemErrors ?? []) batch.outcomes.set(index, { error });
  refuseRepeatedIds(batch);
  await createWithContent(batch);
  if (context.files !== undefined) await createFromFiles(batch, context.files);
  const stored = [...batch.outcomes.values()].flatMap((outcome) => ('row' in outcome ? [outcome.row] : []));
  const latest = await afterProcessing(deps, stored, waitMs, context);
  const results = requests.map((request, index) => resultOf(batch, request, index, latest));
  return create(BatchMemoryResponseSchema, { results });
}

/** Fails later items with a duplicate id. Items are stored concurrently, so the database would pick an arbitrary one. */
function refuseRepeatedIds({ requests, outcomes }: Batch): void {
  const seen = new Set<string>();
  for (const [index, { memoryId }] of requests.entries()) {
    if (memoryId === undefined || outcomes.has(index)) continue;
    const id = memoryId.toLowerCase();
    if (seen.has(id)) {
      const resource = { kind: 'Memory', id } as const;
      const error = new ServiceError('ALREADY_EXISTS', 'Another item of the batch has the same id', { resource });
      outcomes.set(index, { error });
    }
    seen.add(id);
  }
}

async function attempt({ outcomes }: Batch, index: number, run: () => Promise<MemoryRow>): Promise<void> {
  try {
    outcomes.set(index, { row: await run() });
  } catch (error) {
    outcomes.set(index, { error });
  }
}

async function createWithContent(batch: Batch): Promise<void> {
  const { deps, requests, context, outcomes } = batch;
  const hasFiles = context.files !== undefined;
  const due = requests.flatMap((request, index) =>
    outcomes.has(index) || (hasFiles && awaitsFile(request)) ? [] : [{ request, index }],
  );
  const create = async ({ request, index }: (typeof due)[number]) => {
    context.signal.throwIfAborted();
    await attempt(batch, index, () => {
      requireSound(request, hasFiles);
      return createFromMessage(deps, request, context, batch.findSpace);
    });
    deps.ingest.wake();
  };
  await Promise.all([
    mapBounded(due.filter(isSmall), { limit: AT_ONCE.small }, create),
    mapBounded(
      due.filter((item) => !isSmall(item)),
      { limit: AT_ONCE.large },
      create,
    ),
  ]);
}

function isSmall({ request: { originalContent } }: { request: CreateMemoryRequest }): boolean {
  return (originalContent?.length ?? 0) <= GROUPED_BYTES;
}

function awaitsFile(request: CreateMemoryRequest): boolean {
  return request.originalContent === undefined;
}

function requireSound(request: CreateMemoryRequest, hasFiles: boolean): void {
  const violations = validateMessage(CreateMemoryRequestSchema, request);
  if (request.fileField !== undefined) {
    const problem = hasFiles
      ? 'cannot be given together with originalContent'
      : 'is allowed only in a multipart batch request';
    violations.push({ path: 'fileField', problem });
  }
  if (violations.length > 0) throw invalidFields(violations);
}

/** Stores each file with its item as it arrives. A part that belongs to no item is skipped. */
async function createFromFiles(batch: Batch, files: AsyncIterable<UploadedFile>): Promise<void> {
  const { deps, requests, context, outcomes } = batch;
  // Also items that have already failed, or their files could be assigned to other items.
  const waiting = new Map([...requests.entries()].filter(([, request]) => awaitsFile(request)));
  for await (const file of files) {
    const index = itemOf(waiting, file);
    const request = index === undefined ? undefined : waiting.get(index);
    if (index === undefined || request === undefined) continue;
    waiting.delete(index);
    if (outcomes.has(index)) continue;
    await attempt(batch, index, () => createFromFile(deps, request, file, context, batch.findSpace));
    deps.ingest.wake();
  }
  for (const [index, { fileField }] of waiting) {
    if (outcomes.has(index)) continue;
    const problem = fileField === undefined ? 'is required' : `the multipart body has no part named ${fileField}`;
    outcomes.set(index, { error: invalidFields([{ path: 'fileField', problem }]) });
  }
}

/** The item that names the part, or the only item that waits for a file without naming one. */
function itemOf(waiting: ReadonlyMap<number, CreateMemoryRequest>, { field }: UploadedFile): number | undefined {
  const items = [...waiting];
  const named = items.find(([, { fileField }]) => fileField === field);
  if (named !== undefined) return named[0];
  const unnamed = items.filter(([, { fileField }]) => fileField === undefined);
  return unnamed.length === 1 ? unnamed[0]?.[0] : undefined;
}

function resultOf(
  { outcomes, context }: Batch,
  { memoryId }: CreateMemoryRequest,
  index: number,
  latest: ReadonlyMap<string, MemoryRow>,
): BatchMemoryResult {
  const outcome = outcomes.get(index) ?? { error: new Error('The item was not handled') };
  if ('error' in outcome) return failed(index, outcome.error, context, { memoryId });
  const row = latest.get(outcome.row.memoryId) ?? outcome.row;
  return succeeded(index, { memoryId: row.memoryId, memory: memoryMessage(row) });
}
