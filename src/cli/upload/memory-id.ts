import { createHash } from 'node:crypto';
import { v5 } from 'uuid';

/** Never to be changed: ids made with it are how a later run finds what it has uploaded. */
const NAMESPACE = '6f1c5a0e-2d0b-5a3d-9c57-3b9a4a1f6e21';

/** The member of the metadata that tells which folder a sync mirrors with the memory. */
export const SYNC_SOURCE = 'syncSource';

/**
 * The id of a file's content at its path in a space: the same content at the same path always has the same id. Of a
 * mirrored folder, its source sets the ids apart: another folder may have the same file, and lose it.
 */
export function memoryIdOf(spaceId: string, path: string, content: Uint8Array, source?: string): string {
  const hash = createHash('sha256').update(content).digest('hex');
  const origin = source === undefined ? [] : [source];
  return v5([spaceId.toLowerCase(), ...origin, path, hash].join('\n'), NAMESPACE);
}
