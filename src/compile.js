// @ts-check
// Runs commands, and keeps beside the files of the program what V8 has compiled of them meanwhile: `bin/svc.js` begins with that
// where Node.js keeps no compiled code by itself.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import vm from 'node:vm';

const root = fileURLToPath(new URL('..', import.meta.url));
const BINARY = '../bin/svc.js';
const PROGRAM = '../dist/cli/main.cjs';
/** An address where nothing answers: what comes before an answer is the same for all calls. */
const NOWHERE = '127.0.0.1:1';
/** It takes a second. Where no connection to loopback is possible it would wait for ever. */
const TIMEOUT_MS = 120_000;
/** Less source, in bytes, is compiled in no more time than it takes to read what was kept of it. */
const WORTH_KEEPING = 16_384;

/**
 * By the path of the file in the package.
 * @type {Map<string, vm.Script>}
 */
const scripts = new Map();

/** Remembers the scripts of the program. */
class KeptScript extends vm.Script {
  /** @param {string} code @param {vm.ScriptOptions & { filename: string }} options */
  constructor(code, options) {
    super(code, options);
    scripts.set(options.filename, this);
  }
}

async function compile() {
  const require = createRequire(import.meta.url);
  Object.assign(vm, { Script: KeptScript });
  process.argv.splice(2, 1, '--help');
  /** @type {{ checksumOf(source: Buffer, compiled: Buffer): number }} */
  const { checksumOf } = require(BINARY);
  /** @type {{ main(argv: readonly string[]): Promise<void> }} */
  const { main } = require(PROGRAM);
  /** @param {string[]} words */
  const run = (...words) => main(['node', 'svc', ...words]);
  await run('spaces', 'list', '--server', NOWHERE, '--tls', 'plaintext', '--api-key', 'none');
  // A server is at its end as soon as it asks for a database.
  const database = createServer((socket) => socket.destroy());
  // A second signal ends a server at once, and this with it.
  database.once('connection', () => process.kill(process.pid, 'SIGTERM'));
  await once(database.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (database.address());
  const url = `postgresql://nobody@127.0.0.1:${port}/none`;
  await run(
    'serve',
    '--db-url',
    url,
    '--db-password',
    'none',
    '--host',
    '127.0.0.1',
    '--rest-port',
    '0',
    '--grpc-port',
    '0',
  );
  for (const [name, script] of scripts) {
    const source = readFileSync(join(root, name));
    if (source.length < WORTH_KEEPING) continue;
    const compiled = script.createCachedData();
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(checksumOf(source, compiled));
    writeFileSync(join(root, `${name}.v8`), Buffer.concat([compiled, checksum]));
  }
  process.exit(0);
}

if (process.argv.includes('--here')) {
  await compile();
} else if (!('enableCompileCache' in module)) {
  const home = mkdtempSync(join(tmpdir(), 'svc-compile-'));
  // Commands write, and read what the environment names.
  const options = { env: { HOME: home }, stdio: /** @type {const} */ ('ignore'), timeout: TIMEOUT_MS };
  const { status, signal } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--here'], options);
  rmSync(home, { recursive: true });
  if (status !== 0)
    throw new Error(`The program could not be compiled: node src/compile.js --here ended with ${status ?? signal}`);
}
