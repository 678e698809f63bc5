import { type Memory, MemorySchema, ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import { encodeJson } from '../../shared/json/encode.ts';
import { ndjsonLine } from '../../shared/json/ndjson.ts';
import { type Failure, failureOf } from '../failure.ts';
import type { Io } from '../io.ts';
import { cut } from '../render/display-width.ts';
import { failureJson } from '../render/failure.ts';
import { indentJson } from '../render/indent-json.ts';
import { oneLine } from '../render/printable.ts';
import { errorOf } from '../views/memory.ts';
import type { Outcome } from './uploader.ts';

type Told = Pick<Failure, 'code' | 'message' | 'details'>;

function whyOf({ message, details }: Told): string {
  return oneLine([message, details].filter((part) => part !== '').join(': '));
}

/** Tells how an upload goes: a line per file, or one line that is redrawn, and a summary at the end. */
export class UploadReport {
  readonly #io: Io;
  readonly #total: number;
  readonly #counts = new Map<string, number>();
  readonly #failures: string[] = [];
  readonly #records: string[] = [];
  #done = 0;
  #exit: number | undefined;

  constructor(io: Io, total: number) {
    this.#io = io;
    this.#total = total;
  }

  /** A file has been dealt with. */
  async outcome(outcome: Outcome): Promise<void> {
    const { kind, path } = outcome;
    this.#done += 1;
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
    if (kind === 'failed') await this.#fail(path, outcome.error);
    if (kind === 'skipped') await this.#note(`skipped  ${oneLine(path)}: ${outcome.reason}`);
    if (kind === 'would upload') await this.#plan(outcome);
    if (kind === 'uploaded' || kind === 'unchanged') await this.#line(kind, outcome.memory, path);
    await this.#progress(`${this.#done} of ${this.#total}  ${oneLine(path)}`);
  }

  /** A memory in the state in which it is left. A failure of its processing counts when it was waited for. */
  async record(memory: Memory, path: string, { waited }: { waited: boolean }): Promise<void> {
    const { records } = this.#io;
    if (records === 'json') this.#records.push(indentJson(encodeJson(MemorySchema, memory), '  '));
    if (records === 'ndjson') await this.#io.stdout.write(ndjsonLine(MemorySchema, memory));
    if (!waited || memory.processingStatus !== ProcessingStatus.FAILED) return;
    const reason = errorOf(memory.processingHistory) || 'processing failed';
    this.#exit ??= 1;
    await this.#tellFailure(path, { code: 'FAILED_PRECONDITION', message: reason, details: '' });
  }

  async waiting(left: number): Promise<void> {
    await this.#progress(`waiting for ${left} to be processed`);
  }

  /** The summary and the list of failures. Returns the exit code. */
  async end(): Promise<number> {
    const { stdout, stderr, records } = this.#io;
    await this.#clear();
    if (records === 'json') {
      const array = this.#records.length === 0 ? '[]' : `[\n  ${this.#records.join(',\n  ')}\n]`;
      await stdout.write(`${array}\n`);
    }
    const counts = [...this.#counts].map(([kind, count]) => `${count} ${kind}`);
    if (counts.length > 0) await stderr.write(`${counts.join(', ')}\n`);
    else if (this.#total === 0) await stderr.write('No files to upload.\n');
    if (this.#failures.length > 0) {
      await stderr.write(`Failed:\n${this.#failures.map((failure) => `  ${failure}\n`).join('')}`);
    }
    return this.#exit ?? 0;
  }

  async #fail(path: string, error: unknown): Promise<void> {
    const failure = failureOf(error);
    this.#exit ??= failure.exit;
    await this.#tellFailure(path, failure);
    if (!this.#io.isData) await this.#note(`failed  ${oneLine(path)}: ${whyOf(failure)}`);
  }

  /** For programs at once, as an error line; for people in the list at the end. */
  async #tellFailure(path: string, failure: Told): Promise<void> {
    if (!this.#io.isData) this.#failures.push(`${oneLine(path)}: ${whyOf(failure)}`);
    else await this.#io.stderr.write(failureJson({ ...failure, message: `${path}: ${failure.message}` }));
  }

  async #plan({ path, document }: Extract<Outcome, { kind: 'would upload' }>): Promise<void> {
    const { memoryId, contentType, content } = document;
    const json = JSON.stringify({ action: 'upload', memoryId, path, contentType, bytes: content.length });
    if (this.#io.records === 'json') this.#records.push(indentJson(json, '  '));
    else if (this.#io.records === 'ndjson') await this.#io.stdout.write(`${json}\n`);
    else await this.#io.stdout.write(`would upload  ${memoryId}  ${contentType}  ${oneLine(path)}\n`);
  }

  async #line(kind: string, { memoryId, processingStatus }: Memory, path: string): Promise<void> {
    if (this.#io.isData || this.#io.redraws) return;
    const state = processingStatus === ProcessingStatus.FAILED ? '  (its processing has failed)' : '';
    await this.#io.stdout.write(`${kind}  ${memoryId}  ${oneLine(path)}${state}\n`);
  }

  async #note(text: string): Promise<void> {
    await this.#clear();
    await this.#io.stderr.write(`${text}\n`);
  }

  async #progress(text: string): Promise<void> {
    if (!this.#io.redraws) return;
    const width = Number.isFinite(this.#io.width) ? this.#io.width - 1 : 79;
    await this.#io.stderr.write(`\r\u001b[K${cut(text, width)}`);
  }

  async #clear(): Promise<void> {
    if (this.#io.redraws) await this.#io.stderr.write('\r\u001b[K');
  }
}
