import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Whether a program of the machine that some tests need is installed. Where it is not, those tests are left out and that
 * is said; with SVC_TEST_TOOLS=required, as CI sets it, a missing one is a failure.
 */
export function hasTool(name: string): boolean {
  const isThere = (process.env.PATH ?? '').split(delimiter).some((directory) => isExecutable(join(directory, name)));
  if (isThere) return true;
  if (process.env.SVC_TEST_TOOLS === 'required') throw new Error(`${name} is not installed, and its tests have to run`);
  console.warn(`${name} is not installed: its tests are left out`);
  return false;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
