import { readFileSync } from 'node:fs';

/** The package's version, e.g. `1.4.0`. */
export const VERSION: string = readVersion();

function readVersion(): string {
  // Two directories up in src/server as well as in dist/server.
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return (manifest as { version: string }).version;
}
