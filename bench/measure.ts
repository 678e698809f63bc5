/** What one round measured, by the heading of its column: `p50 ms`, `QPS`, `recall@10`. */
export type Figures = Readonly<Record<string, number>>;

/** What each contender measured, round by round. */
export type Rounds<Name extends string = string> = Readonly<Record<Name, readonly Figures[]>>;

const ROUNDS = 5;

/**
 * Lets the contenders take turns for so many rounds, so that what else the machine does meets all of them. Every second
 * round goes backwards. A round before the first only warms up; it has the number -1.
 */
export async function interleaved<Name extends string>(
  contenders: Readonly<Record<Name, (round: number) => Promise<Figures>>>,
  rounds = ROUNDS,
): Promise<Rounds<Name>> {
  const names = Object.keys(contenders) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as Figures[]])) as Record<Name, Figures[]>;
  for (let round = -1; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const figures = await contenders[name](round);
      if (round >= 0) measured[name].push(figures);
    }
  }
  return measured;
}

/** One client that calls once with each input, one call after the other. */
export async function timed<T>(inputs: readonly T[], call: (input: T) => Promise<unknown>): Promise<Figures> {
  const times: number[] = [];
  for (const input of inputs) {
    const started = performance.now();
    await call(input);
    times.push(performance.now() - started);
  }
  return latencies(times);
}

/**
 * So many clients at once, each of which calls again as soon as it is answered, for so many milliseconds; inputs are
 * taken in turn. `client ms` is the CPU time that this process itself spends on a call.
 */
export async function loaded<T>(
  { clients, ms }: { clients: number; ms: number },
  inputs: readonly T[],
  call: (input: T) => Promise<unknown>,
): Promise<Figures> {
  const times: number[] = [];
  let calls = 0;
  const cpu = process.cpuUsage();
  const started = performance.now();
  const client = async () => {
    for (let now = performance.now(); now - started < ms; ) {
      const input = inputs[calls % inputs.length] as T;
      calls += 1;
      await call(input);
      const answered = performance.now();
      times.push(answered - now);
      now = answered;
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const elapsed = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  const qps = (times.length / elapsed) * 1000;
  return { ...latencies(times), QPS: qps, 'client ms': (user + system) / 1000 / times.length };
}

/** How many milliseconds something takes for each of so many things. */
export async function elapsed(count: number, unit: string, run: () => Promise<unknown>): Promise<Figures> {
  const started = performance.now();
  await run();
  return { [unit]: (performance.now() - started) / count };
}

/** The p50 and the p99 of milliseconds. */
export function latencies(times: readonly number[]): Figures {
  return { 'p50 ms': percentile(times, 0.5), 'p99 ms': percentile(times, 0.99) };
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Nearest rank. */
function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
