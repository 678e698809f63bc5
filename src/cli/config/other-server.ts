import { type Address, isSameServer, parseAddress } from '../client/address.ts';
import { type Settings, sourceOf } from './settings.ts';

/**
 * Remarks when values of the profile in use serve for another server than its own, as `--server` and SVC_SERVER can make
 * them: its key goes there, and rungs that its user chose for one server alone count for another.
 */
export async function otherServerRemarks(settings: Settings, address: Address): Promise<string[]> {
  const named = await settings.profile();
  if (named?.profile.server === undefined) return [];
  const { name, profile } = named;
  const own = parseAddress(named.profile.server);
  if (isSameServer(own, address)) return [];
  const about = `profile ${name}, whose server is ${own.authority}`;
  const remarks: string[] = [];
  if ((await settings.apiKey()).source === sourceOf(name))
    remarks.push(`${address.authority}: sending it the API key of ${about}. To send another: --api-key-file FILE`);
  if ((await settings.tls()).source === sourceOf(name) && (profile.tls === 'insecure' || profile.tls === 'plaintext'))
    remarks.push(`${address.authority}: --tls ${profile.tls} comes from ${about}. To forbid it: --tls verify`);
  return remarks;
}
