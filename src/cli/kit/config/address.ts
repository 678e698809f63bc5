import { usageError } from '../errors.ts';

const DEFAULT_PORT = 9090;

export interface Address {
  /** `any` stands for https and for no scheme at all: both allow the TLS ladder. */
  scheme: 'any' | 'http';
  /** Without brackets. */
  host: string;
  port: number;
  /** `host:port` with brackets around an IPv6 address. */
  authority: string;
}

/** Reads `host`, `host:port`, `https://host:port` or `http://host:port`; a path `/v1` or `/v1/default` is dropped. */
export function parseAddress(text: string): Address {
  const match = /^(?:(https?):\/\/)?(\[[0-9a-f:.]+\]|[^:/\s[\]]+)(?::(\d{1,5}))?(\/[^\s]*)?$/i.exec(text.trim());
  if (match === null) throw badAddress(text, 'it is not host:port');
  const [, scheme, name = '', digits, path = ''] = match;
  const port = digits === undefined ? DEFAULT_PORT : Number(digits);
  if (port < 1 || port > 65_535) throw badAddress(text, 'the port is not between 1 and 65535');
  if (!/^(\/v1(\/default)?)?\/?$/.test(path)) throw badAddress(text, `the path ${path} is not supported`);
  return {
    scheme: scheme?.toLowerCase() === 'http' ? 'http' : 'any',
    host: name.replace(/^\[|\]$/g, ''),
    port,
    authority: `${name}:${port}`,
  };
}

/** Whether both lead to the same host and port; names of hosts know no case. */
export function isSameServer(one: Address, other: Address): boolean {
  return one.authority.toLowerCase() === other.authority.toLowerCase();
}

function badAddress(text: string, why: string): Error {
  return usageError(`Not a server address: "${text}"`, {
    details: why,
    next: 'Write it as localhost:9090, https://host:9090 or http://host:9090',
  });
}
