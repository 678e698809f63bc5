import type { RecentFigures, RecentStatistics } from '../service/system/status.ts';

/** Records durations. Names must be of a bounded set: each takes 10 kB. */
export interface RecentRecorder {
  request(operation: string, durationMs: number, ok: boolean): void;
  stage(stage: string, durationMs: number, ok: boolean): void;
}

/** `now` is a clock in milliseconds that never goes back. */
export function createRecentStatistics(now: () => number = () => performance.now()): RecentStatistics & RecentRecorder {
  const requests = new Map<string, LatencyWindow>();
  const stages = new Map<string, LatencyWindow>();
  return {
    request: (operation, durationMs, ok) => windowOf(requests, operation).add(durationMs, ok, now()),
    stage: (stage, durationMs, ok) => windowOf(stages, stage).add(durationMs, ok, now()),
    requests: () => figuresOf(requests, now()),
    stages: () => figuresOf(stages, now()),
  };
}

function windowOf(windows: Map<string, LatencyWindow>, name: string): LatencyWindow {
  const known = windows.get(name) ?? new LatencyWindow();
  windows.set(name, known);
  return known;
}

function figuresOf(windows: ReadonlyMap<string, LatencyWindow>, nowMs: number): Record<string, RecentFigures> {
  const entries = [...windows].flatMap(([name, window]) => {
    const figures = window.figures(nowMs);
    return figures === undefined ? [] : [[name, figures] as const];
  });
  return Object.fromEntries(entries);
}

const SLICE_MS = 5000;
/** The current slice is still filling, so that the window is 55 to 60 seconds long. */
const SLICES = 12;

/** Times from 10 µs to 22 minutes; what is outside counts as the first or the last of them. */
const SHORTEST_MS = 0.01;
const OCTAVES = 27;
/** A time is told as the middle of its bucket, which is off by at most 2^(1/16) − 1 = 4.4 %. */
const BUCKETS_PER_OCTAVE = 8;
const BUCKETS = OCTAVES * BUCKETS_PER_OCTAVE;

interface Slice {
  /** Which five seconds of the clock these are. */
  number: number;
  count: number;
  errors: number;
  buckets: Uint32Array;
}

/**
 * How often and how fast something happened in the last minute. Takes 10 kB however often it happens: times are kept
 * in buckets of logarithmic width.
 */
class LatencyWindow {
  readonly #slices: Slice[] = [];

  /** `nowMs` never goes back. */
  add(durationMs: number, ok: boolean, nowMs: number): void {
    const slice = this.#sliceAt(Math.floor(nowMs / SLICE_MS));
    const bucket = bucketOf(durationMs);
    slice.count += 1;
    if (!ok) slice.errors += 1;
    slice.buckets[bucket] = (slice.buckets[bucket] ?? 0) + 1;
  }

  /** Undefined when nothing happened. */
  figures(nowMs: number): RecentFigures | undefined {
    const oldest = Math.floor(nowMs / SLICE_MS) - SLICES + 1;
    const slices = this.#slices.filter(({ number }) => number >= oldest);
    const count = slices.reduce((sum, slice) => sum + slice.count, 0);
    if (count === 0) return undefined;
    const errors = slices.reduce((sum, slice) => sum + slice.errors, 0);
    const quantile = (share: number) => timeAt(slices, Math.ceil(share * count));
    return { count, errors, p50Ms: quantile(0.5), p99Ms: quantile(0.99) };
  }

  #sliceAt(number: number): Slice {
    const place = number % SLICES;
    const known = this.#slices.find((slice) => slice.number % SLICES === place);
    if (known === undefined) {
      const slice = { number, count: 0, errors: 0, buckets: new Uint32Array(BUCKETS) };
      this.#slices.push(slice);
      return slice;
    }
    if (known.number !== number) {
      Object.assign(known, { number, count: 0, errors: 0 });
      known.buckets.fill(0);
    }
    return known;
  }
}

function bucketOf(durationMs: number): number {
  const bucket = Math.floor(Math.log2(durationMs / SHORTEST_MS) * BUCKETS_PER_OCTAVE);
  // Of zero the logarithm is minus infinity.
  return Math.min(Math.max(bucket, 0), BUCKETS - 1);
}

/** The time that stands at this place, counted from 1, when all are sorted. */
function timeAt(slices: readonly Slice[], rank: number): number {
  let passed = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    for (const { buckets } of slices) passed += buckets[bucket] ?? 0;
    if (passed >= rank) return middleOf(bucket);
  }
  return middleOf(BUCKETS - 1);
}

/** To four digits: more would claim an accuracy that the buckets do not have. */
function middleOf(bucket: number): number {
  return Number((SHORTEST_MS * 2 ** ((bucket + 0.5) / BUCKETS_PER_OCTAVE)).toPrecision(4));
}
