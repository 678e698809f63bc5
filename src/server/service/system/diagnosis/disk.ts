import { statfs } from 'node:fs/promises';
import { type Finding, fail, fine, warn } from './finding.ts';

const MIB = 1_048_576;
const SCARCE_BYTES = 2048 * MIB;
/** A checkpoint of the embedded database and a large upload together may need as much. */
const EXHAUSTED_BYTES = 256 * MIB;

/** The room that is left for the embedded database. */
export async function checkDataDirectory(dataDir: string): Promise<Finding> {
  const { bavail, bsize } = await statfs(dataDir);
  return judgeFreeSpace(bavail * bsize, dataDir);
}

export function judgeFreeSpace(freeBytes: number, dataDir: string): Finding {
  const message = `${sizeText(freeBytes)} are free on the disk of the data directory ${dataDir}`;
  const remedy = 'Free some space on that disk, or move the data directory to a larger one (--data-dir)';
  if (freeBytes < EXHAUSTED_BYTES) return fail(message, remedy);
  return freeBytes < SCARCE_BYTES ? warn(message, remedy) : fine(message);
}

/** A database server tells how much a database takes, not how much room it has. */
export function describeDatabaseSize(sizeBytes: number): Finding {
  return fine(`The database takes ${sizeText(sizeBytes)}; the free space on its server cannot be seen from here`);
}

function sizeText(bytes: number): string {
  const mib = bytes / MIB;
  return mib < 1024 ? `${Math.round(mib)} MiB` : `${(mib / 1024).toFixed(1)} GiB`;
}
