import { ProviderType, ProviderTypeSchema } from '../../shared/gen/service/v1/common_pb.ts';
import {
  DistributionTypeSchema,
  type Embedder,
  EmbedderSchema,
  EmbedderService,
} from '../../shared/gen/service/v1/embedder_pb.ts';
import { TARGET_KINDS } from '../../shared/target-kinds.ts';
import { enumChoice } from '../kit/flags/enum.ts';
import { filling, given } from '../kit/flags/flag.ts';
import { integer } from '../kit/flags/kinds.ts';
import { resolveTargetOf, targetDeletion } from '../kit/naming/targets.ts';
import { enumText } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';
import { ownFlags, targetCommands } from './target-commands.ts';
import { targetParts } from './view.ts';

const embedderView: View<typeof EmbedderSchema> = {
  desc: EmbedderSchema,
  ...targetParts<Embedder>({
    id: ({ embedderId }) => embedderId,
    provider: ({ providerType }) => enumText(ProviderTypeSchema, providerType),
    columns: [{ header: 'DIM', value: ({ dimensionality }) => String(dimensionality), align: 'right', whole: true }],
    fields: [
      { header: 'dimensions', value: ({ dimensionality }) => String(dimensionality) },
      { header: 'vectors', value: ({ distributionType }) => enumText(DistributionTypeSchema, distributionType) },
      {
        header: 'longest input',
        value: ({ maxSequenceLength }) => (maxSequenceLength === undefined ? '' : `${maxSequenceLength} tokens`),
      },
    ],
  }),
};

const { createEmbedder, getEmbedder, listEmbedders, updateEmbedder, deleteEmbedder } = EmbedderService.method;

const own = ownFlags(
  {
    dimensions: filling(
      integer('--dimensions <n>', 'Length of its vectors', { min: 1, max: 16_000 }),
      'dimensionality',
    ),
    distribution: filling(
      enumChoice('--distribution <type>', 'Kind of its vectors (default DENSE)', DistributionTypeSchema),
      'distributionType',
    ),
    maxSequenceLength: integer('--max-sequence-length <n>', 'In tokens; longer inputs are cut before the call', {
      min: 1,
    }),
  },
  async ({ dimensions, distribution, maxSequenceLength }) =>
    given({ dimensionality: dimensions, distributionType: distribution, maxSequenceLength }),
);

export const embedders = targetCommands({
  noun: 'embedders',
  name: TARGET_KINDS.embedders.word,
  one: 'an embedder',
  exampleId: '01980000-0000-7000-8000-0000000000c1',
  goesBy: 'Name',
  resolve: (client, wanted) => resolveTargetOf('embedders', client, wanted),
  deletion: (client, wanted) => targetDeletion('embedders', client, wanted),
  view: embedderView,
  idOf: ({ embedderId }) => embedderId,
  provider: filling(
    enumChoice('--provider <type>', 'Provider that runs the endpoint', ProviderTypeSchema),
    'providerType',
  ),
  needs: (provider) => (provider === ProviderType.BUILTIN ? [] : ['url', 'dimensions']),
  needsText: 'Needs --provider, --name and --model; all but BUILTIN also --url and --dimensions.',
  own,
  labelHint: '; default=true marks the default embedder',
  updateNotes: 'While a space uses it, model, dimensions and distribution stay as they are.',
  deleteSummary: 'Delete an embedder that no space uses',
  examples: {
    create: [
      'embedders create --provider BUILTIN --name Lexical --model lexical-v1 --label default=true',
      'embedders create --provider TEI --name Small --url http://tei.lan:8080 --model bge-small --dimensions 384',
      'embedders create --provider OPENAI --name Large --url https://api.openai.com/v1 --model text-embedding-3-large --dimensions 3072 --secret -',
    ],
    list: ['embedders list', 'embedders list --label default=true', 'embedders list --provider TEI -o json'],
    update: [
      'embedders update 01980000-0000-7000-8000-0000000000c1 --name "Small text"',
      'embedders update 01980000-0000-7000-8000-0000000000c1 --secret-file key.txt',
      'embedders update 01980000-0000-7000-8000-0000000000c1 --merge-labels default=true',
    ],
    delete: 'embedders list --label team=old -o ndjson | jq -r .embedderId | xargs -n 1 svc embedders delete -f',
  },
  calls: {
    create: async (client, target, id) => {
      const record = await client.call(createEmbedder, { ...target, ...given({ embedderId: id }) });
      return { record, notes: [] };
    },
    get: (client, id) => client.call(getEmbedder, { embedderId: id }),
    list: async (client, filter) => (await client.call(listEmbedders, filter)).embedders,
    update: (client, id, change) => client.call(updateEmbedder, { embedderId: id, ...change }),
    delete: (client, id) => client.call(deleteEmbedder, { embedderId: id }),
  },
});
