/**
 * Makes docs/demo.svg, the recording in the README: a shell in a pseudo-terminal, the real client and a real server on the
 * embedded database. Run it with: npm run record
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startServer } from '../../test/support/server.ts';
import { NOTES } from './notes.ts';
import { Session } from './session.ts';
import { animatedSvg } from './svg.ts';
import { edited } from './timeline.ts';

const BINARY = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));
const TARGET = fileURLToPath(new URL('../demo.svg', import.meta.url));
const COLUMNS = 88;
const ROWS = 26;
/** Shorter than two pictures of a screen that is drawn thirty times a second. */
const SHORTEST_MS = 25;
/** The last picture stands before the film begins again. */
const LAST_MS = 4000;

/** What is typed, and how long its result stays. */
const SCRIPT: readonly (readonly [command: string, hold: number])[] = [
  ['# A server runs: svc serve --embedded', 600],
  ['svc spaces create house', 1800],
  ['svc memories add house notes --wait', 1800],
  ["svc retrieve 'when was the boiler serviced?' --space house --max-results 3", 3500],
  ['svc ping --stream -c 8 -i 300ms', 0],
];

const directory = await mkdtemp(join(tmpdir(), 'svc-record-'));
try {
  const server = await startServer({ databaseFlags: ['--embedded', '--data-dir', join(directory, 'data')] });
  try {
    await writeHome(directory);
    const film = await filmed({
      PATH: `${join(directory, 'bin')}:${process.env.PATH ?? ''}`,
      HOME: directory,
      LANG: 'C.UTF-8',
      SVC_SERVER: server.grpc,
      SVC_API_KEY: await server.init(),
    });
    await writeFile(TARGET, film);
    process.stdout.write(`docs/demo.svg: ${Math.round(film.length / 1000)} kB\n`);
  } finally {
    await server.end();
  }
} finally {
  await rm(directory, { recursive: true, force: true });
}

/** Notes to add, and a `svc` to type. */
async function writeHome(home: string): Promise<void> {
  const [bin, notes] = [join(home, 'bin'), join(home, 'notes')];
  await Promise.all([mkdir(bin), mkdir(notes)]);
  await writeFile(join(bin, 'svc'), `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`, { mode: 0o755 });
  for (const [name, text] of Object.entries(NOTES)) await writeFile(join(notes, name), text);
}

async function filmed(env: Readonly<Record<string, string>>): Promise<string> {
  const session = new Session({ columns: COLUMNS, rows: ROWS, cwd: directory, env });
  try {
    await session.prompted();
    session.rest(500);
    for (const [command, hold] of SCRIPT) await session.run(command, hold);
    const duration = Math.round(session.rest(LAST_MS) - (session.frames[0]?.at ?? 0));
    return animatedSvg({
      title: 'svc in a terminal',
      description:
        'A space is made, notes are added to it, a question is answered from them with scores and file names, and the embedder is probed eight times.',
      columns: COLUMNS,
      rows: ROWS,
      frames: edited(session.frames, SHORTEST_MS),
      duration,
    });
  } finally {
    session.close();
  }
}
