import { fileURLToPath } from 'node:url';

/** The program as it is built. */
export const BINARY = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));

/** What starts `svc` in a test: the program and its first arguments. */
export const SVC: readonly [program: string, ...args: string[]] = [process.execPath, BINARY];

/** The same as a shell reads it. */
export const SVC_IN_SHELL = SVC.map((word) => `'${word}'`).join(' ');
