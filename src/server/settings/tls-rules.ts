import type { ConfigurationProblem } from './settings-error.ts';
import { type FlagName, problemOf, type SettingSources, type Settings, settingName } from './table.ts';

/** Every flag about certificates; without TLS on any endpoint, giving one is a mistake. */
const CERTIFICATE_FLAGS = [
  'tls-self-signed-dev',
  'tls-self-signed-hostnames',
  'tls-cert-file',
  'tls-key-file',
  'tls-trust-cert-file',
  'tls-acme-enabled',
  'tls-acme-directory-url',
  'tls-acme-email',
  'tls-acme-domains',
] as const satisfies readonly FlagName[];

/** Which endpoints speak TLS. */
export function tlsEndpoints(settings: Settings): { rest: boolean; grpc: boolean } {
  const allowed = !settings.tlsDisabled;
  return { rest: allowed && settings.restTlsEnabled, grpc: allowed && settings.grpcTlsEnabled };
}

/** What is wrong between the TLS settings. Whether the files themselves are good is seen when they are loaded. */
export function tlsProblems(loaded: { settings: Settings; sources: SettingSources }): ConfigurationProblem[] {
  const { rest, grpc } = tlsEndpoints(loaded.settings);
  return rest || grpc ? certificateProblems(loaded) : idleOptionProblems(loaded);
}

function idleOptionProblems({ settings, sources }: { settings: Settings; sources: SettingSources }) {
  const off = settings.tlsDisabled ? `--tls-disabled (${sources.tlsDisabled.text})` : 'both endpoints';
  return CERTIFICATE_FLAGS.flatMap((flag) => {
    const source = sources[settingName(flag)];
    if (source.kind === 'default') return [];
    const problem = `is given, but TLS is off everywhere because of ${off}`;
    return [problemOf(flag, source, { problem, remedy: 'leave it out, or switch TLS on for an endpoint' })];
  });
}

function certificateProblems({ settings, sources }: { settings: Settings; sources: SettingSources }) {
  // Only whether they were given counts here: blank or unusable files are reported where they are read.
  const hasCert = sources.tlsCertFile.kind !== 'default';
  const hasKey = sources.tlsKeyFile.kind !== 'default';
  if (hasCert && hasKey) return [];
  if (hasCert) {
    const problem = 'is given without --tls-key-file';
    return [
      problemOf('tls-cert-file', sources.tlsCertFile, { problem, remedy: 'give the key of the certificate too' }),
    ];
  }
  if (hasKey) {
    const problem = 'is given without --tls-cert-file';
    return [problemOf('tls-key-file', sources.tlsKeyFile, { problem, remedy: 'give the certificate of the key too' })];
  }
  return withoutFilesProblems({ settings, sources });
}

function withoutFilesProblems({ settings, sources }: { settings: Settings; sources: SettingSources }) {
  const remedy = 'give --tls-cert-file and --tls-key-file';
  const problems: ConfigurationProblem[] = [];
  if (settings.tlsAcmeEnabled) {
    const problem = 'needs automatic issuance, which is not available, and no certificate is given';
    problems.push(problemOf('tls-acme-enabled', sources.tlsAcmeEnabled, { problem, remedy }));
  }
  if (settings.fipsModeEnabled) {
    const problem = 'forbids a self-signed certificate, and no certificate is given';
    const orOff = `${remedy}, or switch TLS off with --tls-disabled`;
    problems.push(problemOf('fips-mode-enabled', sources.fipsModeEnabled, { problem, remedy: orOff }));
  } else if (!settings.tlsSelfSignedDev) {
    const problem = 'is false, and no certificate is given';
    const orOff = `${remedy}, or switch TLS off with --tls-disabled`;
    problems.push(problemOf('tls-self-signed-dev', sources.tlsSelfSignedDev, { problem, remedy: orOff }));
  }
  return problems;
}
