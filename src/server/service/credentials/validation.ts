import type { Violation } from '../../../shared/errors.ts';
import { CredentialKind, type Credentials } from '../../../shared/gen/service/v1/common_pb.ts';
import { MAX_LABELS } from '../resources.ts';
import { secretRefProblem } from './secret-ref.ts';
import type { CredentialInput } from './types.ts';

const MEMBERS = { CREDENTIAL_KIND_API_KEY: 'apiKey', CREDENTIAL_KIND_GCP_ADC: 'gcpAdc' } as const;
const MAX_SECRET_CHARACTERS = 8192;

/** Everything that is wrong with credentials of a request; `path` is where they stand in it. */
export function credentialViolations(input: CredentialInput, path = 'credentials'): Violation[] {
  const violations: Violation[] = [];
  const add = (at: string, problem: string | undefined) => {
    if (problem !== undefined) violations.push({ path: `${path}${at}`, problem });
  };
  const member = memberOf(input.kind);
  if (member === undefined) {
    add('.kind', `must be ${Object.keys(MEMBERS).join(' or ')}`);
  } else {
    for (const other of Object.values(MEMBERS)) {
      if (other === member && input[other] === undefined) add(`.${other}`, `is required with kind ${input.kind}`);
      if (other !== member && input[other] !== undefined) add(`.${other}`, `is not allowed with kind ${input.kind}`);
    }
  }
  if (input.apiKey !== undefined) checkApiKey(input.apiKey, add);
  if (input.gcpAdc !== undefined) checkGcpAdc(input.gcpAdc, add);
  checkLabels(input.labels ?? {}, add);
  return violations;
}

type Add = (at: string, problem: string | undefined) => void;

function memberOf(kind: string | undefined): 'apiKey' | 'gcpAdc' | undefined {
  return kind === 'CREDENTIAL_KIND_API_KEY' || kind === 'CREDENTIAL_KIND_GCP_ADC' ? MEMBERS[kind] : undefined;
}

function checkApiKey(apiKey: NonNullable<CredentialInput['apiKey']>, add: Add): void {
  const { inlineSecret, secretRef, headerName, prefix } = apiKey;
  if ((inlineSecret === undefined) === (secretRef === undefined)) {
    add('.apiKey', 'must have exactly one of inlineSecret and secretRef');
  }
  if (inlineSecret !== undefined) {
    const fits = inlineSecret.length >= 1 && inlineSecret.length <= MAX_SECRET_CHARACTERS;
    add(
      '.apiKey.inlineSecret',
      fits ? headerValueProblem(inlineSecret) : `must have 1 to ${MAX_SECRET_CHARACTERS} characters`,
    );
  }
  if (secretRef !== undefined) add('.apiKey.secretRef.uri', secretRefProblem(secretRef.uri));
  if (headerName !== undefined) add('.apiKey.headerName', headerNameProblem(headerName));
  if (prefix !== undefined) {
    add('.apiKey.prefix', prefix.length > 255 ? 'must have at most 255 characters' : headerValueProblem(prefix));
  }
}

function checkGcpAdc(gcpAdc: NonNullable<CredentialInput['gcpAdc']>, add: Add): void {
  for (const [index, scope] of (gcpAdc.scopes ?? []).entries()) {
    // Scopes travel separated by blanks.
    add(
      `.gcpAdc.scopes[${index}]`,
      /^[\x21-\x7e]{1,255}$/.test(scope) ? undefined : 'must be 1 to 255 visible ASCII characters',
    );
  }
  const project = gcpAdc.quotaProjectId ?? '';
  const known = project === '' || /^[a-z0-9.:-]{1,255}$/.test(project);
  add('.gcpAdc.quotaProjectId', known ? undefined : 'not a project id');
}

function checkLabels(labels: Record<string, string>, add: Add): void {
  const entries = Object.entries(labels);
  if (entries.length > MAX_LABELS) add('.labels', `must have at most ${MAX_LABELS} entries`);
  for (const [key, value] of entries) {
    if ([...key].length < 1 || [...key].length > 255) add('.labels', 'a key must have 1 to 255 characters');
    if ([...value].length > 255) add(`.labels.${key}`, 'must have at most 255 characters');
    if (key.includes('\0') || value.includes('\0')) add('.labels', 'must not contain NUL characters');
  }
}

/** Headers that the HTTP client or the protocol sets; a credential there would break or redirect the call. */
const RESERVED = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What is wrong with the name of a credential's header; undefined when it can be sent. */
function headerNameProblem(name: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,255}$/.test(name)) return 'not a header name';
  return RESERVED.has(name.toLowerCase()) ? 'is set by the server itself' : undefined;
}

/** What is wrong with a text as part of a header's value: anything that could end the line or change on the way. */
export function headerValueProblem(value: string): string | undefined {
  return /^[\x20-\x7e]*$/.test(value) ? undefined : 'must contain only visible ASCII characters and spaces';
}

const KINDS: Partial<Record<CredentialKind, string>> = {
  [CredentialKind.API_KEY]: 'CREDENTIAL_KIND_API_KEY',
  [CredentialKind.GCP_ADC]: 'CREDENTIAL_KIND_GCP_ADC',
};

/** Credentials of a request message in the form that the rules about credentials take. */
export function credentialInput({ kind, credential, labels }: Credentials): CredentialInput {
  const name = KINDS[kind];
  const input: CredentialInput = { ...(name === undefined ? {} : { kind: name }), labels };
  if (credential.case === 'gcpAdc') {
    const { scopes, quotaProjectId } = credential.value;
    return { ...input, gcpAdc: { scopes, ...(quotaProjectId === undefined ? {} : { quotaProjectId }) } };
  }
  if (credential.case !== 'apiKey') return input;
  const { inlineSecret, secretRef, headerName, prefix } = credential.value;
  return {
    ...input,
    apiKey: {
      ...(inlineSecret === undefined ? {} : { inlineSecret }),
      ...(secretRef === undefined ? {} : { secretRef: { uri: secretRef.uri, hints: secretRef.hints } }),
      ...(headerName === undefined ? {} : { headerName }),
      ...(prefix === undefined ? {} : { prefix }),
    },
  };
}
