import { createHash } from 'node:crypto';
import { v5 } from 'uuid';
import type { Memory } from '../../../shared/gen/service/v1/memory_pb.ts';

/** Never to be changed: ids made with it are how a later run finds what it has uploaded. */
const NAMESPACE = '6f1c5a0e-2d0b-5a3d-9c57-3b9a4a1f6e21';

/** The member of the metadata that tells which folder a sync mirrors with the memory. */
export const SYNC_SOURCE = 'syncSource';

/** Where a file's content comes from. */
interface Origin {
  spaceId: string;
  path: string;
  /** Of a mirrored folder: sets its ids apart, because another folder may have the same file, and lose it. */
  source?: string | undefined;
}

/** The id of a file's content at its path in a space: the same content at the same path always has the same id. */
export function uploadId(origin: Origin, content: Uint8Array): string {
  return idOfHash(origin, sha256Of(content));
}

/**
 * Whether an upload or a sync has made the memory from the file that its metadata names: its id follows from that and from
 * its content. Other clients may store memories with any path.
 */
export function isOfItsFile({ memoryId, spaceId, metadata, originalContentSha256 }: Memory): boolean {
  const { path, [SYNC_SOURCE]: source } = metadata ?? {};
  if (typeof path !== 'string' || (source !== undefined && typeof source !== 'string')) return false;
  return memoryId === idOfHash({ spaceId, path, source }, originalContentSha256);
}

/** The id that such a memory has in another space, where it follows its file too. */
export function idInSpace(spaceId: string, memory: Memory): string {
  if (!isOfItsFile(memory)) return v5(memory.memoryId, spaceId);
  const { path, [SYNC_SOURCE]: source } = memory.metadata ?? {};
  return idOfHash({ spaceId, path: String(path), source: source?.toString() }, memory.originalContentSha256);
}

/** Lower-case hex. */
export function sha256Of(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function idOfHash({ spaceId, path, source }: Origin, hash: string): string {
  const origin = source === undefined ? [] : [source];
  return v5([spaceId.toLowerCase(), ...origin, path, hash].join('\n'), NAMESPACE);
}
