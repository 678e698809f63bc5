import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { hasFipsProvider, NO_PROVIDER, WITH_PROVIDER } from '../../../support/fips-provider.ts';
import { runSvc } from '../../../support/server.ts';

/** What a process prints that runs this script, as JSON. */
async function printedBy(script: string, env: Record<string, string>): Promise<unknown> {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
  return JSON.parse(stdout);
}

describe('without a provider', () => {
  test.each([[['--check']], [['--print-config']], [[]]])(
    'FIPS mode is refused in a sentence, with %j; exit 78',
    async (action) => {
      const flags = ['--embedded', '--data-dir', '/nonexistent/svc', '--fips-mode-enabled', '--tls-disabled'];
      const { code, stdout, stderr } = await runSvc(['serve', ...action, ...flags], { env: NO_PROVIDER });
      expect({ code, stdout }).toEqual({ code: 78, stdout: '' });
      expect(stderr).toBe(
        'The configuration has 1 problem:\n' +
          '  --fips-mode-enabled / SERVICE_FIPS_MODE_ENABLED (flag --fips-mode-enabled): the crypto library of this Node.js ' +
          'has no usable FIPS provider; set up an OpenSSL FIPS provider (OPENSSL_CONF, OPENSSL_MODULES), or leave FIPS mode off\n',
      );
    },
  );

  test.each(['nothing yet', 'every digest'])('the provider is unchanged, in a process that used %s', async (used) => {
    const script = `
      import { createHash, getFips, getHashes } from 'node:crypto';
      import { activateFips } from './src/server/settings/fips.ts';
      if (${used === 'every digest'}) for (const name of getHashes()) try { createHash(name) } catch {}
      console.log(JSON.stringify([activateFips().problem, getFips(), createHash('md5').update('x').digest('hex').length]));`;
    const printed = await printedBy(script, { ...NO_PROVIDER, NODE_OPTIONS: '' });
    expect(printed).toEqual([expect.stringContaining('no usable FIPS provider'), 0, 32]);
  });
});

describe.runIf(hasFipsProvider())('with a provider', () => {
  test('a process that used the crypto library before cannot switch to FIPS mode', async () => {
    const script = `
      import { createHash } from 'node:crypto';
      import { activateFips } from './src/server/settings/fips.ts';
      if (process.env.USED) createHash('md5');
      console.log(JSON.stringify(activateFips() ?? null));`;
    const run = (env: Record<string, string>) => printedBy(script, { ...WITH_PROVIDER, ...env });
    expect(await run({})).toBeNull();
    expect(await run({ USED: '1' })).toMatchObject({ problem: expect.stringContaining('before FIPS mode was on') });
    expect(await run({ USED: '', NODE_OPTIONS: '--force-fips' })).toBeNull();
  });
});
