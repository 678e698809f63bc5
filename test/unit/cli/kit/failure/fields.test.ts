import { describe, expect, test } from 'vitest';
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

describe('where one of the two texts is cut short, the names of flags stay and nothing is lost', () => {
  const line = ['spaces', 'list'];
  const short = { path: 'sortBy', problem: 'unknown' };
  const long = { path: 'ownerId', problem: 'x'.repeat(300) };

  test('a long problem first, last, and between others', async () => {
    expect(await told(line, invalidFields([short, long]))).toBe(`--sort: unknown; --owner: ${long.problem}`);
    expect(await told(line, invalidFields([long, short]))).toBe(`--owner: ${long.problem}; --sort: unknown`);
    const long2 = { path: 'public_read', problem: 'z'.repeat(500) };
    expect(await told(line, invalidFields([long, short, long2, short]))).toBe(
      `--owner: ${long.problem}; --sort: unknown; --public: ${long2.problem}; --sort: unknown`,
    );
  });

  test('a long problem of spaces create', async () => {
    const fields = [
      { path: 'space_embedders[0].embedder_id', problem: 'x'.repeat(250) },
      { path: 'retention_days', problem: 'must be at least 1' },
    ];
    expect(await told(['spaces', 'create', 'x'], invalidFields(fields))).toBe(
      `--embedder: ${fields[0]?.problem}; --retention-days: must be at least 1`,
    );
  });

  test('more fields than the data have room for', async () => {
    const many = Array.from({ length: 40 }, (_, at) => ({
      path: `space_embedders[${at}].embedder_id`,
      problem: 'not a UUID',
    }));
    expect(await told(['spaces', 'create', 'x'], invalidFields(many))).toBe(
      many.map(() => '--embedder: not a UUID').join('; '),
    );
    const numbered = Array.from({ length: 50 }, (_, at) => ({ path: 'ownerId', problem: `${'y'.repeat(30)} ${at}` }));
    expect(await told(line, invalidFields(numbered))).toBe(
      numbered.map(({ problem }) => `--owner: ${problem}`).join('; '),
    );
  });

  test('a path longer than the data have it', async () => {
    const path = `labels.${'k'.repeat(250)}`;
    const fields = [short, { path, problem: 'too long' }, short].map((one) => ({ ...one }));
    expect(await told(['spaces', 'create', 'x'], invalidFields(fields))).toBe(
      'sortBy: unknown; --label: too long; sortBy: unknown',
    );
  });

  test('a long problem that quotes what looks like a field', async () => {
    const problem = `got "a; sortBy: b; name: ${'c'.repeat(200)}"`;
    expect(await told(line, invalidFields([{ path: 'ownerId', problem }, short]))).toBe(
      `--owner: ${problem}; --sort: unknown`,
    );
  });

  test.each([350, 345, 340, 335, 330])('text that is cut after %i wide characters', async (length) => {
    // Nine characters each in the text, which has room for some 355 of them, and three bytes in the data.
    const wide = { path: 'ownerId', problem: '長'.repeat(length) };
    const last = { path: 'sortBy', problem: 'unknown, and there is no such order' };
    expect(await told(line, invalidFields([wide, last]))).toBe(
      `--owner: ${wide.problem}; --sort: unknown, and there is no such order`,
    );
  });
});

describe('of several flags that fill a field', () => {
  const refused = invalidFields([{ path: 'requestedSize', problem: 'must be between 0 and 1000' }]);

  test.each([
    ['--candidates 5000', '--candidates'],
    ['--max-results 5', '--max-results'],
    ['--candidates 5000 --max-results 5 --no-chronological', '--candidates'],
  ])('%s: the one that was given is named', async (flags, shown) => {
    const args = ['retrieve', 'q', '--space', ID, ...flags.split(' ')];
    expect(await told(args, refused)).toBe(`${shown}: must be between 0 and 1000`);
  });
});
