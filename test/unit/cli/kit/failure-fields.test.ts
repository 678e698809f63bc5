import { expect, test } from 'vitest';
import { EmbedderService } from '../../../../src/shared/gen/service/v1/embedder_pb.ts';
import { MemoryService } from '../../../../src/shared/gen/service/v1/memory_pb.ts';
import { SpaceService } from '../../../../src/shared/gen/service/v1/space_pb.ts';
import { failure } from '../../../support/client/grpc-failure.fixture.ts';
import { useService } from '../service.fixture.ts';

const ID = '01980000-0000-7000-8000-0000000000b1';
const TARGET = ['--provider', 'TEI', '--name', 'n', '--url', 'http://t', '--model', 'm', '--dimensions', '3'];
const start = useService([SpaceService, EmbedderService, MemoryService]);

/** What people read of details that the service sends. */
async function told(args: readonly string[], details: string): Promise<string> {
  const metadata = { 'x-error-code': 'INVALID_ARGUMENT', 'x-error-details': encodeURIComponent(details) };
  const refused = failure(3, 'Request has invalid fields', metadata);
  const refuse = () => Promise.reject(refused);
  const unary = { CreateSpace: refuse, UpdateSpace: refuse, ListSpaces: refuse, CreateEmbedder: refuse };
  const { svc } = await start({ unary, stream: { RetrieveMemory: (call) => void call.emit('error', refused) } });
  const { code, stderr } = await svc(args);
  expect(code).toBe(65);
  return stderr.split('\n')[1]?.trim() ?? '';
}

test.each([
  ['spaces create x --id y', 'spaceEmbedders[0].embedderId: not a UUID', '--embedder: not a UUID'],
  ['spaces create x', 'space_embedders[0].embedder_id: not a UUID', '--embedder: not a UUID'],
  [
    'spaces create x',
    'name: must have 1 to 255 characters; spaceId: not a UUID',
    '<name>: must have 1 to 255 characters; --id: not a UUID',
  ],
  ['spaces create x', 'defaultChunkingConfig.recursive.chunkOverlap: too large', '--chunk-overlap: too large'],
  ['spaces create x', 'default_chunking_config.sentence.max_chunk_size: too large', '--chunk-size: too large'],
  ['spaces create x', 'labels.name: too long', '--label: too long'],
  [
    'spaces list',
    'publicRead: cannot be given together with ownerId',
    'publicRead: cannot be given together with --owner',
  ],
  [
    `spaces update ${ID} --name y`,
    'retention_days: too many; spaceId: not a UUID',
    '--retention-days: too many; <space>: not a UUID',
  ],
  [
    `embedders create ${TARGET.join(' ')}`,
    'endpointUrl: not a URL; credentials.apiKey.inlineSecret: too long',
    '--url: not a URL; --secret: too long',
  ],
  [
    `embedders create ${TARGET.join(' ')}`,
    'model_identifier: too long; labels: too many',
    '--model: too long; --label: too many',
  ],
  [
    `retrieve q --space ${ID}`,
    'spaceKeys[0].filter: too long; message: too long',
    '--filter: too long; <query>: too long',
  ],
  [
    `retrieve q --space ${ID}`,
    'hnsw.ef_search: too large; postProcessor.name: no post processor has this name',
    '--ef-search: too large; --post-processor: no post processor has this name',
  ],
  // What nothing on the command line fills keeps its name.
  ['spaces list', 'nextToken: does not belong to this list', 'nextToken: does not belong to this list'],
])('svc %s: "%s" names the flag', async (line, details, shown) => {
  expect(await told(line.split(' '), details)).toBe(shown);
});

test('and so does the error in JSON', async () => {
  const { svc } = await start({
    unary: {
      ListSpaces: () =>
        Promise.reject(failure(3, 'Bad', { 'x-error-code': 'INVALID_ARGUMENT', 'x-error-details': 'sortBy: unknown' })),
    },
  });
  expect(JSON.parse((await svc(['spaces', 'list', '-o', 'json'])).stderr).error.details).toBe('--sort: unknown');
});
