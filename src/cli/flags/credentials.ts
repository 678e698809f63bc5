import type { MessageInitShape } from '@bufbuild/protobuf';
import { CredentialKind, type CredentialsSchema } from '../../shared/gen/service/v1/common_pb.ts';
import { usageError } from '../failure.ts';
import type { Io } from '../io.ts';
import { readSecret } from '../session.ts';
import type { FlagValues } from './flag.ts';
import { text } from './kinds.ts';

/** The secret that the server sends to an inference endpoint. */
export const SECRET_FLAGS = {
  secret: text('--secret <secret>', 'API key of the endpoint, - reads it from stdin'),
  secretFile: text('--secret-file <file>', 'File that holds the API key of the endpoint'),
  secretRef: text('--secret-ref <uri>', 'Where the server reads it: env://NAME or file:///path'),
};

/** The credentials that the flags ask for; undefined when none of them was given. */
export async function credentialsOf(
  io: Pick<Io, 'readStdin' | 'cwd'>,
  { secret, secretFile, secretRef }: FlagValues<typeof SECRET_FLAGS>,
): Promise<MessageInitShape<typeof CredentialsSchema> | undefined> {
  const count = [secret, secretFile, secretRef].filter((value) => value !== undefined).length;
  if (count === 0) return undefined;
  if (count > 1) throw usageError('Give one of --secret, --secret-file and --secret-ref');
  const value =
    secretRef === undefined
      ? { inlineSecret: await secretText(io, secret, secretFile) }
      : { secretRef: { uri: secretRef } };
  return { kind: CredentialKind.API_KEY, credential: { case: 'apiKey', value } };
}

async function secretText(
  io: Pick<Io, 'readStdin' | 'cwd'>,
  secret: string | undefined,
  file: string | undefined,
): Promise<string> {
  if (file !== undefined) return readSecret(io, file);
  return secret === '-' ? readSecret(io, '-') : (secret ?? '');
}
