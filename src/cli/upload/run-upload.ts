import type { StoreContext } from '../bulk/store-memories.ts';
import type { Document } from './document.ts';
import type { Emit } from './events.ts';
import type { Found } from './find-files.ts';
import { pruneEarlier } from './prune.ts';
import { type UploadOptions, uploadDocuments, uploadFiles } from './uploader.ts';
import { Versions } from './versions.ts';
import { hasEnded, processed } from './wait.ts';

export interface UploadRun extends UploadOptions {
  source: Found | Document;
  /** Wait for the end of processing. */
  wait: boolean;
  /** Delete earlier versions of what was uploaded. */
  pruneOld: boolean;
  /** Epoch milliseconds. */
  now: () => number;
}

/** Uploads, waits for processing and deletes earlier versions, in that order and as far as each was asked for. */
export async function runUpload(context: StoreContext, run: UploadRun, tell: Emit): Promise<void> {
  const { source, wait, pruneOld, dryRun, spaceId, now } = run;
  const versions = new Versions();
  const emit: Emit = async (event) => {
    versions.add(event);
    await tell(event);
  };
  if ('content' in source) await uploadDocuments(context, [source], run, emit);
  else {
    for (const outcome of source.passedOver) {
      const { path, bytes } = outcome;
      await emit({ kind: 'started', path, bytes });
      await emit({ kind: 'outcome', outcome });
    }
    await uploadFiles(context, source.files, run, emit);
  }
  const stored = versions.stored;
  if (wait && !dryRun && stored.size > 0) {
    await emit({ kind: 'waiting', count: stored.size });
    for await (const memory of processed(context, stored.keys(), now)) {
      const path = stored.get(memory.memoryId) ?? memory.memoryId;
      await emit({ kind: hasEnded(memory) ? 'processed' : 'processing', path, memory });
    }
  }
  if (pruneOld) await pruneEarlier(context, { spaceId, versions: versions.replacing(), dryRun }, emit);
}
