import type { SamplingParams as SamplingParamsMessage } from '../../../shared/gen/service/v1/llm_pb.ts';
import type { SamplingParams } from '../../providers/llms/types.ts';

/** The members that a request gives, in the form in which they are stored; null when it gives no object. */
export function storedSamplingParams(given: SamplingParamsMessage | undefined): SamplingParams | null {
  if (given === undefined) return null;
  const { stopSequences, maxTokens, temperature, topP, topK, frequencyPenalty, presencePenalty } = given;
  return {
    ...(maxTokens === undefined ? {} : { maxTokens }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { topP }),
    ...(topK === undefined ? {} : { topK }),
    ...(frequencyPenalty === undefined ? {} : { frequencyPenalty }),
    ...(presencePenalty === undefined ? {} : { presencePenalty }),
    ...(stopSequences.length === 0 ? {} : { stopSequences }),
  };
}
