import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where `test/support/fips up` puts a provider. */
const PROVIDER = process.env.SVC_FIPS_ROOT ?? '/opt/svc-fips';

/** The environment of a process whose crypto library has a FIPS provider, and of one that has none. */
export const WITH_PROVIDER = { OPENSSL_CONF: join(PROVIDER, 'openssl.cnf'), OPENSSL_MODULES: PROVIDER };
export const NO_PROVIDER = { OPENSSL_CONF: '/dev/null', OPENSSL_MODULES: '/nonexistent' };

/** Says what is left out without a provider; where the tools of all tests are required, that is an error. */
export function hasFipsProvider(): boolean {
  if (existsSync(WITH_PROVIDER.OPENSSL_CONF)) return true;
  if (process.env.SVC_TEST_TOOLS === 'required') throw new Error('there is no FIPS provider: run test/support/fips up');
  console.warn('There is no FIPS provider (test/support/fips up installs one): its tests are left out');
  return false;
}
