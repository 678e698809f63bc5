import { writeSync } from 'node:fs';
import { packageVersion } from '../shared/package-root.ts';

/** The entry of `bin/svc.js`. */
export async function main(argv: readonly string[]): Promise<void> {
  // The user cannot act on a deprecation inside a library.
  process.noDeprecation = true;
  const words = argv.slice(2);
  if (words.length === 1 && words[0] === '--version' && tellVersion()) return;
  const { runProcess } = await import('./process.ts');
  await runProcess(words);
}

/**
 * Scripts ask for the version often: it is told without the parser, the records, and the streams of Node. False when it was not
 * written, which the long way tries again and tells.
 */
function tellVersion(): boolean {
  try {
    writeSync(1, `${packageVersion()}\n`);
    return true;
  } catch {
    return false;
  }
}
