import { AddressPolicy } from '../../src/server/providers/addresses.ts';

/** Stand-ins of providers listen on loopback, for users as well as for administrators. */
export const LOOPBACK_POLICY = new AddressPolicy({ allowLinkLocal: false, allowedNetworks: ['127.0.0.0/8'] });
