import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';

const SCRIPT = fileURLToPath(new URL('postgres17', import.meta.url));
const ROOT = process.env.SVC_PG_ROOT ?? '/opt/svc-postgres17';

/** Whether a cluster of its own can be started: where not, that is said; in CI it is a failure. */
export function hasOwnPostgres(): boolean {
  if (process.getuid?.() === 0 && existsSync(`${ROOT}/usr/lib/postgresql/17/bin/postgres`)) return true;
  if (process.env.SVC_TEST_TOOLS === 'required')
    throw new Error('there is no PostgreSQL: run test/support/postgres17 up');
  console.warn('There is no PostgreSQL to start (test/support/postgres17 up installs one): its tests are left out');
  return false;
}

/** A PostgreSQL server of one test, whose processes may be stopped and continued. */
export interface OwnPostgres {
  /** Flags of `svc serve` that make it use the empty database of this server. */
  readonly serverFlags: string[];
  /** The process that starts the others, and then those that there are now. */
  processes(): [postmaster: number, ...others: number[]];
  /** The rows of a statement, over a connection that ends with it. */
  query(text: string): Promise<object[]>;
  /** Ends the server and deletes its data. */
  drop(): Promise<void>;
}

export async function startOwnPostgres(): Promise<OwnPostgres> {
  const port = await freePort();
  const name = `own-${process.pid}-${port}`;
  const env = { ...process.env, SVC_PG_ROOT: ROOT, SVC_PG_NAME: name, SVC_PG_PORT: String(port) };
  const run = (command: string) => promisify(execFile)(SCRIPT, [command], { env });
  await run('up');
  return {
    serverFlags: [
      ...['--db-url', `postgresql://127.0.0.1:${port}/postgres?sslmode=disable`],
      ...['--db-user', 'postgres', '--db-password', 'not-looked-at'],
    ],
    processes() {
      const [pid = ''] = readFileSync(`${ROOT}/var/lib/postgresql/${name}/postmaster.pid`, 'utf8').split('\n');
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
      return [Number(pid), ...children.map(Number)];
    },
    async query(text) {
      const client = new pg.Client({ connectionString: `postgresql://postgres@127.0.0.1:${port}/postgres` });
      await client.connect();
      try {
        return (await client.query<object>(text)).rows;
      } finally {
        await client.end();
      }
    },
    drop: async () => void (await run('wipe')),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
}
