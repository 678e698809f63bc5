import { existsSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);

/** A file of the build, by its path below `dist`: threads and child processes run compiled code, as in production. */
export function built(path: string): URL {
  const url = new URL(`dist/${path}`, ROOT);
  if (!existsSync(url)) throw new Error(`dist/${path} is missing: run "npm run build" first ("npm test" does).`);
  return url;
}

/** A module, by its path below `src`, for processes that are started with `SOURCES`: the build has no files of single modules. */
export function source(path: string): string {
  return new URL(`src/${path}`, ROOT).href;
}

/** Flags of Node with which code that is given as an argument can import modules of `src`. */
export const SOURCES: readonly string[] = ['--import', import.meta.resolve('tsx'), '--input-type=module'];
