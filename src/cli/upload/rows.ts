import { type Memory, MemorySchema, ProcessingStatusSchema } from '../../shared/gen/service/v1/memory_pb.ts';
import { encodeJson } from '../../shared/json/encode.ts';
import { enumText } from '../kit/output/columns.ts';
import type { LeftWhy, Outcome, UploadEvent } from './events.ts';

/** Of an upload: the record of each memory in the state in which it is left, and with --dry-run what would be done. */
export function recordRow(event: UploadEvent, processed?: Memory): string | undefined {
  if (event.kind === 'would replace') return JSON.stringify({ action: 'delete', ...event.earlier });
  if (event.kind !== 'outcome') return undefined;
  const { outcome } = event;
  if (outcome.kind === 'would upload') {
    const { path, bytes } = outcome;
    const { memoryId, contentType } = outcome.document;
    return JSON.stringify({ action: 'upload', memoryId, path, contentType, bytes });
  }
  return 'memory' in outcome ? encodeJson(MemorySchema, processed ?? outcome.memory) : undefined;
}

/** A change of the space. What is unchanged is not told. */
interface Change {
  action: 'upload' | 'delete' | 'leave';
  path: string;
  memoryId: string;
  /** Of a delete or leave: what has happened to the file. */
  why?: 'changed' | 'gone';
  /** Of a leave. */
  because?: LeftWhy;
  bytes?: number;
  /** Once it was waited for. */
  processingStatus?: string;
}

/** Of a sync: a change that it makes, or with --dry-run would make. */
export function changeRow(event: UploadEvent, processed?: Memory): string | undefined {
  const change = event.kind === 'outcome' ? uploadOf(event.outcome, processed) : deletionOf(event);
  return change && JSON.stringify(change);
}

function uploadOf(outcome: Outcome, processed: Memory | undefined): Change | undefined {
  const { kind, path, bytes } = outcome;
  if (kind === 'would upload') return { action: 'upload', path, memoryId: outcome.document.memoryId, bytes };
  if (kind !== 'uploaded') return undefined;
  const change: Change = { action: 'upload', path, memoryId: outcome.memory.memoryId, bytes };
  if (processed === undefined) return change;
  return { ...change, processingStatus: enumText(ProcessingStatusSchema, processed.processingStatus) };
}

function deletionOf(event: UploadEvent): Change | undefined {
  switch (event.kind) {
    case 'replaced':
    case 'would replace':
      return { action: 'delete', ...event.earlier, why: 'changed' };
    case 'removed':
    case 'would remove':
      return { action: 'delete', ...event.earlier, why: 'gone' };
    case 'left':
      return { action: 'leave', ...event.earlier, why: 'gone', because: event.why };
    default:
      return undefined;
  }
}
