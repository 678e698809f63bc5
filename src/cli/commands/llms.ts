import type { Status } from '../../shared/gen/service/v1/common_pb.ts';
import { LLMProviderTypeSchema, LLMService } from '../../shared/gen/service/v1/llm_pb.ts';
import { CAPABILITIES, LLM_FLAGS, llmFields } from '../flags/llm.ts';
import { enumChoice } from '../kit/flags/enum.ts';
import { filling, given } from '../kit/flags/flag.ts';
import { resolveTargetOf, targetDeletion } from '../kit/naming/targets.ts';
import { llmView } from '../views/llm.ts';
import { ownFlags, targetCommands } from './targets.ts';

const { createLLM, getLLM, listLLMs, updateLLM, deleteLLM } = LLMService.method;

export const llms = targetCommands({
  noun: 'llms',
  name: 'LLM',
  one: 'an LLM',
  exampleId: '01980000-0000-7000-8000-0000000000d1',
  goesBy: 'Name',
  resolve: (client, wanted) => resolveTargetOf('llms', client, wanted),
  deletion: (client, wanted) => targetDeletion('llms', client, wanted),
  view: llmView,
  idOf: ({ llmId }) => llmId,
  provider: filling(
    enumChoice('--provider <type>', 'Provider that runs the endpoint', LLMProviderTypeSchema),
    'providerType',
  ),
  needs: () => ['url'],
  needsText: 'Needs --provider, --name, --model and --url.',
  own: ownFlags(LLM_FLAGS, llmFields),
  updateNotes:
    'Capabilities, sampling and client config are replaced as a whole: capabilities that are not given are inferred again, sampling parameters that are not given are unset.',
  deleteSummary: 'Delete an LLM',
  examples: {
    create: [
      'llms create --provider OLLAMA --name Chat --url http://ollama.lan:11434/v1 --model llama3.1 --context-length 131072',
      'llms create --provider OPENAI --name Mini --url https://api.openai.com/v1 --model gpt-4o-mini --secret -',
      'llms create --provider VLLM --name Local --url http://llm.lan:8000/v1 --model chat-8b --capability streaming=false --temperature 0.2',
    ],
    list: ['llms list', 'llms list --label team=search', 'llms list --provider VLLM -o json'],
    update: [
      'llms update 01980000-0000-7000-8000-0000000000d1 --name "Chat, small"',
      'llms update 01980000-0000-7000-8000-0000000000d1 --capability function-calling=false --capability streaming',
      'llms update 01980000-0000-7000-8000-0000000000d1 --client-config @vllm.json',
    ],
    delete: 'llms list --label team=old -o ndjson | jq -r .llmId | xargs -n 1 svc llms delete -f',
  },
  calls: {
    create: async (client, target, id) => {
      const { llm, statuses } = await client.call(createLLM, { ...target, ...given({ llmId: id }) });
      return { record: llm, notes: notesOf(statuses) };
    },
    get: (client, id) => client.call(getLLM, { llmId: id }),
    list: async (client, filter) => (await client.call(listLLMs, filter)).llms,
    update: (client, id, change) => client.call(updateLLM, { llmId: id, ...change }),
    delete: (client, id) => client.call(deleteLLM, { llmId: id }),
  },
});

/** What was inferred comes as one status for each capability; people get one line for all of them, and see the values in the record. */
function notesOf(statuses: readonly Status[]): string[] {
  const can: string[] = [];
  const cannot: string[] = [];
  const notes: string[] = [];
  for (const { code, message, details } of statuses) {
    const word = Object.entries(CAPABILITIES).find(([, field]) => field === details.capability)?.[0];
    if (word === undefined) notes.push(`${message} (${code})`);
    else (details.value === 'false' ? cannot : can).push(word);
  }
  const inferred = [can.join(', '), cannot.map((word) => `not ${word}`).join(', ')].filter((part) => part !== '');
  if (inferred.length > 0) notes.unshift(`inferred from the model: ${inferred.join('; ')}`);
  return notes;
}
