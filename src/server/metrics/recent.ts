import type { RecentFigures, RecentStatistics } from '../service/system/status.ts';
import { LatencyWindow } from './latency-window.ts';

/** Takes in what happens. Names must be of a bounded set: each takes 10 kB. */
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
