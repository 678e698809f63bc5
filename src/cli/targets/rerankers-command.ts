import { ProviderType, ProviderTypeSchema } from '../../shared/gen/service/v1/common_pb.ts';
import { type Reranker, RerankerSchema, RerankerService } from '../../shared/gen/service/v1/reranker_pb.ts';
import { TARGET_KINDS } from '../../shared/target-kinds.ts';
import { enumChoice } from '../kit/flags/enum.ts';
import { filling, given } from '../kit/flags/flag.ts';
import { resolveTargetOf, targetDeletion } from '../kit/naming/targets.ts';
import { enumText } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';
import { ownFlags, targetCommands } from './target-commands.ts';
import { targetParts } from './view.ts';

const rerankerView: View<typeof RerankerSchema> = {
  desc: RerankerSchema,
  ...targetParts<Reranker>({
    id: ({ rerankerId }) => rerankerId,
    provider: ({ providerType }) => enumText(ProviderTypeSchema, providerType),
  }),
};

const { createReranker, getReranker, listRerankers, updateReranker, deleteReranker } = RerankerService.method;

/** The server refuses the other providers of the enum, which embed only. */
const { VLLM, TEI, LLAMA_CPP, VOYAGE, COHERE, JINA } = ProviderType;

export const rerankers = targetCommands({
  noun: 'rerankers',
  name: TARGET_KINDS.rerankers.word,
  one: 'a reranker',
  exampleId: '01980000-0000-7000-8000-0000000000e1',
  goesBy: 'Name',
  resolve: (client, wanted) => resolveTargetOf('rerankers', client, wanted),
  deletion: (client, wanted) => targetDeletion('rerankers', client, wanted),
  view: rerankerView,
  idOf: ({ rerankerId }) => rerankerId,
  provider: filling(
    enumChoice('--provider <type>', 'Provider that runs the endpoint', ProviderTypeSchema, [
      VLLM,
      TEI,
      LLAMA_CPP,
      VOYAGE,
      COHERE,
      JINA,
    ]),
    'providerType',
  ),
  needs: () => ['url'],
  needsText: 'Needs --provider, --name, --model and --url.',
  own: ownFlags({}, async () => ({})),
  deleteSummary: 'Delete a reranker',
  examples: {
    create: [
      'rerankers create --provider TEI --name Rerank --url http://rerank.lan:8080 --model bge-reranker-base',
      'rerankers create --provider COHERE --name Cohere --url https://api.cohere.com --model rerank-v3.5 --secret -',
      'rerankers create --provider JINA --name Jina --url https://api.jina.ai --model jina-reranker-v2-base-multilingual --secret-file jina.key',
    ],
    list: ['rerankers list', 'rerankers list --provider TEI', 'rerankers list -o ndjson | jq -r .rerankerId'],
    update: [
      'rerankers update 01980000-0000-7000-8000-0000000000e1 --url http://rerank.lan:8081',
      'rerankers update 01980000-0000-7000-8000-0000000000e1 --secret-file key.txt',
      'rerankers update 01980000-0000-7000-8000-0000000000e1 --merge-labels team=search',
    ],
    delete: 'rerankers list --label team=old -o ndjson | jq -r .rerankerId | xargs -n 1 svc rerankers delete -f',
  },
  calls: {
    create: async (client, target, id) => {
      const record = await client.call(createReranker, { ...target, ...given({ rerankerId: id }) });
      return { record, notes: [] };
    },
    get: (client, id) => client.call(getReranker, { rerankerId: id }),
    list: async (client, filter) => (await client.call(listRerankers, filter)).rerankers,
    update: (client, id, change) => client.call(updateReranker, { rerankerId: id, ...change }),
    delete: (client, id) => client.call(deleteReranker, { rerankerId: id }),
  },
});
