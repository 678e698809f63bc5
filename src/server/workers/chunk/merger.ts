import { codePointEnds, forEachGrapheme } from '../../../shared/text.ts';
import type { Measure } from './measure.ts';

interface MergerLimits {
  size: number;
  overlap: number;
}

/** Tolerance for the rounding errors of summed interpolated lengths. */
const ROUNDING = 1e-6;

/**
 * Merges adjacent pieces up to the size limit and starts each chunk with as many whole pieces from the end of the previous
 * one as the overlap allows. Pieces must come in the order of the text and without gaps, and each must fit on its own (by
 * `span`). Memory and time per chunk depend on the chunk, not on the text.
 */
export class Merger {
  readonly #text: string;
  readonly #measure: Measure;
  readonly #limits: MergerLimits;
  readonly #emit: (from: number, to: number) => void;
  /** Start of the current chunk, and the ends and lengths of its pieces. */
  #from = 0;
  #ends: number[] = [];
  #lengths: number[] = [];
  #head = 0;
  #total = 0;
  /** End of the last emitted chunk. */
  #emitted = 0;

  constructor(text: string, measure: Measure, limits: MergerLimits, emit: (from: number, to: number) => void) {
    this.#text = text;
    this.#measure = measure;
    this.#limits = limits;
    this.#emit = emit;
  }

  push(end: number): void {
    const length = this.#measure.span(this.#to, end);
    // Most pieces.
    if (this.#count === 0 || this.#total + length <= this.#limits.size + ROUNDING) this.#add(end, length);
    else this.#pushBeyond(end);
  }

  #pushBeyond(end: number): void {
    // A stack with the next piece on top; a chunk that turns out too long returns pieces to it.
    const waiting = [end];
    for (let next = waiting.at(-1); next !== undefined; next = waiting.at(-1)) {
      const length = this.#measure.span(this.#to, next);
      if (this.#count > 0 && this.#total + length > this.#limits.size + ROUNDING) {
        waiting.push(...this.#emitFitting());
        this.#keepOverlap(this.#measure.span(this.#to, waiting.at(-1) ?? next));
      } else {
        waiting.pop();
        this.#add(next, length);
      }
    }
  }

  /** Emits the collected pieces and starts the next chunk after them, without overlap. */
  flush(): void {
    while (this.#to > this.#emitted && this.#count > 0) {
      const rest = this.#emitFitting();
      this.#clear();
      for (const end of rest.reverse()) this.push(end);
    }
    this.#clear();
  }

  get #to(): number {
    return this.#ends.length === 0 ? this.#from : (this.#ends[this.#ends.length - 1] ?? this.#from);
  }

  get #count(): number {
    return this.#ends.length - this.#head;
  }

  #add(end: number, length: number): void {
    this.#ends.push(end);
    this.#lengths.push(length);
    this.#total += length;
  }

  #clear(): void {
    this.#from = this.#to;
    this.#ends = [];
    this.#lengths = [];
    this.#head = 0;
    this.#total = 0;
  }

  /** Drops pieces from the front until the overlap is within its limit and leaves room for a piece of length `room`. */
  #keepOverlap(room: number): void {
    const { size, overlap } = this.#limits;
    const isTooLong = () => this.#total > overlap + ROUNDING || this.#total + room > size + ROUNDING;
    while (this.#count > 0 && isTooLong()) this.#dropHead();
    if (!this.#measure.isExact) {
      while (this.#count > 0 && this.#measure.exact(this.#from, this.#to) > overlap) this.#dropHead();
    }
    if (this.#count === 0) this.#clear();
  }

  #dropHead(): void {
    this.#from = this.#ends[this.#head] ?? this.#from;
    this.#total -= this.#lengths[this.#head] ?? 0;
    this.#head += 1;
    // The front is removed in bulk, since shifting one by one would be quadratic for a long overlap.
    if (this.#head > 1024 && this.#head * 2 > this.#ends.length) {
      this.#ends = this.#ends.slice(this.#head);
      this.#lengths = this.#lengths.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Emits as many pieces as fit by exact length, at least a part of a new one; returns the remaining ends, the last one first. */
  #emitFitting(): number[] {
    const rest: number[] = [];
    if (!this.#measure.isExact) {
      for (let excess = this.#excess(); excess > 0; excess = this.#excess()) {
        if ((this.#ends.at(-2) ?? 0) > this.#emitted && this.#count > 1) this.#popUntil(excess, rest);
        else if (this.#count > 1) this.#dropHead();
        else {
          this.#cutSinglePiece(rest);
          break;
        }
      }
    }
    this.#emit(this.#from, this.#to);
    this.#emitted = this.#to;
    return rest;
  }

  #excess(): number {
    return this.#measure.exact(this.#from, this.#to) - this.#limits.size;
  }

  /** Removes pieces of about `excess` length from the end, but neither overlap nor the first piece. */
  #popUntil(excess: number, rest: number[]): void {
    for (let freed = 0; freed < excess && this.#count > 1 && (this.#ends.at(-2) ?? 0) > this.#emitted; ) {
      const end = this.#ends.pop();
      const length = this.#lengths.pop() ?? 0;
      if (end !== undefined) rest.push(end);
      this.#total -= length;
      freed += Math.max(length, ROUNDING);
    }
  }

  /** Cuts a single piece that is too long by exact length: keeps as many of its characters as fit and returns the rest. */
  #cutSinglePiece(rest: number[]): void {
    const from = this.#from;
    const to = this.#to;
    const cuts: number[] = [];
    forEachGrapheme(this.#text, from, to, (end) => cuts.push(end));
    let fitting = this.#fitting(cuts);
    if (fitting === 0) {
      cuts.splice(0, 1, ...codePointEnds(this.#text, from, cuts[0] ?? to));
      fitting = Math.max(1, this.#fitting(cuts));
    }
    this.#ends = [];
    this.#lengths = [];
    this.#head = 0;
    this.#total = 0;
    for (const end of cuts.slice(0, fitting)) this.#add(end, this.#measure.span(this.#to, end));
    rest.push(...cuts.slice(fitting).reverse());
  }

  /** How many of the cuts fit into the limit. Token counts grow with the slice closely enough for a binary search. */
  #fitting(cuts: readonly number[]): number {
    let low = 0;
    let high = cuts.length;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#measure.exact(this.#from, cuts[middle - 1] ?? this.#from) <= this.#limits.size) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
