import { type Memory, ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import { findMemories, type StoreContext } from '../kit/bulk/store-memories.ts';
import { hasCode } from '../kit/errors.ts';
import type { Document } from './document.ts';
import type { Earlier, Emit, KeptWhy, LeftWhy, Mirror } from './events.ts';
import type { FoundFiles } from './find-files.ts';
import { deleteMatchingMemories, versionsOf } from './matching-memories.ts';
import { type UploadOptions, uploadDocuments, uploadFiles } from './uploader.ts';
import { StoredVersions, Versions } from './versions.ts';
import { awaitProcessing } from './wait.ts';

export interface UploadRun extends UploadOptions {
  source: FoundFiles | Document;
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

interface ReplaceOptions {
  /** What the space had before the run. */
  stored: StoredVersions;
  versions: Versions;
  /** Leave earlier versions of the paths where they are. */
  keepOld: boolean;
  mirror: Mirror | undefined;
  dryRun: boolean;
  /** Epoch milliseconds. */
  now: () => number;
}

/** A run that was not asked to wait ends some time after its uploads, though what it has sent is not processed. */
const PATIENCE_MS = 60_000;

/**
 * Deletes the earlier versions of the paths of a run, and the memories of files that are gone, once what takes their place
 * can be found. After a failure nothing that is gone is deleted: what could not be read or stored may be where it went.
 */
async function deleteOutdated(context: StoreContext, options: ReplaceOptions, emit: Emit): Promise<void> {
  const { stored, versions, keepOld, mirror, dryRun } = options;
  const earlier = keepOld ? [] : stored.earlierThan(versions.present);
  const gone = mirror?.gone ?? [];
  const stays = mirror?.mayDelete === false ? 'not agreed' : versions.hasFailed ? 'failures' : undefined;
  const removable = stays === undefined ? gone : [];
  if (dryRun) {
    for (const one of earlier) await emit({ kind: 'would replace', earlier: one });
    for (const one of removable) await emit({ kind: 'would remove', earlier: one });
  } else {
    await awaitReplacements(context, { earlier, gone: removable }, options, emit);
    await replaceEarlier(context, earlier, options, emit);
    if (mirror !== undefined) await removeGone(context, removable, { ...options, mirror }, emit);
  }
  if (stays !== undefined) for (const one of gone) await emit({ kind: 'left', earlier: one, why: stays });
}

async function awaitReplacements(
  context: StoreContext,
  { earlier, gone }: { earlier: readonly Earlier[]; gone: readonly Earlier[] },
  { stored, versions, now }: ReplaceOptions,
  emit: Emit,
): Promise<void> {
  const copies = gone.flatMap(({ memoryId }) => copiesOf(stored.get(memoryId), versions));
  const awaited = versions.unended([...earlier.flatMap(({ path }) => versions.idsOf(path)), ...copies]);
  if (awaited.length === 0) return;
  await emit({ kind: 'waiting', count: awaited.length });
  await awaitProcessing(context, awaited, { now, versions, patienceMs: PATIENCE_MS }, emit);
}

async function replaceEarlier(
  context: StoreContext,
  earlier: readonly Earlier[],
  { versions }: ReplaceOptions,
  emit: Emit,
): Promise<void> {
  const kept: { earlier: Earlier; why: KeptWhy }[] = [];
  const check = async (some: readonly Earlier[]): Promise<Earlier[]> => {
    const present = some.flatMap(({ path }) => versions.idsOf(path));
    const found = await findMemories(context, [...new Set([...present, ...some.map(({ memoryId }) => memoryId)])]);
    versions.see(present, found);
    return some.filter((one) => {
      const version = found.get(one.memoryId);
      // Another client has deleted it meanwhile.
      if (version === undefined) return false;
      const why = keptWhy(one, version, versions);
      if (why !== undefined) kept.push({ earlier: one, why });
      return why === undefined;
    });
  };
  const settle = async (one: Earlier, error: unknown): Promise<void> => {
    if (error === undefined) await emit({ kind: 'replaced', earlier: one });
    else await emit({ kind: 'deleting failed', earlier: one, isGone: false, error });
  };
  await deleteMatchingMemories(context, earlier, { check, settle });
  for (const one of kept) await emit({ kind: 'kept', ...one });
}

/** Why a version must stay now, seen directly before it would be deleted. */
function keptWhy({ path }: Earlier, version: Memory, versions: Versions): KeptWhy | undefined {
  const fitness = versions.fitness(path);
  if (fitness !== 'fit') return fitness;
  // Retrieval does not find a FAILED one; a later one may be of another machine, which would take the present one for outdated.
  const isLost = version.processingStatus === ProcessingStatus.FAILED;
  return isLost || versions.isBeforePresent(path, version) ? undefined : 'stored later';
}

async function removeGone(
  context: StoreContext,
  gone: readonly Earlier[],
  { stored, versions, mirror }: ReplaceOptions & { mirror: Mirror },
  emit: Emit,
): Promise<void> {
  const left: { earlier: Earlier; why: LeftWhy }[] = [];
  const check = async (some: readonly Earlier[]): Promise<Earlier[]> => {
    const copies = [...new Set(some.flatMap(({ memoryId }) => copiesOf(stored.get(memoryId), versions)))];
    if (copies.length > 0) versions.see(copies, await findMemories(context, copies));
    const back = await Promise.all(some.map(({ path }) => mirror.isBack(path)));
    return some.filter((one, index) => {
      const why = back[index] === true ? 'back' : unfitCopy(stored.get(one.memoryId), versions);
      if (why !== undefined) left.push({ earlier: one, why });
      return why === undefined;
    });
  };
  const settle = async (earlier: Earlier, error: unknown): Promise<void> => {
    if (error === undefined) await emit({ kind: 'removed', earlier });
    else await emit({ kind: 'deleting failed', earlier, isGone: true, error });
  };
  await deleteMatchingMemories(context, gone, { check, settle });
  for (const one of left) await emit({ kind: 'left', ...one });
}

/** Under which ids the run has the content of a memory whose file is gone: a file that was renamed is new and gone. */
function copiesOf(memory: Memory | undefined, versions: Versions): readonly string[] {
  // What retrieval does not find is not lost with its memory.
  if (memory === undefined || memory.processingStatus === ProcessingStatus.FAILED) return [];
  return versions.copiesOf(memory.originalContentSha256);
}

function unfitCopy(memory: Memory | undefined, versions: Versions): LeftWhy | undefined {
  if (memory === undefined || copiesOf(memory, versions).length === 0) return undefined;
  const fitness = versions.fitnessOfCopies(memory.originalContentSha256);
  return fitness === 'fit' ? undefined : fitness;
}
