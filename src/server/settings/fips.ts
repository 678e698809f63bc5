import { spawnSync } from 'node:child_process';
import { createHash, getFips, setFips } from 'node:crypto';

/** What keeps FIPS mode off, and what to do about it; phrases without a full stop. */
export interface FipsProblem {
  problem: string;
  remedy: string;
}

/**
 * Tests what the server uses: a digest, random bytes and a worker thread, which Node.js cannot start without random
 * bytes. MD5 has to fail. It runs in a process of its own: `setFips` proves nothing, as Node.js 20 sets FIPS mode and
 * reports it as set even without a provider, and every digest that was used before goes on working.
 */
const PROOF = `
  const { createHash, randomBytes, setFips } = require('node:crypto');
  setFips(true);
  createHash('sha384').update(randomBytes(32)).digest();
  new (require('node:worker_threads').Worker)('', { eval: true });
  try { createHash('md5'); } catch { return; }
  process.exitCode = 1;`;
const PROOF_TIMEOUT_MS = 30_000;

/**
 * Puts the crypto library of this process into FIPS mode, for good. Returns what prevents it; undefined when FIPS mode
 * is on. Must be called before anything else uses the library or even lists its digests.
 */
export function activateFips(): FipsProblem | undefined {
  const { status } = spawnSync(process.execPath, [...providerFlags(), '--eval', `(() => {${PROOF}})()`], {
    stdio: 'ignore',
    timeout: PROOF_TIMEOUT_MS,
  });
  if (status !== 0) {
    return {
      problem: 'the crypto library of this Node.js has no usable FIPS provider',
      remedy: 'set up an OpenSSL FIPS provider (OPENSSL_CONF, OPENSSL_MODULES), or leave FIPS mode off',
    };
  }
  setFips(true);
  if (getFips() === 1 && !isUsable('md5')) return undefined;
  return {
    problem: 'the crypto library was used in this process before FIPS mode was on',
    remedy: 'start Node.js in FIPS mode with NODE_OPTIONS=--force-fips',
  };
}

/** The flags of this process that choose its provider. */
function providerFlags(): string[] {
  return process.execArgv.filter(
    (flag, index, all) => /^--openssl-/.test(flag) || all[index - 1] === '--openssl-config',
  );
}

function isUsable(digest: string): boolean {
  try {
    createHash(digest);
    return true;
  } catch {
    return false;
  }
}
