import type { Violation } from '../../../shared/errors.ts';
import type { Credentials } from '../../../shared/gen/service/v1/common_pb.ts';
import { endpointUrlProblem } from '../../providers/addresses.ts';
import { credentialViolations } from '../credentials/validation.ts';
import { credentialInput } from '../credentials-input.ts';

export const BUILTIN_MODEL = 'lexical-v1';
export const BUILTIN_DIMENSIONS = 1024;

/** Fields that both a create and an update request may hold. */
export interface TargetFields {
  endpointUrl?: string | undefined;
  apiPath?: string | undefined;
  modelIdentifier?: string | undefined;
  credentials?: Credentials | undefined;
}

/** What is wrong with the fields of a request that say where an embedder is and how to call it. */
export function targetViolations(
  fields: TargetFields,
  { providerType, allowLinkLocal }: { providerType: string; allowLinkLocal: boolean },
): Violation[] {
  if (providerType === 'BUILTIN') return builtinViolations(fields);
  // The address of an ONNX embedder is a directory, which is judged where it can be opened.
  return providerType === 'ONNX' ? [] : remoteViolations(fields, allowLinkLocal);
}

/** The built-in embedder runs in the server: it has no address, and nothing to prove to anybody. */
function builtinViolations(fields: TargetFields): Violation[] {
  const violations: Violation[] = [];
  const refuse = (path: string) => violations.push({ path, problem: 'does not belong to a BUILTIN embedder' });
  if ((fields.endpointUrl ?? '') !== '') refuse('endpointUrl');
  if ((fields.apiPath ?? '') !== '') refuse('apiPath');
  if (fields.credentials !== undefined) refuse('credentials');
  if (fields.modelIdentifier !== undefined && fields.modelIdentifier !== BUILTIN_MODEL) {
    violations.push({ path: 'modelIdentifier', problem: `must be ${BUILTIN_MODEL} for a BUILTIN embedder` });
  }
  return violations;
}

function remoteViolations(fields: TargetFields, allowLinkLocal: boolean): Violation[] {
  const { endpointUrl, credentials } = fields;
  const problem = endpointUrl === undefined ? undefined : endpointUrlProblem(endpointUrl, { allowLinkLocal });
  return [
    ...(problem === undefined ? [] : [{ path: 'endpointUrl', problem }]),
    ...(credentials === undefined ? [] : credentialViolations(credentialInput(credentials))),
  ];
}
