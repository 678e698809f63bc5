import type { ServiceError } from '../../shared/errors.ts';
import { EXIT } from '../../shared/exit-codes.ts';
import { type Memory, ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import { isWorthRepeating } from '../kit/bulk/gate.ts';
import { type Failure, failureOf } from '../kit/failure.ts';
import { errorOf } from '../kit/output/columns.ts';
import { oneLine } from '../kit/text/printable.ts';
import type { KeptWhy, LeftWhy, Outcome, UploadEvent } from './events.ts';

type Told = Pick<Failure, 'code' | 'message' | 'details'>;

interface Skipped {
  path: string;
  reason: string;
}

export interface FileFailure {
  path: string;
  why: Told;
}

/** What became of the files, in the order and the words of a summary. */
const KINDS: ReadonlyMap<Outcome['kind'], string> = new Map([
  ['uploaded', 'uploaded'],
  ['unchanged', 'unchanged'],
  ['would upload', 'would be uploaded'],
  ['skipped', 'skipped'],
  ['failed', 'failed'],
]);

/** Where an upload stands, counted from its events. */
export class Tally {
  readonly files: number;
  readonly bytes: number;
  done = 0;
  doneBytes = 0;
  sentBytes = 0;
  /** How many memories are waited for; undefined before that. */
  awaited: number | undefined;
  processed = 0;
  converted = 0;
  readonly keptWhy = new Set<KeptWhy>();
  removed = 0;
  wouldRemove = 0;
  /** Memories of files that are gone, and stay. */
  left = 0;
  readonly leftWhy = new Set<LeftWhy>();
  /** Something failed that may not fail again. */
  isWorthRepeating = false;
  /** Why earlier versions were not looked for. */
  unseen: ServiceError | undefined;
  readonly #replaced = new Set<string>();
  readonly #wouldReplace = new Set<string>();
  readonly failures: FileFailure[] = [];
  readonly skipped: Skipped[] = [];
  readonly #counts = new Map<Outcome['kind'], number>();
  #started = 0;
  #exit: number | undefined;

  constructor({ files, bytes }: { files: number; bytes: number }) {
    this.files = files;
    this.bytes = bytes;
  }

  /** The exit code of the first failure, else 0. */
  get exit(): number {
    return this.#exit ?? 0;
  }

  /** Files whose content is in the space. */
  get stored(): number {
    return this.count('uploaded') + this.count('unchanged');
  }

  /** Files whose outcome is unknown: what was sent may be stored though its answer never came. */
  get underWay(): number {
    return Math.max(0, this.#started - this.done);
  }

  count(kind: Outcome['kind']): number {
    return this.#counts.get(kind) ?? 0;
  }

  /** `38 uploaded, 1 unchanged, 1 failed`; "" before anything was done. */
  get counts(): string {
    const known = [...KINDS].filter(([kind]) => this.count(kind) > 0);
    const parts = known.map(([kind, words]) => `${this.count(kind)} ${words}`);
    if (this.#replaced.size > 0) parts.push(`${this.#replaced.size} replaced`);
    if (this.#wouldReplace.size > 0) parts.push(`${this.#wouldReplace.size} would be replaced`);
    if (this.removed > 0) parts.push(`${this.removed} deleted`);
    if (this.wouldRemove > 0) parts.push(`${this.wouldRemove} would be deleted`);
    if (this.left > 0) parts.push(`${this.left} gone`);
    if (this.converted > 0) parts.push(`${this.converted} converted to UTF-8`);
    return parts.join(', ');
  }

  /** Counts the event and returns the failure that it tells of, if any. */
  add(event: UploadEvent): FileFailure | undefined {
    switch (event.kind) {
      case 'started':
        this.#started += 1;
        return undefined;
      case 'outcome':
        return this.#outcome(event.outcome);
      case 'waiting':
        this.awaited = event.count;
        return undefined;
      case 'processed': {
        this.processed += 1;
        const why = processingFailure(event.memory);
        return why === undefined ? undefined : this.#fail(event.path, why, EXIT.failed);
      }
      case 'replaced':
        this.#replaced.add(event.earlier.path);
        return undefined;
      case 'would replace':
        this.#wouldReplace.add(event.earlier.path);
        return undefined;
      case 'kept':
        this.keptWhy.add(event.why);
        return undefined;
      case 'removed':
        this.removed += 1;
        return undefined;
      case 'would remove':
        this.wouldRemove += 1;
        return undefined;
      case 'left':
        this.left += 1;
        this.leftWhy.add(event.why);
        return undefined;
      case 'unseen':
        this.unseen = event.error;
        return undefined;
      case 'vanished': {
        this.processed += 1;
        const message = 'its memory was deleted by another client before it was processed';
        return this.#fail(event.path, { code: 'NOT_FOUND', message, details: '' }, EXIT.noInput);
      }
      case 'deleting failed': {
        const { message, ...failure } = failureOf(event.error);
        this.isWorthRepeating ||= isWorthRepeating(event.error);
        const what = event.isGone ? 'it is gone, and its memory' : 'its earlier version';
        const why = { ...failure, message: `${what} could not be deleted: ${message}` };
        return this.#fail(event.earlier.path, why, failure.exit);
      }
      default:
        return undefined;
    }
  }

  #outcome(outcome: Outcome): FileFailure | undefined {
    const { kind, bytes } = outcome;
    this.done += 1;
    this.doneBytes += bytes;
    this.#counts.set(kind, this.count(kind) + 1);
    if (kind === 'uploaded') this.sentBytes += bytes;
    if (kind === 'uploaded' && outcome.isConverted) this.converted += 1;
    if (kind === 'skipped') this.skipped.push(outcome);
    if (kind !== 'failed') return undefined;
    const failure = failureOf(outcome.error);
    this.isWorthRepeating ||= isWorthRepeating(outcome.error);
    return this.#fail(outcome.path, failure, failure.exit);
  }

  /** The run ends with a failure that all further files would have met too. */
  stop(error: unknown): void {
    this.isWorthRepeating ||= isWorthRepeating(error);
  }

  #fail(path: string, why: Told, exit: number): FileFailure {
    this.#exit ??= exit;
    const failure = { path, why };
    this.failures.push(failure);
    return failure;
  }
}

function processingFailure({ processingStatus, processingHistory, failureReason }: Memory): Told | undefined {
  if (processingStatus !== ProcessingStatus.FAILED) return undefined;
  const message = failureReason || errorOf(processingHistory) || 'processing failed';
  return { code: 'FAILED_PRECONDITION', message, details: '' };
}

export function whyText({ message, details }: Told): string {
  return oneLine([message, details].filter((part) => part !== '').join(': '));
}
