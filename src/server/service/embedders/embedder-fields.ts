import type { Violation } from '../../../shared/errors.ts';
import type { AddressPolicy } from '../../providers/addresses.ts';
import { addressViolations, type TargetFields } from '../targets/target-fields.ts';

export const BUILTIN_MODEL = 'lexical-v1';
export const BUILTIN_DIMENSIONS = 1024;

type AddressFields = Pick<TargetFields, 'endpointUrl' | 'apiPath' | 'modelIdentifier' | 'credentials'>;

/** What is wrong with the fields of a request that say where an embedder is and how to call it. */
export function embedderViolations(
  fields: AddressFields,
  { providerType, policy }: { providerType: string; policy: AddressPolicy },
): Violation[] {
  if (providerType === 'BUILTIN') return builtinViolations(fields);
  // The address of an ONNX embedder is a directory, which is judged where it can be opened.
  return providerType === 'ONNX' ? [] : addressViolations(fields, policy);
}

/**
 * What is wrong whatever the embedder is, so that it can be told before the embedder is looked for. Addresses that only
 * embedders inside the server have are left to `embedderViolations`.
 */
export function generalViolations({ endpointUrl, credentials }: AddressFields, policy: AddressPolicy): Violation[] {
  const isInside = endpointUrl === '' || endpointUrl?.startsWith('file:');
  return addressViolations({ credentials, endpointUrl: isInside ? undefined : endpointUrl }, policy);
}

/** The built-in embedder runs in the server: it has neither an address nor credentials. */
function builtinViolations(fields: AddressFields): Violation[] {
  const violations: Violation[] = [];
  const refuse = (path: string) => violations.push({ path, problem: 'is not allowed for a BUILTIN embedder' });
  if ((fields.endpointUrl ?? '') !== '') refuse('endpointUrl');
  if ((fields.apiPath ?? '') !== '') refuse('apiPath');
  if (fields.credentials !== undefined) refuse('credentials');
  if (fields.modelIdentifier !== undefined && fields.modelIdentifier !== BUILTIN_MODEL) {
    violations.push({ path: 'modelIdentifier', problem: `must be ${BUILTIN_MODEL} for a BUILTIN embedder` });
  }
  return violations;
}
