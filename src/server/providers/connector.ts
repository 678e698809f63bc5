import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { buildConnector } from 'undici';
import { isLinkLocal } from './addresses.ts';

/** The address that a host stands for must not be called. */
export class RefusedAddressError extends Error {
  constructor(host: string) {
    super(`${host} is a link-local address`);
    this.name = 'RefusedAddressError';
  }
}

/** `dns.lookup` for all addresses of a name. */
export type LookupAll = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface ConnectorOptions {
  allowLinkLocal: boolean;
  connectTimeoutMs: number;
  /** Default: the system's. */
  lookup?: LookupAll;
}

type NetLookup = (
  hostname: string,
  options: LookupOptions,
  callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
) => void;

/**
 * Hands the socket only addresses that may be called, so that a name cannot be rebound between check and connect. A
 * name keeps its other addresses: machines that announce themselves by mDNS carry a link-local one next to a routable one.
 */
function guardedLookup(lookup: LookupAll): NetLookup {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const allowed = addresses.filter(({ address }) => !isLinkLocal(address));
      const first = allowed[0];
      if (first === undefined) return callback(new RefusedAddressError(hostname), []);
      if (options.all === true) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });
  };
}

/** Connections with a bound on their set-up, certificates verified, and link-local addresses refused as resolved. */
export function providerConnector(options: ConnectorOptions): buildConnector.connector {
  const lookup = options.lookup ?? systemLookup;
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    lookup: options.allowLinkLocal ? (lookup as NetLookup) : guardedLookup(lookup),
    autoSelectFamily: true,
  });
  return (target, callback) => {
    // A literal address never reaches the lookup.
    if (!options.allowLinkLocal && isLinkLocal(target.hostname)) {
      callback(new RefusedAddressError(target.hostname), null);
      return;
    }
    connect(target, callback);
  };
}
