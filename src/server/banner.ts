import { parseDatabaseUrl } from './settings/database-url.ts';
import type { LoadedSettings } from './settings/load.ts';
import type { Settings } from './settings/table.ts';
import type { ResolvedTls } from './transport/tls.ts';
import { VERSION } from './version.ts';

/** Where a started server can be reached. */
interface Addresses {
  rest: string;
  grpc: string;
}

export function addressesOf(
  { settings }: LoadedSettings,
  tls: ResolvedTls,
  ports: { rest: number; grpc: number },
): Addresses {
  // The wildcard address cannot be used by a client.
  const host = settings.host === '0.0.0.0' || settings.host === '::' ? 'localhost' : settings.host;
  const shown = host.includes(':') ? `[${host}]` : host;
  return {
    rest: `${tls.rest === undefined ? 'http' : 'https'}://${shown}:${ports.rest}`,
    grpc: `${tls.grpc === undefined ? 'http' : 'https'}://${shown}:${ports.grpc}`,
  };
}

/** What the server prints to a terminal once it is ready. */
export function banner(loaded: LoadedSettings, tls: ResolvedTls, addresses: Addresses, initialized: boolean): string {
  const { settings } = loaded;
  const rows: [string, string][] = [
    ['REST', addresses.rest],
    ['gRPC', addresses.grpc],
    ['TLS', describeTls(tls)],
    ['Data', databaseText(settings)],
  ];
  const lines = rows.map(([name, value]) => `  ${name.padEnd(6)}${value}`);
  const server = addresses.grpc.endsWith(':9090') ? '' : ` --server ${addresses.grpc}`;
  const next = initialized ? 'Ctrl-C stops the server.' : `New here? In another terminal: svc init${server}`;
  return `\nsvc ${VERSION} is ready\n\n${lines.join('\n')}\n\n  ${next}\n\n`;
}

/** Where the data is, without user and password. */
export function databaseText({ embedded, dataDir, dbUrl = '', dbUser }: Settings): string {
  if (embedded) return `embedded PostgreSQL in ${dataDir}`;
  const { database, host, port } = parseDatabaseUrl(dbUrl, { user: dbUser });
  return `PostgreSQL, database ${database} at ${host.startsWith('/') ? host : `${host}:${port}`}`;
}

function describeTls({ rest, grpc, selfSigned, keptIn, fingerprint256 }: ResolvedTls): string {
  if (rest === undefined && grpc === undefined) return 'off: everything travels in plaintext';
  const where = rest === undefined ? ' (gRPC only)' : grpc === undefined ? ' (REST only)' : '';
  const stays = keptIn === undefined ? 'replaced at every start' : `kept in ${keptIn}`;
  const kind = selfSigned ? `a self-signed certificate, ${stays}` : 'your certificate';
  return `${kind}${where}\n${' '.repeat(8)}SHA-256 ${fingerprint256 ?? ''}`;
}
