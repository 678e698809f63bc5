import { type Memory, MemorySchema, ProcessingStatusSchema } from '../../shared/gen/service/v1/memory_pb.ts';
import { encodeJson } from '../../shared/json/encode.ts';
import { onOneLine } from '../../shared/text.ts';
import { pauseText } from '../kit/bulk/gate.ts';
import { failureJson } from '../kit/failure.ts';
import { enumText } from '../kit/output/columns.ts';
import type { Io } from '../kit/output/io.ts';
import { indentJson } from '../kit/text/json-text.ts';
import type { LeftWhy, Outcome, UploadEvent } from './events.ts';
import { noteOfOutcome, noteOfVersions } from './lines.ts';
import { outcomeLines, type Reporter, type RunEnding } from './reporter.ts';
import type { FileFailure, Tally } from './tally.ts';

/**
 * The JSON text of the object that an event is written as; undefined where it is not written. Of a file whose processing
 * was waited for it is asked once that is over, with the memory as it is then.
 */
type RowOf = (event: UploadEvent, processed?: Memory) => string | undefined;

interface JsonReporterOptions {
  tally: Tally;
  /** What is stored is written at the end of its processing. */
  waits: boolean;
  rowOf: RowOf;
}

/** Writes an object for each event that has a row; failures are error lines on stderr. */
export class JsonReporter implements Reporter {
  readonly #io: Pick<Io, 'stdout' | 'stderr' | 'records'>;
  readonly #options: JsonReporterOptions;
  /** The items of the one array of `-o json`. */
  readonly #items: string[] = [];
  /** What is stored and not processed yet, by memory id. */
  readonly #unprocessed = new Map<string, UploadEvent>();

  constructor(io: Pick<Io, 'stdout' | 'stderr' | 'records'>, options: JsonReporterOptions) {
    this.#io = io;
    this.#options = options;
  }

  async event(event: UploadEvent, failure: FileFailure | undefined): Promise<void> {
    const note = noteOf(event);
    if (note !== undefined) await this.#io.stderr.write(`${note}\n`);
    await this.#row(event);
    if (failure === undefined) return;
    const { path, why } = failure;
    await this.#io.stderr.write(failureJson({ ...why, message: `${path}: ${why.message}` }));
  }

  async end(ending: RunEnding): Promise<void> {
    const { stdout, stderr, records } = this.#io;
    const { rowOf, tally } = this.#options;
    for (const event of this.#unprocessed.values()) await this.#write(rowOf(event));
    if (records === 'json') {
      await stdout.write(this.#items.length === 0 ? '[]\n' : `[\n  ${this.#items.join(',\n  ')}\n]\n`);
    }
    for (const line of outcomeLines(tally, ending, { failures: false, untold: false })) await stderr.write(`${line}\n`);
  }

  async #row(event: UploadEvent): Promise<void> {
    const { rowOf, waits } = this.#options;
    if (event.kind === 'vanished') this.#unprocessed.delete(event.memoryId);
    if (event.kind === 'processed') {
      const { memory } = event;
      const stored = this.#unprocessed.get(memory.memoryId);
      this.#unprocessed.delete(memory.memoryId);
      // Without waits it is waited for what replaces something, whose row is written.
      return stored && this.#write(rowOf(stored, memory));
    }
    const memory = waits ? storedBy(event) : undefined;
    if (memory === undefined) await this.#write(rowOf(event));
    else this.#unprocessed.set(memory.memoryId, event);
  }

  async #write(json: string | undefined): Promise<void> {
    if (json === undefined) return;
    if (this.#io.records === 'json') this.#items.push(indentJson(json, '  '));
    else await this.#io.stdout.write(`${onOneLine(json)}\n`);
  }
}

function noteOf(event: UploadEvent): string | undefined {
  if (event.kind === 'paused') return pauseText(event.pause);
  return event.kind === 'outcome' ? noteOfOutcome(event.outcome) : noteOfVersions(event);
}

function storedBy(event: UploadEvent): Memory | undefined {
  return event.kind === 'outcome' && 'memory' in event.outcome ? event.outcome.memory : undefined;
}

/** Of an upload: the record of each memory in the state in which it is left, and with --dry-run what would be done. */
export function recordRow(event: UploadEvent, processed?: Memory): string | undefined {
  if (event.kind === 'would replace') return JSON.stringify({ action: 'delete', ...event.earlier });
  if (event.kind !== 'outcome') return undefined;
  const { outcome } = event;
  if (outcome.kind === 'would upload') {
    const { path, bytes } = outcome;
    const { memoryId, contentType } = outcome.document;
    return JSON.stringify({ action: 'upload', memoryId, path, contentType, bytes });
  }
  return 'memory' in outcome ? encodeJson(MemorySchema, processed ?? outcome.memory) : undefined;
}

/** A change of the space. What is unchanged is not told. */
interface Change {
  action: 'upload' | 'delete' | 'leave';
  path: string;
  memoryId: string;
  /** Of a delete or leave: what has happened to the file. */
  why?: 'changed' | 'gone';
  /** Of a leave. */
  because?: LeftWhy;
  bytes?: number;
  /** Once it was waited for. */
  processingStatus?: string;
}

/** Of a sync: a change that it makes, or with --dry-run would make. */
export function changeRow(event: UploadEvent, processed?: Memory): string | undefined {
  const change = event.kind === 'outcome' ? uploadOf(event.outcome, processed) : deletionOf(event);
  return change && JSON.stringify(change);
}

function uploadOf(outcome: Outcome, processed: Memory | undefined): Change | undefined {
  const { kind, path, bytes } = outcome;
  if (kind === 'would upload') return { action: 'upload', path, memoryId: outcome.document.memoryId, bytes };
  if (kind !== 'uploaded') return undefined;
  const change: Change = { action: 'upload', path, memoryId: outcome.memory.memoryId, bytes };
  if (processed === undefined) return change;
  return { ...change, processingStatus: enumText(ProcessingStatusSchema, processed.processingStatus) };
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
      return { action: 'leave', ...event.earlier, why: 'gone', because: event.why };
    default:
      return undefined;
  }
}
