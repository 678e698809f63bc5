import { existsSync } from 'node:fs';

/** A file of the build, by its path below `dist`: threads and child processes run compiled code, as in production. */
export function built(path: string): URL {
  const url = new URL(`../../dist/${path}`, import.meta.url);
  if (!existsSync(url)) throw new Error(`dist/${path} is missing: run "npm run build" first ("npm test" does).`);
  return url;
}
