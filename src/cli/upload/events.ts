import type { ServiceError } from '../../shared/errors.ts';
import type { Memory } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Pause } from '../bulk/gate.ts';
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

/** Everything that happens in the course of an upload, for whoever tells people or programs about it. */
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
  | { kind: 'replaced' | 'would replace'; earlier: Earlier }
  /** An earlier version stays, because what is to replace it cannot be found yet, or never. */
  | { kind: 'kept'; earlier: Earlier; why: 'not processed yet' | 'failed' }
  /** Of a file that is gone. `left`: nobody has agreed to delete it. */
  | { kind: 'removed' | 'would remove' | 'left'; earlier: Earlier }
  | { kind: 'deleting failed'; path: string; error: unknown };

/** Ends when it has been told: slow output slows the upload. */
export type Emit = (event: UploadEvent) => Promise<void>;
