import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type ApiKeyCredentialSchema,
  CredentialKind,
  type CredentialsSchema,
  ModalitySchema,
} from '../../shared/gen/service/v1/common_pb.ts';
import type { CommandContext } from '../kit/command.ts';
import { usageError } from '../kit/errors.ts';
import { enumChoices } from '../kit/flags/enum.ts';
import { type FlagValues, filling, given } from '../kit/flags/flag.ts';
import { text, texts, toggle } from '../kit/flags/kinds.ts';
import { readSecret } from '../kit/input/prompt.ts';

/** How the server authenticates to an inference endpoint. */
const SECRET_FLAGS = {
  secret: filling(text('--secret <secret>', 'API key of the endpoint, - reads it from stdin'), 'inlineSecret'),
  secretFile: { ...text('--secret-file <file>', 'File that holds the API key of the endpoint'), completes: 'files' },
  secretRef: text('--secret-ref <uri>', 'Where the server reads it: env://NAME or file:///path'),
  secretHeader: filling(
    text('--secret-header <name>', 'Header that carries it (default: Authorization)'),
    'headerName',
  ),
  secretPrefix: filling(
    text('--secret-prefix <text>', 'Text in front of it (default: "Bearer " with Authorization)'),
    'prefix',
  ),
  gcpAdc: toggle('--gcp-adc', 'Use the application default credentials of Google Cloud'),
  gcpScope: filling(texts('--gcp-scope <scope>', 'OAuth scope to ask for (repeatable)'), 'scopes'),
  gcpQuotaProject: filling(text('--gcp-quota-project <id>', 'Google Cloud project that is billed'), 'quotaProjectId'),
} as const;

type SecretValues = FlagValues<typeof SECRET_FLAGS>;

/** What can be said about an inference target of any kind, when it is made and later. */
export const TARGET_FLAGS = {
  name: filling(text('--name <name>', 'Display name'), 'displayName'),
  description: text('--description <text>', 'What it is for'),
  url: filling(text('--url <url>', 'Endpoint, as in https://models.example.org/v1'), 'endpointUrl'),
  apiPath: text('--api-path <path>', 'Appended to the URL; each provider has its default'),
  model: filling(text('--model <id>', 'Model, in the words of the provider'), 'modelIdentifier'),
  modality: filling(
    enumChoices('--modality <type>', 'Kind of input that it accepts (repeatable)', ModalitySchema),
    'supportedModalities',
  ),
  modelVersion: filling(text('--model-version <text>', 'Version, for your own notes'), 'version'),
  monitoringUrl: filling(
    text('--monitoring-url <url>', 'Address of its monitoring, for your own notes'),
    'monitoringEndpoint',
  ),
  ...SECRET_FLAGS,
};

/** The members of a request that the flags ask for, with the names that all kinds share. Reads a secret from its source. */
export async function targetFields(
  context: Pick<CommandContext, 'io' | 'signal'>,
  flags: FlagValues<typeof TARGET_FLAGS>,
) {
  const { name, description, url, apiPath, model, modality, modelVersion, monitoringUrl } = flags;
  return given({
    displayName: name,
    description,
    endpointUrl: url,
    apiPath,
    modelIdentifier: model,
    supportedModalities: modality.length === 0 ? undefined : [...modality],
    version: modelVersion,
    monitoringEndpoint: monitoringUrl,
    credentials: await credentialsOf(context, flags),
  });
}

type Context = Pick<CommandContext, 'io' | 'signal'>;

/** The credentials that the flags ask for; undefined when none of them was given. */
async function credentialsOf(
  context: Context,
  flags: SecretValues,
): Promise<MessageInitShape<typeof CredentialsSchema> | undefined> {
  const hasSecret = requireOneSource(flags);
  if (flags.gcpAdc) {
    const value = { scopes: [...flags.gcpScope], ...given({ quotaProjectId: flags.gcpQuotaProject }) };
    return { kind: CredentialKind.GCP_ADC, credential: { case: 'gcpAdc', value } };
  }
  if (!hasSecret) return undefined;
  return {
    kind: CredentialKind.API_KEY,
    credential: { case: 'apiKey', value: await apiKeyCredential(context, flags) },
  };
}

/** Whether a secret was given. Throws when the flags contradict each other. */
function requireOneSource(flags: SecretValues): boolean {
  const { secret, secretFile, secretRef, secretHeader, secretPrefix, gcpAdc, gcpScope, gcpQuotaProject } = flags;
  const secrets = [secret, secretFile, secretRef].filter((value) => value !== undefined).length;
  if (secrets + (gcpAdc ? 1 : 0) > 1) {
    throw usageError('Give only one of --secret, --secret-file, --secret-ref and --gcp-adc');
  }
  if (secrets === 0 && (secretHeader !== undefined || secretPrefix !== undefined)) {
    throw usageError('--secret-header and --secret-prefix need --secret, --secret-file or --secret-ref');
  }
  if (!gcpAdc && (gcpScope.length > 0 || gcpQuotaProject !== undefined)) {
    throw usageError('--gcp-scope and --gcp-quota-project need --gcp-adc');
  }
  return secrets > 0;
}

async function apiKeyCredential(
  context: Context,
  { secret, secretFile, secretRef, secretHeader, secretPrefix }: SecretValues,
): Promise<MessageInitShape<typeof ApiKeyCredentialSchema>> {
  const where = given({ headerName: secretHeader, prefix: secretPrefix });
  if (secretRef !== undefined) return { secretRef: { uri: secretRef }, ...where };
  const file = secretFile ?? (secret === '-' ? '-' : undefined);
  const inlineSecret = file === undefined ? (secret ?? '') : await readSecret(context, file, 'Secret');
  if (inlineSecret === '') throw usageError(`The secret from ${secretSource(file)} is empty`);
  return { inlineSecret, ...where };
}

function secretSource(file: string | undefined): string {
  if (file === undefined) return '--secret';
  return file === '-' ? 'stdin' : `the file ${file}`;
}
