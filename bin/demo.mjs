// The main job from start to end, with the commands that a person would type: a server on the embedded database, a
// space, this project's own texts in it, three questions. Everything is temporary and on loopback.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const svc = fileURLToPath(new URL('./svc.js', import.meta.url));
const started = performance.now();
const directory = mkdtempSync(join(tmpdir(), 'svc-demo-'));

const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(SERVICE_|SVC_|DB_|BACKGROUND_DB_|GRPC_)/.test(name)),
);

/** @param {string} line */
function say(line) {
  process.stdout.write(`${line}\n`);
}

/** Starts the server and waits until it is ready; gives its process and the address of its gRPC port. */
async function serve() {
  const flags = ['--embedded', '--data-dir', join(directory, 'data'), '--rest-port', '0', '--grpc-port', '0'];
  say(`$ svc serve ${flags.join(' ')}`);
  const server = spawn(process.execPath, [svc, 'serve', ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: environment,
  });
  const log = [];
  for await (const line of createInterface({ input: server.stderr })) {
    log.push(line);
    const entry = JSON.parse(line);
    if (entry.msg === 'ready') {
      server.stderr.resume();
      say(`  ready after ${seconds()} s: REST ${entry.rest}, gRPC ${entry.grpc}\n`);
      return { server, address: entry.grpc };
    }
  }
  throw new Error(`the server did not start:\n${log.join('\n')}`);
}

/**
 * Runs one command of the client and shows it with what it prints, or gives its output when it is to be quiet.
 * @param {string[]} args
 * @param {{ key?: string, quiet?: boolean }} [options]
 */
function run(args, { key, quiet = false } = {}) {
  say(`$ svc ${args.map((arg) => (/\s/.test(arg) ? `'${arg}'` : arg)).join(' ')}`);
  const result = spawnSync(process.execPath, [svc, ...args], {
    cwd: root,
    encoding: 'utf8',
    // Shown as it is: on a terminal the commands know its width and their colors.
    stdio: ['ignore', quiet ? 'pipe' : 'inherit', 'pipe'],
    // The self-signed certificate of a demo is expected: verification is told to be off instead of failing first.
    env: {
      ...environment,
      SVC_SERVER: address,
      SVC_TLS: 'insecure',
      ...(key === undefined ? {} : { SVC_API_KEY: key }),
    },
  });
  if (result.status !== 0) throw new Error(`svc ${args[0]} ended with ${result.status}:\n${result.stderr}`);
  if (!quiet) say('');
  return quiet ? result.stdout.trim() : '';
}

function seconds() {
  return ((performance.now() - started) / 1000).toFixed(1);
}

let address = '';
let exitCode = 0;
let stop = async () => {};
try {
  const running = await serve();
  address = running.address;
  stop = async () => {
    const ended = once(running.server, 'exit');
    running.server.kill('SIGTERM');
    const [code] = await ended;
    say(`The server drained and ended with ${code} after ${seconds()} s.`);
    if (code !== 0) exitCode = 1;
  };
  const key = run(['init'], { quiet: true });
  say(`  ${key.slice(0, 8)}… (the root key; keep it)\n`);
  run(['spaces', 'create', 'demo'], { key });
  const added = run(
    [
      'memories',
      'add',
      'demo',
      'README.md',
      'docs',
      'proto',
      'src/shared/json',
      'src/shared/operations',
      'src/server/settings',
      '--wait',
    ],
    { key, quiet: true },
  );
  const files = added.split('\n').length;
  say(`  ${files} files are stored, cut into chunks, embedded and ready after ${seconds()} s\n`);
  for (const question of [
    'how do I filter memories by their metadata?',
    'does the embedded database need a model?',
    'may several servers share one database?',
  ]) {
    run(['retrieve', question, '--space', 'demo', '--max-results', '2', '-o', 'table'], { key });
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  exitCode = 1;
} finally {
  await stop();
  rmSync(directory, { recursive: true, force: true });
}
process.exit(exitCode);
