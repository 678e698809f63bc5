import { fileURLToPath } from 'node:url';
import { START_FLAGS } from './engine-flags.ts';

/** The program as it is built. */
export const BINARY = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));

/** What starts `svc` in a test: the program and its first arguments. */
export const SVC: readonly [program: string, ...args: string[]] = [process.execPath, ...START_FLAGS, BINARY];

/** The same as a shell reads it. */
export const SVC_IN_SHELL = SVC.map((word) => `'${word}'`).join(' ');
