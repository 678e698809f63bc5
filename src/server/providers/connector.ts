import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import { buildConnector } from 'undici';
import type { AddressPolicy, Reach, Refusal } from './addresses.ts';

/** The address that a host stands for must not be called. */
export class RefusedAddressError extends Error {
  readonly refusal: Refusal;

  constructor(host: string, refusal: Refusal) {
    super(`${host} is refused: ${refusal}`);
    this.name = 'RefusedAddressError';
    this.refusal = refusal;
  }
}

/** `dns.lookup` for all addresses of a name. */
export type LookupAll = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

interface ConnectorOptions {
  policy: AddressPolicy;
  /** Of the targets that are called over these connections. */
  reach: Reach;
  connectTimeoutMs: number;
  /** Default: the system's. */
  lookup?: LookupAll | undefined;
}

type NetLookup = (
  hostname: string,
  options: LookupOptions,
  callback: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
) => void;

/**
 * Gives the socket only addresses that may be called, so that a name cannot be rebound between check and connect. Only
 * the refused addresses of a name are dropped: machines that announce themselves by mDNS have a link-local address next
 * to a routable one.
 */
function guardedLookup({ policy, reach, lookup = systemLookup }: ConnectorOptions): NetLookup {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      const refusals = addresses.map(({ address }) => policy.refusal(address, reach));
      const allowed = addresses.filter((_, index) => refusals[index] === undefined);
      const first = allowed[0];
      if (first === undefined) return callback(new RefusedAddressError(hostname, refusals[0] ?? 'not public'), []);
      if (options.all === true) return callback(null, allowed);
      return callback(null, first.address, first.family);
    });
  };
}

/** Connections with a bound on their set-up, certificates verified, and addresses refused as resolved. */
export function providerConnector(options: ConnectorOptions): buildConnector.connector {
  const { policy, reach, connectTimeoutMs } = options;
  const connect = buildConnector({ timeout: connectTimeoutMs, lookup: guardedLookup(options), autoSelectFamily: true });
  return (target, callback) => {
    // A literal address never reaches the lookup.
    const refusal = policy.refusal(target.hostname, reach);
    if (refusal === undefined) connect(target, callback);
    else callback(new RefusedAddressError(target.hostname, refusal), null);
  };
}
