import type { Violation } from '../../../shared/errors.ts';
import { formatProblem } from '../../../shared/fields/formats.ts';
import type { Credentials, Modality } from '../../../shared/gen/service/v1/common_pb.ts';
import { Format } from '../../../shared/gen/service/v1/options_pb.ts';
import { type AddressPolicy, endpointUrlProblem } from '../../providers/addresses.ts';
import { credentialInput } from '../credentials/credential-input.ts';
import { credentialViolations } from '../credentials/validation.ts';
import type { LabelUpdate } from '../labels.ts';

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
 * What is wrong with where a target is and with how it is called, for a target outside the server, whoever owns it:
 * `requireReachable` judges the rest.
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
