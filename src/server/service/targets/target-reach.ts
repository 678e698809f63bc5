import { invalidFields } from '../../../shared/errors.ts';
import { type RoleName, SHARING_ROLES } from '../../../shared/identity.ts';
import { type AddressPolicy, endpointUrlProblem, type Reach } from '../../providers/addresses.ts';

/**
 * How far a target of an owner with this role reaches. Who administrates the server knows its network and answers for
 * what is called there; everybody else could read it through a target.
 */
export function reachOf(ownerRole: RoleName): Reach {
  return SHARING_ROLES.includes(ownerRole) ? 'any' : 'public';
}

/** Throws INVALID_ARGUMENT for an address at which a target of that owner would be refused whenever it is called. */
export function requireReachable(policy: AddressPolicy, endpointUrl: string | undefined, ownerRole: RoleName): void {
  // Targets inside the server have no address on a network.
  if (endpointUrl === undefined || !/^https?:/i.test(endpointUrl)) return;
  const problem = endpointUrlProblem(endpointUrl, policy, reachOf(ownerRole));
  if (problem !== undefined) throw invalidFields([{ path: 'endpointUrl', problem }]);
}
