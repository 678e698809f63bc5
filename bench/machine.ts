import { cpus, loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

const SAMPLE_MS = 500;

/** How busy the machine is while the bench does nothing. */
interface Busyness {
  /** Of all cores, what other work uses, or what the service still does in the background: 0 to 1. */
  share: number;
  /** Load average of the last minute. */
  load: number;
}

export async function busyness(): Promise<Busyness> {
  const before = cpuTimes();
  await sleep(SAMPLE_MS);
  const after = cpuTimes();
  return { share: (after.busy - before.busy) / (after.all - before.all), load: loadavg()[0] ?? Number.NaN };
}

function cpuTimes(): { busy: number; all: number } {
  let [busy, all] = [0, 0];
  for (const { times } of cpus()) {
    const total = Object.values(times).reduce((sum, time) => sum + time, 0);
    all += total;
    busy += total - times.idle;
  }
  return { busy, all };
}

/** The machine and its programs in one line. */
export async function describeMachine(databaseUrl: string): Promise<string> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ server: string; vector: string }>(
    `select current_setting('server_version') as server,
      (select default_version from pg_available_extensions where name = 'vector') as vector`,
  );
  await client.end();
  const [versions] = rows;
  const server = versions?.server.split(' ')[0];
  return `${cpus().length} cores, Node.js ${process.versions.node}, PostgreSQL ${server}, pgvector ${versions?.vector}`;
}

export function describeBusyness(before: Busyness, after: Busyness): string {
  const percent = ({ share }: Busyness) => `${Math.round(share * 100)} %`;
  const loads = `load average ${before.load.toFixed(1)} and ${after.load.toFixed(1)}`;
  return `while the bench waited, the cores were busy by ${percent(before)} before and by ${percent(after)} after, ${loads}`;
}
