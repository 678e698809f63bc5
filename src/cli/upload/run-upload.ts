import type { StoreContext } from '../kit/bulk/store-memories.ts';
import { hasCode } from '../kit/errors.ts';
import type { Document, Emit } from './events.ts';
import type { Found } from './find-files.ts';
import { versionsOf } from './find-versions.ts';
import { deleteOutdated } from './replace.ts';
import { StoredVersions } from './stored-versions.ts';
import { type UploadOptions, uploadDocuments, uploadFiles } from './uploader.ts';
import { Versions } from './versions.ts';
import { awaitProcessing } from './wait.ts';

export interface UploadRun extends UploadOptions {
  source: Found | Document;
  /** Wait for the end of processing. */
  wait: boolean;
  /** Epoch milliseconds. */
  now: () => number;
}

/** Uploads, waits for processing if that was asked for, and deletes what is outdated once it can be done without. */
export async function runUpload(context: StoreContext, run: UploadRun, tell: Emit): Promise<void> {
  const { source, wait, keepOld, dryRun, now, mirror } = run;
  const versions = new Versions();
  const emit: Emit = async (event) => {
    versions.add(event);
    await tell(event);
  };
  const stored = run.stored ?? (await findStored(context, run, emit));
  if ('content' in source) await uploadDocuments(context, [source], run, emit);
  else {
    for (const outcome of source.passedOver) {
      const { path, bytes } = outcome;
      await emit({ kind: 'started', path, bytes });
      await emit({ kind: 'outcome', outcome });
    }
    await uploadFiles(context, source.files, { ...run, stored }, emit);
  }
  const ids = versions.stored;
  if (wait && !dryRun && ids.size > 0) {
    await emit({ kind: 'waiting', count: ids.size });
    await awaitProcessing(context, ids.keys(), { now, versions }, emit);
  }
  await deleteOutdated(context, { stored, versions, keepOld, mirror, dryRun, now }, emit);
}

/** What the space has of the files. A key that may store and not list goes on without, and replaces nothing. */
async function findStored(
  context: StoreContext,
  { source, spaceId, metadata }: UploadRun,
  emit: Emit,
): Promise<StoredVersions> {
  if ('content' in source || metadata.path !== undefined) return new StoredVersions();
  try {
    const paths = source.files.map(({ path }) => path);
    return await StoredVersions.read(versionsOf(context, spaceId, paths));
  } catch (error) {
    if (!hasCode(error, 'PERMISSION_DENIED')) throw error;
    await emit({ kind: 'unseen', error });
    return new StoredVersions();
  }
}
