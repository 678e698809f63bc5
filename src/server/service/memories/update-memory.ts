import { getOption, type JsonObject } from '@bufbuild/protobuf';
import { invalidFields, notFound } from '../../../shared/errors.ts';
import { objectCheck } from '../../../shared/fields/checks.ts';
import {
  type Memory,
  type UpdateMemoryRequest,
  UpdateMemoryRequestSchema,
} from '../../../shared/gen/service/v1/memory_pb.ts';
import { rules } from '../../../shared/gen/service/v1/options_pb.ts';
import type { CallContext } from '../../context.ts';
import { selectMemoryForUpdate, updateMemoryRow } from '../../store/memories.ts';
import type { MemoryRow } from '../../store/memory-row.ts';
import { callerOf, requireInSpace } from '../permission.ts';
import { written } from '../resources.ts';
import type { MemoryDeps } from './deps.ts';
import { expiryViolations, requestedExpiry } from './memory-fields.ts';
import { memoryMessage } from './memory-message.ts';

export async function updateMemory(
  { db }: Pick<MemoryDeps, 'db'>,
  request: UpdateMemoryRequest,
  context: CallContext,
): Promise<Memory> {
  const violations = expiryViolations(request.expiresAt, Date.now());
  if (violations.length > 0) throw invalidFields(violations);
  const row = await db.main.withTx(
    async (tx) => {
      const memory = await selectMemoryForUpdate(tx, request.memoryId);
      if (memory === undefined) throw notFound('Memory', request.memoryId);
      requireInSpace(context, 'UPDATE_MEMORY', memory);
      if (request.metadataUpdate.case === undefined && request.expiresAt === undefined) return memory;
      return written(await updateMemoryRow(tx, memory, contentAfter(request, memory), callerOf(context).userId));
    },
    { signal: context.signal },
  );
  return memoryMessage(row);
}

function contentAfter({ metadataUpdate, expiresAt }: UpdateMemoryRequest, memory: MemoryRow) {
  const kept = memory.expiresAt === null ? null : new Date(memory.expiresAt);
  return {
    metadata: metadataAfter(metadataUpdate, memory.metadata),
    expiresAt: expiresAt === undefined ? kept : requestedExpiry(expiresAt),
  };
}

function metadataAfter(update: UpdateMemoryRequest['metadataUpdate'], current: MemoryRow['metadata']) {
  if (update.case === undefined) return current;
  if (update.case === 'replaceMetadata') return update.value;
  return merged(current, update.value);
}

/** A merge has the limits of a replacement, applied to the resulting metadata. */
const checkResult = objectCheck(getOption(UpdateMemoryRequestSchema.field.replaceMetadata, rules));

function merged(current: MemoryRow['metadata'], changes: JsonObject): MemoryRow['metadata'] {
  const kept = Object.entries(current).filter(([name]) => !Object.hasOwn(changes, name));
  const set = Object.entries(changes).filter(([, value]) => value !== null);
  // fromEntries defines own properties, so "__proto__" is an ordinary key.
  const metadata = Object.fromEntries<unknown>([...kept, ...set]);
  const problems: string[] = [];
  checkResult(metadata, 'mergeMetadata', (_, problem) => problems.push(problem));
  const [problem] = problems;
  if (problem !== undefined) throw invalidFields([{ path: 'mergeMetadata', problem: `the result ${problem}` }]);
  return metadata;
}
