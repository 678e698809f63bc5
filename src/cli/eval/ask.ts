import type { Status } from '../../shared/gen/service/v1/common_pb.ts';
import { MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import { ResultSetBoundary_Kind as BoundaryKind } from '../../shared/gen/service/v1/retrieve_pb.ts';
import type { Client } from '../kit/client/client.ts';
import { CommandError, EXIT, partialError } from '../kit/errors.ts';

export interface AskOptions {
  spaceId: string;
  /** How many memories are wanted. */
  k: number;
  signal: AbortSignal;
}

const TIMEOUT_MS = 120_000;

/** Statuses after which the ranking is still the one that everybody gets. */
const HARMLESS: ReadonlySet<string> = new Set(['VECTOR_SEARCH_PARTIAL', 'CHUNK_NOT_FOUND', 'MEMORY_LOAD_FAILED']);

/**
 * Ids of the memories that a question finds, best first, each once.
 *
 * @throws CommandError when a part of the search failed: what was found then says nothing about the space.
 */
export async function ask(client: Client, question: string, { spaceId, k, signal }: AskOptions): Promise<string[]> {
  const request = {
    message: question,
    spaceKeys: [{ spaceId }],
    requestedSize: k,
    // Memories are counted and not chunks: without this, one long memory could fill all places.
    maxPerMemory: 1,
    fetchMemory: false,
  };
  const ids: string[] = [];
  let hasEnded = false;
  const events = client.stream(MemoryService.method.retrieveMemory, request, { signal, timeoutMs: TIMEOUT_MS });
  for await (const { event } of events) {
    if (event.case === 'status' && !HARMLESS.has(event.value.code)) throw failed(question, event.value);
    if (event.case === 'resultSetBoundary' && event.value.kind === BoundaryKind.END) hasEnded = true;
    if (event.case === 'retrievedItem' && event.value.item.case === 'chunk') ids.push(event.value.item.value.memoryId);
  }
  if (!hasEnded) throw partialError('The stream ended early');
  return ids;
}

function failed(question: string, { code, message }: Status): CommandError {
  return new CommandError(`The search failed for: ${question}`, {
    code,
    exit: EXIT.failed,
    details: `${message} (${code})`,
    next: 'See what is wrong: svc system doctor',
  });
}
