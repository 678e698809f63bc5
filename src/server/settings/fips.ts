import { createHash, getFips, setFips } from 'node:crypto';

/**
 * Puts the crypto library of this process into FIPS mode. Returns what prevents it, undefined when FIPS mode is on.
 * The switch itself proves nothing: without any FIPS provider, Node 20 with OpenSSL 3 sets it, reports it as set, and then
 * fails at the first digest. So one is computed.
 */
export function activateFips(): string | undefined {
  const before = getFips();
  try {
    setFips(true);
    createHash('sha256').update('').digest();
    if (getFips() === 1) return undefined;
  } catch {
    // Answered below: the reason is the same whichever step failed.
  }
  if (before === 0) restore();
  return 'the crypto library of this Node.js has no usable FIPS provider';
}

function restore(): void {
  try {
    setFips(false);
  } catch {
    // A library that refuses both directions was never switched.
  }
}
