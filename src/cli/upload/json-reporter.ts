import { type Memory, MemorySchema } from '../../shared/gen/service/v1/memory_pb.ts';
import { encodeJson } from '../../shared/json/encode.ts';
import { onOneLine } from '../../shared/json/one-line.ts';
import { pauseText } from '../bulk/gate.ts';
import type { Io } from '../io.ts';
import { failureJson } from '../render/failure.ts';
import { indentJson } from '../render/indent-json.ts';
import type { UploadEvent } from './events.ts';
import { noteOfOutcome, noteOfVersions } from './lines-reporter.ts';
import type { Reporter } from './reporter.ts';
import { type Ending, summaryLines } from './summary.ts';
import type { FileFailure, Tally } from './tally.ts';

export interface JsonReporterOptions {
  tally: Tally;
  /** Records wait for the end of processing. */
  waits: boolean;
}

/** A record for each memory in the state in which it is left; failures are error lines on stderr. */
export class JsonReporter implements Reporter {
  readonly #io: Pick<Io, 'stdout' | 'stderr' | 'records'>;
  readonly #options: JsonReporterOptions;
  /** The items of the one array of `-o json`. */
  readonly #items: string[] = [];
  readonly #unprocessed = new Map<string, Memory>();

  constructor(io: Pick<Io, 'stdout' | 'stderr' | 'records'>, options: JsonReporterOptions) {
    this.#io = io;
    this.#options = options;
  }

  async event(event: UploadEvent, failure: FileFailure | undefined): Promise<void> {
    if (event.kind === 'paused') await this.#io.stderr.write(`${pauseText(event.pause)}\n`);
    if (event.kind === 'would replace') await this.#write(JSON.stringify({ action: 'delete', ...event.earlier }));
    if (event.kind === 'outcome') await this.#outcome(event);
    const note = noteOfVersions(event);
    if (note !== undefined) await this.#io.stderr.write(`${note}\n`);
    // Without waits it is waited for what replaces something, whose record is written.
    if (event.kind === 'processed' && this.#options.waits) {
      this.#unprocessed.delete(event.memory.memoryId);
      await this.#record(event.memory);
    }
    if (failure === undefined) return;
    const { path, why } = failure;
    await this.#io.stderr.write(failureJson({ ...why, message: `${path}: ${why.message}` }));
  }

  async end(ending: Ending): Promise<void> {
    const { stdout, stderr, records } = this.#io;
    for (const memory of this.#unprocessed.values()) await this.#record(memory);
    if (records === 'json') {
      await stdout.write(this.#items.length === 0 ? '[]\n' : `[\n  ${this.#items.join(',\n  ')}\n]\n`);
    }
    for (const line of summaryLines(this.#options.tally, ending, { failures: false, skipped: false }))
      await stderr.write(`${line}\n`);
  }

  async #outcome({ outcome }: Extract<UploadEvent, { kind: 'outcome' }>): Promise<void> {
    const { kind, path, bytes } = outcome;
    const note = noteOfOutcome(outcome);
    if (note !== undefined) await this.#io.stderr.write(`${note}\n`);
    if (kind === 'would upload') {
      const { memoryId, contentType } = outcome.document;
      return this.#write(JSON.stringify({ action: 'upload', memoryId, path, contentType, bytes }));
    }
    if (kind === 'skipped' || kind === 'failed') return;
    if (this.#options.waits) this.#unprocessed.set(outcome.memory.memoryId, outcome.memory);
    else await this.#record(outcome.memory);
  }

  #record(memory: Memory): Promise<void> {
    return this.#write(encodeJson(MemorySchema, memory));
  }

  async #write(json: string): Promise<void> {
    if (this.#io.records === 'json') this.#items.push(indentJson(json, '  '));
    else await this.#io.stdout.write(`${onOneLine(json)}\n`);
  }
}
