import { expect, test } from 'vitest';
import { invalidFields, ServiceError, type Violation } from '../../../../../src/shared/errors.ts';
import { EmbedderService } from '../../../../../src/shared/gen/service/v1/embedder_pb.ts';
import { MemoryService } from '../../../../../src/shared/gen/service/v1/memory_pb.ts';
import { SpaceService } from '../../../../../src/shared/gen/service/v1/space_pb.ts';
import { refusal } from '../../../../support/client/grpc-failure.fixture.ts';
import { useService } from '../../service.fixture.ts';

const ID = '01980000-0000-7000-8000-0000000000b1';
const TARGET = ['--provider', 'TEI', '--name', 'n', '--url', 'http://t', '--model', 'm', '--dimensions', '3'];
const start = useService([SpaceService, EmbedderService, MemoryService]);

/** What people read of an error that the service sends. */
async function told(args: readonly string[], error: ServiceError): Promise<string> {
  const refused = refusal(error);
  const refuse = () => Promise.reject(refused);
  const unary = { CreateSpace: refuse, UpdateSpace: refuse, ListSpaces: refuse, CreateEmbedder: refuse };
  const { svc } = await start({ unary, stream: { RetrieveMemory: (call) => void call.emit('error', refused) } });
  const { code, stderr } = await svc(args);
  expect(code).toBe(65);
  return stderr.split('\n')[1]?.trim() ?? '';
}

/** `path: problem` joined with `; `, as the service writes its details. */
function violationsOf(details: string): Violation[] {
  return details.split('; ').map((one) => {
    const [path = '', problem = ''] = one.split(': ');
    return { path, problem };
  });
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
  ['spaces list', 'publicRead: is not allowed', '--public: is not allowed'],
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
  expect(await told(line.split(' '), invalidFields(violationsOf(details)))).toBe(shown);
});

test('and so does the error in JSON', async () => {
  const refused = refusal(invalidFields([{ path: 'sortBy', problem: 'unknown' }]));
  const { svc } = await start({ unary: { ListSpaces: () => Promise.reject(refused) } });
  expect(JSON.parse((await svc(['spaces', 'list', '-o', 'json'])).stderr).error.details).toBe('--sort: unknown');
});

test('words are not searched for fields', async () => {
  const line = ['spaces', 'list'];
  const named = invalidFields([{ path: 'nextToken', problem: 'is not for sortBy: name; ownerId: x' }]);
  expect(await told(line, named)).toBe('nextToken: is not for sortBy: name; ownerId: x');
  const bare = new ServiceError('INVALID_ARGUMENT', 'Bad', { details: 'sortBy: unknown; ownerId: not a UUID' });
  expect(await told(line, bare)).toBe('sortBy: unknown; ownerId: not a UUID');
});

test('nothing is lost where the fields as data are cut short', async () => {
  const line = ['spaces', 'list'];
  const problem = 'x'.repeat(300);
  const [short, long] = [
    { path: 'sortBy', problem: 'unknown' },
    { path: 'ownerId', problem },
  ];
  expect(await told(line, invalidFields([short, long]))).toBe(`--sort: unknown; --owner: ${problem}`);
  expect(await told(line, invalidFields([long, short]))).toBe(`ownerId: ${problem}; sortBy: unknown`);
  const many = Array.from({ length: 50 }, (_, at) => ({ path: 'ownerId', problem: `${'y'.repeat(30)} ${at}` }));
  const shown = (await told(line, invalidFields(many))).split('; ');
  expect(shown).toHaveLength(50);
  expect(shown[0]).toBe(`--owner: ${many[0]?.problem}`);
  expect(shown.at(-1)).toBe(`ownerId: ${many.at(-1)?.problem}`);
});
