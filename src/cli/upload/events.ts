import type { ServiceError } from '../../shared/errors.ts';
import type { Memory } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Pause } from '../kit/bulk/gate.ts';
import type { Document } from './document.ts';

/** What became of one file. `bytes` are those of the file. */
export type Outcome = { path: string; bytes: number } & (
  | { kind: 'uploaded'; memory: Memory; isConverted: boolean }
  | { kind: 'unchanged'; memory: Memory }
  | { kind: 'would upload'; document: Document }
  | { kind: 'skipped'; reason: string }
  | { kind: 'failed'; error: unknown }
);

/** A memory that gives way: an earlier version of a path of the run, or one of a file that is gone. */
export interface Earlier {
  path: string;
  memoryId: string;
}

/** What makes an upload a sync: the space is to follow a folder. */
export interface Mirror {
  /** The name of the folder, in the metadata of each memory. */
  source: string;
  /** Memories of files that are gone. */
  gone: readonly Earlier[];
  /** They may be deleted. */
  mayDelete: boolean;
  /** Whether the file of a path that was gone is there again. */
  isBack: (path: string) => Promise<boolean>;
}

/** Why memories cannot take the place of others: retrieval does not find them, yet or ever. */
export type Unfit = 'not processed yet' | 'failed' | 'deleted';

/** Why an earlier version stays. `stored later`: than the present one. */
export type KeptWhy = Unfit | 'stored later';

/**
 * Why the memory of a file that is gone stays: its deletion was not confirmed, a file could not be read or stored, the file
 * is there again, or its content has moved to a path where it is unfit.
 */
export type LeftWhy = Unfit | 'not agreed' | 'failures' | 'back';

/** Everything that happens in the course of an upload, for its reporters. */
export type UploadEvent =
  | { kind: 'started'; path: string; bytes: number }
  | { kind: 'outcome'; outcome: Outcome }
  /** What the space has of the files may not be looked at. */
  | { kind: 'unseen'; error: ServiceError }
  | { kind: 'paused'; pause: Pause }
  | { kind: 'resumed' }
  /** The end of the processing of so many memories is waited for. */
  | { kind: 'waiting'; count: number }
  | { kind: 'processing'; path: string; memory: Memory }
  /** COMPLETED, or FAILED with its history. */
  | { kind: 'processed'; path: string; memory: Memory }
  /** It was deleted before its processing was seen to end. */
  | { kind: 'vanished'; path: string; memoryId: string }
  | { kind: 'replaced' | 'would replace'; earlier: Earlier }
  | { kind: 'kept'; earlier: Earlier; why: KeptWhy }
  /** Of a file that is gone. */
  | { kind: 'removed' | 'would remove'; earlier: Earlier }
  | { kind: 'left'; earlier: Earlier; why: LeftWhy }
  | { kind: 'deleting failed'; earlier: Earlier; isGone: boolean; error: unknown };

/** Ends when it has been told: slow output slows the upload. */
export type Emit = (event: UploadEvent) => Promise<void>;
