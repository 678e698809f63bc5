import { type CliOptions, cli } from '../../../support/client/host.fixture.ts';
import type { ConfigHome } from '../config-home.fixture.ts';

export const KEY = 'svc_abcdefghijklmnopqrstuvwxyz234567';

/** Runs command lines that read and write the config file of this folder. */
export function svcIn({ env }: ConfigHome, options: CliOptions = {}) {
  return (...args: string[]) => cli(args, { ...options, env: { ...env, ...options.env } });
}
