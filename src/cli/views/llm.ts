import {
  type LLM,
  type LLMCapabilities,
  LLMProviderTypeSchema,
  LLMSchema,
  type SamplingParams,
} from '../../shared/gen/service/v1/llm_pb.ts';
import { CAPABILITIES } from '../flags/llm.ts';
import { enumText } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';
import { targetParts } from './target.ts';

export const llmView: View<typeof LLMSchema> = {
  desc: LLMSchema,
  ...targetParts<LLM>({
    id: ({ llmId }) => llmId,
    provider: ({ providerType }) => enumText(LLMProviderTypeSchema, providerType),
    columns: [
      {
        header: 'CONTEXT',
        value: ({ maxContextLength }) => String(maxContextLength ?? ''),
        align: 'right',
        whole: true,
      },
      { header: 'CAN', value: ({ capabilities }) => capabilitiesText(capabilities, true) },
    ],
    fields: [
      { header: 'can', value: ({ capabilities }) => capabilitiesText(capabilities, true) },
      { header: 'cannot', value: ({ capabilities }) => capabilitiesText(capabilities, false) },
      {
        header: 'context',
        value: ({ maxContextLength }) => (maxContextLength === undefined ? '' : `${maxContextLength} tokens`),
      },
      { header: 'sampling', value: ({ defaultSamplingParams }) => samplingText(defaultSamplingParams) },
      {
        header: 'client config',
        value: ({ clientConfig }) => (clientConfig === undefined ? '' : JSON.stringify(clientConfig)),
      },
    ],
  }),
};

function capabilitiesText(capabilities: LLMCapabilities | undefined, wanted: boolean): string {
  const words = Object.entries(CAPABILITIES).filter(([, field]) => capabilities?.[field] === wanted);
  return words.map(([word]) => word).join(', ');
}

/** In the words of the flags: `temperature 0.2, top-p 0.9`. */
function samplingText(params: SamplingParams | undefined): string {
  if (params === undefined) return '';
  const { maxTokens, temperature, topP, topK, frequencyPenalty, presencePenalty, stopSequences } = params;
  const numbers = {
    'max-tokens': maxTokens,
    temperature,
    'top-p': topP,
    'top-k': topK,
    'frequency-penalty': frequencyPenalty,
    'presence-penalty': presencePenalty,
  };
  const given = Object.entries(numbers).flatMap(([word, value]) => (value === undefined ? [] : `${word} ${value}`));
  return [...given, ...stopSequences.map((text) => `stop ${JSON.stringify(text)}`)].join(', ');
}
