import { invalidFields, type Violation } from '../../../shared/errors.ts';
import { formatProblem } from '../../../shared/fields/formats.ts';
import { type Credentials, Modality } from '../../../shared/gen/service/v1/common_pb.ts';
import { Format } from '../../../shared/gen/service/v1/options_pb.ts';
import { type RoleName, SHARING_ROLES } from '../../../shared/identity.ts';
import { type AddressPolicy, endpointUrlProblem, type Reach } from '../../providers/addresses.ts';
import { credentialInput, credentialViolations } from '../credentials/validation.ts';
import type { LabelUpdate } from '../resources.ts';

/** Fields that a create and an update request of every kind of target hold. */
export interface TargetFields {
  displayName?: string | undefined;
  description?: string | undefined;
  endpointUrl?: string | undefined;
  apiPath?: string | undefined;
  modelIdentifier?: string | undefined;
  supportedModalities: readonly Modality[];
  credentials?: Credentials | undefined;
  version?: string | undefined;
  monitoringEndpoint?: string | undefined;
}

export interface CreateTargetFields extends TargetFields {
  displayName: string;
  modelIdentifier: string;
  labels: Record<string, string>;
  ownerId?: string | undefined;
}

export interface UpdateTargetFields extends TargetFields {
  labelUpdate: LabelUpdate;
}

/**
 * The problems with the address and the credentials of a target outside the server that do not depend on its owner;
 * `requireReachable` checks the others.
 */
export function addressViolations(
  { endpointUrl, credentials }: Pick<TargetFields, 'endpointUrl' | 'credentials'>,
  policy: AddressPolicy,
): Violation[] {
  const problem =
    endpointUrl === undefined
      ? undefined
      : (formatProblem(Format.URL, endpointUrl) ?? endpointUrlProblem(endpointUrl, policy, 'any'));
  return [
    ...(problem === undefined ? [] : [{ path: 'endpointUrl', problem }]),
    ...(credentials === undefined ? [] : credentialViolations(credentialInput(credentials))),
  ];
}

/**
 * How far a target of an owner with this role reaches. Administrators are responsible for what is called in the
 * server's own network; other users could read that network through a target.
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

/** The names of modalities, each once; [] when none is given. */
export function modalityNames(modalities: readonly Modality[]): string[] {
  const known = modalities.filter((modality) => modality !== Modality.UNSPECIFIED);
  return [...new Set(known)].map((modality) => Modality[modality]);
}

/**
 * What is wrong with a path, without its query, that is to stay below a target's address; undefined when it does:
 * `.` and `..` lead out, however they are written.
 */
export function insidePathProblem(path: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(path);
  } catch {
    return 'has broken percent-encoding';
  }
  // What a server behind the target decodes once more must not become a way out either.
  const segments = decoded.replace(/%2e/gi, '.').split(/[/\\]|%2f|%5c/i);
  if (segments.some((segment) => /^\.{1,2}(;|$)/.test(segment))) return 'must not contain the segments . and ..';
  return /[#\s]/.test(path) ? 'must not contain # or white space' : undefined;
}
