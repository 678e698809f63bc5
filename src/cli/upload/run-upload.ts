import type { StoreContext } from '../bulk/store-memories.ts';
import type { Document } from './document.ts';
import type { Emit } from './events.ts';
import type { Found } from './find-files.ts';
import type { Mirror } from './mirror.ts';
import { removeGone, replaceEarlier } from './replace.ts';
import { type UploadOptions, uploadDocuments, uploadFiles } from './uploader.ts';
import { Versions } from './versions.ts';
import { awaitProcessing } from './wait.ts';

export interface UploadRun extends UploadOptions {
  source: Found | Document;
  /** Wait for the end of processing. */
  wait: boolean;
  /** Leave earlier versions of the paths where they are. */
  keepOld: boolean;
  /** The space is to follow a folder. */
  mirror?: Mirror;
  /** Epoch milliseconds. */
  now: () => number;
}

/** Uploads, waits for processing if that was asked for, and deletes the earlier versions of what can be found now. */
export async function runUpload(context: StoreContext, run: UploadRun, tell: Emit): Promise<void> {
  const { source, wait, keepOld, dryRun, spaceId, now, mirror } = run;
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
    await awaitProcessing(context, stored.keys(), { now, versions }, emit);
  }
  if (!keepOld) await replaceEarlier(context, { spaceId, versions, dryRun, now, mirror }, emit);
  if (mirror !== undefined) await removeGone(context, mirror, dryRun, emit);
}
