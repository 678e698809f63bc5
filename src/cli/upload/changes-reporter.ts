import { ProcessingStatusSchema } from '../../shared/gen/service/v1/memory_pb.ts';
import { pauseText } from '../bulk/gate.ts';
import type { Io } from '../io.ts';
import { failureJson } from '../render/failure.ts';
import { indentJson } from '../render/indent-json.ts';
import { enumText } from '../render/values.ts';
import type { UploadEvent } from './events.ts';
import type { JsonReporterOptions } from './json-reporter.ts';
import { noteOfOutcome, noteOfVersions } from './lines-reporter.ts';
import type { Reporter } from './reporter.ts';
import { type Ending, summaryLines } from './summary.ts';
import type { FileFailure } from './tally.ts';

/** A change of the space. What is unchanged is not told. */
interface Change {
  action: 'upload' | 'delete' | 'leave';
  path: string;
  memoryId: string;
  /** Of a delete or leave: what has happened to the file. */
  why?: 'changed' | 'gone';
  bytes?: number;
  /** Once it was waited for. */
  processingStatus?: string;
}

/** An object for each change that a sync makes, or would make; failures are error lines on stderr. */
export class ChangesReporter implements Reporter {
  readonly #io: Pick<Io, 'stdout' | 'stderr' | 'records'>;
  readonly #options: JsonReporterOptions;
  readonly #items: string[] = [];
  /** Uploads whose processing is waited for, by memory id. */
  readonly #unprocessed = new Map<string, Change>();

  constructor(io: Pick<Io, 'stdout' | 'stderr' | 'records'>, options: JsonReporterOptions) {
    this.#io = io;
    this.#options = options;
  }

  async event(event: UploadEvent, failure: FileFailure | undefined): Promise<void> {
    const note = noteOf(event);
    if (note !== undefined) await this.#io.stderr.write(`${note}\n`);
    if (event.kind === 'outcome') await this.#outcome(event);
    if (event.kind === 'processed') {
      const { memoryId, processingStatus } = event.memory;
      const change = this.#unprocessed.get(memoryId);
      this.#unprocessed.delete(memoryId);
      if (change !== undefined)
        await this.#write({ ...change, processingStatus: enumText(ProcessingStatusSchema, processingStatus) });
    }
    const change = deletionOf(event);
    if (change !== undefined) await this.#write(change);
    if (failure === undefined) return;
    const { path, why } = failure;
    await this.#io.stderr.write(failureJson({ ...why, message: `${path}: ${why.message}` }));
  }

  async end(ending: Ending): Promise<void> {
    const { stdout, stderr, records } = this.#io;
    for (const change of this.#unprocessed.values()) await this.#write(change);
    if (records === 'json') {
      await stdout.write(this.#items.length === 0 ? '[]\n' : `[\n  ${this.#items.join(',\n  ')}\n]\n`);
    }
    for (const line of summaryLines(this.#options.tally, ending, { failures: false, skipped: false }))
      await stderr.write(`${line}\n`);
  }

  async #outcome({ outcome }: Extract<UploadEvent, { kind: 'outcome' }>): Promise<void> {
    const { kind, path, bytes } = outcome;
    if (kind === 'would upload') {
      return this.#write({ action: 'upload', path, memoryId: outcome.document.memoryId, bytes });
    }
    if (kind !== 'uploaded') return;
    const { memoryId } = outcome.memory;
    const change: Change = { action: 'upload', path, memoryId, bytes };
    if (this.#options.waits) this.#unprocessed.set(memoryId, change);
    else await this.#write(change);
  }

  async #write(change: Change): Promise<void> {
    const json = JSON.stringify(change);
    if (this.#io.records === 'json') this.#items.push(indentJson(json, '  '));
    else await this.#io.stdout.write(`${json}\n`);
  }
}

function noteOf(event: UploadEvent): string | undefined {
  if (event.kind === 'paused') return pauseText(event.pause);
  return event.kind === 'outcome' ? noteOfOutcome(event.outcome) : noteOfVersions(event);
}

function deletionOf(event: UploadEvent): Change | undefined {
  switch (event.kind) {
    case 'replaced':
    case 'would replace':
      return { action: 'delete', ...event.earlier, why: 'changed' };
    case 'removed':
    case 'would remove':
      return { action: 'delete', ...event.earlier, why: 'gone' };
    case 'left':
      return { action: 'leave', ...event.earlier, why: 'gone' };
    default:
      return undefined;
  }
}
