import { create } from '@bufbuild/protobuf';
import { type Status, StatusSchema } from '../../../shared/gen/service/v1/common_pb.ts';
import type { LLMCapabilities } from '../../../shared/gen/service/v1/llm_pb.ts';
import type { LlmCapabilities } from '../../providers/llms/types.ts';
import { CAPABILITY_NAMES, inferCapabilities } from './infer-capabilities.ts';

export interface CompletedCapabilities {
  capabilities: LlmCapabilities;
  /** The ones that were not given. */
  inferred: (keyof LlmCapabilities)[];
}

/** The capabilities that a request gives, completed from the name of the model. */
export function completeCapabilities(
  given: LLMCapabilities | undefined,
  modelIdentifier: string,
): CompletedCapabilities {
  const capabilities = { ...inferCapabilities(modelIdentifier) };
  const inferred = CAPABILITY_NAMES.filter((name) => given?.[name] === undefined);
  for (const name of CAPABILITY_NAMES) capabilities[name] = given?.[name] ?? capabilities[name];
  return { capabilities, inferred };
}

/** One status for each capability that was inferred. */
export function inferenceStatuses({ capabilities, inferred }: CompletedCapabilities): Status[] {
  return inferred.map((capability) =>
    create(StatusSchema, {
      code: 'LLM_CAPABILITY_INFERRED',
      message: `${capability} inferred from the model`,
      details: { capability, value: String(capabilities[capability]) },
    }),
  );
}
