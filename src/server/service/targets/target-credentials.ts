import type { Credentials } from '../../../shared/gen/service/v1/common_pb.ts';
import type { TargetContent } from '../../store/target-rows.ts';
import { credentialInput } from '../credentials/credential-input.ts';
import { credentialFingerprint, storeCredential } from '../credentials.ts';

type CredentialColumns = Pick<TargetContent, 'credentials' | 'credentialFingerprint'>;

export const NO_CREDENTIALS: CredentialColumns = { credentials: null, credentialFingerprint: '' };

/**
 * Credentials of a request as they are stored with the target `id`, and who gave them. Throws FAILED_PRECONDITION for an
 * inline secret when there is no key.
 */
export function credentialColumns(
  credentials: Credentials,
  { id, givenById }: { id: string; givenById: string },
  secretsKey: Uint8Array | undefined,
): CredentialColumns {
  const input = credentialInput(credentials);
  return {
    credentials: { ...storeCredential(input, id, secretsKey), givenById },
    credentialFingerprint: credentialFingerprint(input, secretsKey),
  };
}
