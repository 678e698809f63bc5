import { onOneLine } from '../../shared/text.ts';
import type { Io } from '../kit/output/io.ts';
import { ProgressLine } from '../kit/output/progress.ts';
import { rowsText } from '../kit/output/rows.ts';
import type { Column } from '../kit/output/table.ts';
import { indentJson } from '../kit/text/json-text.ts';
import type { Question } from './questions.ts';

interface Result {
  question: Question;
  score: Score;
}

const COLUMNS: readonly Column<Result>[] = [
  { header: 'LINE', value: ({ question }) => String(question.line), align: 'right', whole: true },
  { header: 'QUESTION', value: ({ question }) => question.question },
  {
    header: 'HITS',
    value: ({ question, score }) => `${score.hits} of ${question.memoryIds.length}`,
    align: 'right',
    whole: true,
  },
  { header: 'FIRST RANK', value: ({ score }) => String(score.firstRank ?? '-'), align: 'right', whole: true },
];

/** Tells how the questions fare: a row for each and the totals. */
export class EvalReport {
  readonly #io: Io;
  readonly #k: number;
  readonly #total: number;
  /** By the place of the question in the file; those that are not known yet are missing. */
  readonly #results: Result[] = [];
  #count = 0;
  #written = 0;
  readonly #progress: ProgressLine;

  constructor(io: Io, { k, total }: { k: number; total: number }) {
    this.#io = io;
    this.#k = k;
    this.#total = total;
    this.#progress = new ProgressLine(io);
  }

  /** A question has been asked; `index` is its place in the file. Rows are written in that order. */
  async result(index: number, result: Result): Promise<void> {
    this.#results[index] = result;
    this.#count += 1;
    if (this.#io.records === 'ndjson') return this.#writeNext();
    const { recall, mrr } = this.#totals();
    const done = `${this.#count} of ${this.#total} questions`;
    await this.#progress.show(`${done}  recall@${this.#k} ${recall.toFixed(3)}  MRR ${mrr.toFixed(3)}`);
  }

  /** Nothing happens for a while. */
  async pause(why: string): Promise<void> {
    await this.#progress.show(`${this.#count} of ${this.#total} questions  ${why}`);
  }

  /** What is known by now; also after Ctrl-C, when that is less than all. */
  async end(): Promise<void> {
    const { stdout, records } = this.#io;
    await this.#progress.clear();
    if (this.#count === 0) return;
    const totals = this.#totals();
    const results = this.#known();
    if (records === 'ndjson') return stdout.write(`${onOneLine(JSON.stringify({ totals }))}\n`);
    if (records === 'json') {
      const json = JSON.stringify({ questions: results.map(rowOf), totals });
      return stdout.write(`${indentJson(json)}\n`);
    }
    await stdout.write(`${rowsText(this.#io, COLUMNS, results)}\n${totalsText(totals)}\n`);
  }

  async #writeNext(): Promise<void> {
    for (;;) {
      const next = this.#results[this.#written];
      if (next === undefined) return;
      this.#written += 1;
      await this.#io.stdout.write(`${onOneLine(JSON.stringify(rowOf(next)))}\n`);
    }
  }

  #known(): Result[] {
    return this.#results.filter((result) => result !== undefined);
  }

  #totals(): TotalsRow {
    const { recall, mrr } = totalsOf(this.#known().map(({ score }) => score));
    return { questions: this.#count, of: this.#total, k: this.#k, recall, mrr };
  }
}

interface TotalsRow {
  /** How many have been asked. */
  questions: number;
  /** How many there are. */
  of: number;
  k: number;
  recall: number;
  mrr: number;
}

function totalsText({ questions, of, k, recall, mrr }: TotalsRow): string {
  const count = questions === of ? `${of}` : `${questions} of ${of}`;
  return `recall@${k} ${recall.toFixed(3)}  MRR ${mrr.toFixed(3)}  questions ${count}`;
}

function rowOf({ question: { line, question, memoryIds }, score: { hits, recall, firstRank } }: Result) {
  return { line, question, expected: memoryIds.length, hits, recall, firstRank: firstRank ?? null };
}

/** How one question fared. */
interface Score {
  /** How many of the memories that ought to be found are among the first k. */
  hits: number;
  /** The share of them, 0 to 1. */
  recall: number;
  /** Where the first of them stands, from 1; undefined when none is among the first k. */
  firstRank: number | undefined;
}

/** The means over all questions, each 0 to 1. */
interface Totals {
  recall: number;
  mrr: number;
}

/**
 * Recall is the share of the relevant documents that is retrieved, here among the first k
 * (Manning, Raghavan and Schütze, Introduction to Information Retrieval, 2008, formula 8.2 and section 8.4).
 *
 * @param ranked Ids of memories, best first, each once.
 * @param relevant Ids that ought to be found; at least one.
 */
export function scoreOf(ranked: readonly string[], relevant: readonly string[], k: number): Score {
  const wanted = new Set(relevant);
  const first = ranked.slice(0, k);
  const hits = first.filter((id) => wanted.has(id)).length;
  const at = first.findIndex((id) => wanted.has(id));
  return { hits, recall: hits / wanted.size, firstRank: at === -1 ? undefined : at + 1 };
}

/**
 * Recall is averaged over the questions, so that one with many memories counts no more than one with a single one. The mean
 * reciprocal rank is the mean of 1 / rank of the first relevant result, 0 where there is none
 * (Voorhees, The TREC-8 Question Answering Track Report, 1999, section 3.1).
 */
export function totalsOf(scores: readonly Score[]): Totals {
  const mean = (value: (score: Score) => number): number =>
    scores.length === 0 ? 0 : scores.reduce((sum, score) => sum + value(score), 0) / scores.length;
  return {
    recall: mean(({ recall }) => recall),
    mrr: mean(({ firstRank }) => (firstRank === undefined ? 0 : 1 / firstRank)),
  };
}
