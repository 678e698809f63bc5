import { ModalitySchema } from '../../shared/gen/service/v1/common_pb.ts';
import type { CommandContext } from '../kit/command.ts';
import { enumChoices } from '../kit/flags/enum.ts';
import { type FlagValues, filling, given } from '../kit/flags/flag.ts';
import { text } from '../kit/flags/kinds.ts';
import { credentialsOf, SECRET_FLAGS } from './credentials.ts';

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
