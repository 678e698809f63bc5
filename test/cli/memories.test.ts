import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cli } from '../support/client/host.fixture.ts';
import { useOwnUser } from '../support/server.fixture.ts';
import { runSvc } from '../support/server.ts';
import { unique } from '../support/stage.ts';

const user = useOwnUser();
/** Every user sees the embedders of root's. */
const embedder = unique('Mine');
let env: Record<string, string>;
let folder: string;
let embedderId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-cli-memories-'));
  await mkdir(join(folder, 'notes'));
  await writeFile(join(folder, 'notes/boiler.txt'), 'The boiler was serviced on 3 March.');
  await writeFile(join(folder, 'notes/roof.md'), '# Roof\n\nThe roof was mended in June.');
  await writeFile(join(folder, 'notes/broken.pdf'), 'not a PDF');
  env = user.env;
  const flags = ['--provider', 'BUILTIN', '--name', embedder, '--model', 'lexical-v1', '--dimensions', '512'];
  embedderId = JSON.parse(await direct('embedders', 'create', ...flags, '-o', 'json')).embedderId;
  await direct('spaces', 'create', 'house', '--embedder', embedderId);
});
afterAll(() => rm(folder, { recursive: true }));

const svc = (args: readonly string[], input?: string | Buffer) =>
  runSvc(args, { env, ...(input === undefined ? {} : { input }) });

/** stdout of a call that must succeed without a word on stderr. */
async function data(...args: string[]): Promise<string> {
  return silent(args, await svc(args));
}

/** The same from this process, where a new one would show nothing more. */
async function direct(...args: string[]): Promise<string> {
  return silent(args, await cli(args, { env }));
}

function silent(args: readonly string[], { code, stdout, stderr }: Awaited<ReturnType<typeof svc>>): string {
  expect({ code, stderr }, args.join(' ')).toEqual({ code: 0, stderr: '' });
  return stdout;
}

const lines = (text: string): string[] => text.trimEnd().split('\n');
const adding = (...flags: string[]): string[] => ['memories', 'add', 'house', join(folder, 'notes'), ...flags];
const add = (...flags: string[]) => cli(adding(...flags), { env, cwd: process.cwd() });

test('files are added and processed; what cannot be processed is listed and counts as a failure', async () => {
  const { code, stdout, stderr } = await svc(adding('--wait', '-o', 'ndjson'));
  expect(code).toBe(1);
  const states = lines(stdout).map((line) => {
    const { metadata, processingStatus } = JSON.parse(line);
    return `${metadata.path} ${processingStatus}`;
  });
  expect(states.sort()).toEqual(['notes/boiler.txt COMPLETED', 'notes/broken.pdf FAILED', 'notes/roof.md COMPLETED']);
  const failures = lines(stderr).filter((line) => line.startsWith('{'));
  expect(failures.map((line) => JSON.parse(line).error.message)).toEqual([expect.stringContaining('notes/broken.pdf')]);
});

test('a memory is named by its path, and every resource by a prefix of its id', async () => {
  const byPath = JSON.parse(await direct('memories', 'get', 'notes/boiler.txt', '-o', 'json'));
  const byId = JSON.parse(await direct('memories', 'get', byPath.memoryId.slice(0, 8), '-o', 'json'));
  expect(byId).toEqual(byPath);
  const space = JSON.parse(await direct('spaces', 'get', byPath.spaceId.slice(0, 18), '-o', 'json'));
  expect(space).toMatchObject({ spaceId: byPath.spaceId, name: 'house', spaceEmbedders: [{ embedderId }] });
  expect(JSON.parse(await direct('embedders', 'get', embedder, '-o', 'json')).embedderId).toBe(embedderId);
  expect(await cli(['memories', 'get', 'notes/nosuch.txt'], { env })).toMatchObject({ code: 66, stdout: '' });
});

test('a second run uploads nothing; a changed file is uploaded', async () => {
  const again = await add();
  expect(again).toMatchObject({ code: 0, stderr: '3 unchanged\n' });
  expect(again.stdout).toMatch(/notes\/broken\.pdf {2}\(its processing has failed: .+\)\n/);
  await writeFile(join(folder, 'notes/roof.md'), '# Roof\n\nThe roof was mended in July.');
  expect((await add('--dry-run')).stdout).toMatch(/^would upload {2}\S+ {2}text\/markdown {2}notes\/roof\.md$/m);
  const changed = await add('--parallel', '1', '--wait');
  expect(changed.stderr).toMatch(/^1 uploaded, 2 unchanged, 1 replaced$/m);
});

test('memories are listed, shown, and read byte for byte', async () => {
  const records = lines(await direct('memories', 'list', 'house', '--status', 'COMPLETED', '-o', 'ndjson')).map(
    (line) => JSON.parse(line),
  );
  expect(records).toHaveLength(2);
  expect((await direct('memories', 'list', 'house', '--status', 'FAILED')).split('\n')[1]).toContain(
    'notes/broken.pdf',
  );
  const boiler = records.find(({ metadata }) => metadata.filename === 'boiler.txt');
  expect(await data('memories', 'content', boiler.memoryId)).toBe('The boiler was serviced on 3 March.');
  expect(await direct('memories', 'text', boiler.memoryId)).toBe('The boiler was serviced on 3 March.');
  const shown = JSON.parse(await direct('memories', 'get', boiler.memoryId, '--history', '--content', '-o', 'json'));
  expect(Buffer.from(shown.originalContent, 'base64').toString()).toBe('The boiler was serviced on 3 March.');
  expect(shown.processingHistory.attempts[0].ok).toBe(true);
});

test('stdin of any bytes comes back byte for byte', async () => {
  const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, index) => (index * 7919) % 251));
  const added = await svc(
    ['memories', 'add', 'house', '-', '--content-type', 'application/x-thing', '-o', 'ndjson'],
    bytes,
  );
  const { memoryId, originalContentSha256 } = JSON.parse(added.stdout);
  expect(originalContentSha256).toBe(createHash('sha256').update(bytes).digest('hex'));
  const stdout = await direct('memories', 'get', memoryId, '--content', '-o', 'ndjson');
  expect(Buffer.from(JSON.parse(stdout).originalContent, 'base64').equals(bytes)).toBe(true);
});

/** The id of the result set is the one thing that differs between two identical calls. */
const withoutSetId = (text: string): string => text.replaceAll(/"resultSetId":"[0-9a-f-]{36}"/g, '"resultSetId":"X"');

async function restStream(body: object): Promise<string> {
  const response = await fetch(`${user.stage.server.rest}/v1/memories:retrieve`, {
    method: 'POST',
    headers: { 'x-api-key': env.SVC_API_KEY ?? '', 'content-type': 'application/json', accept: 'application/x-ndjson' },
    body: JSON.stringify(body),
  });
  return withoutSetId(await response.text());
}

test('retrieve -o ndjson writes the bytes of the REST stream', async () => {
  const { spaceId } = JSON.parse(await direct('spaces', 'get', 'house', '-o', 'json'));
  const plain = { message: 'boiler', spaceKeys: [{ spaceId }] };
  const output = await data('retrieve', 'boiler', '--space', 'house', '-o', 'ndjson');
  expect(lines(output).length).toBeGreaterThan(3);
  expect(withoutSetId(output)).toBe(await restStream(plain));
  const config = { max_results: 1, chronological_resort: false };
  const chat = await direct(
    'retrieve',
    'boiler',
    '--space',
    'house',
    '--max-results',
    '1',
    '--no-chronological',
    '-o',
    'ndjson',
  );
  expect(withoutSetId(chat)).toBe(await restStream({ ...plain, postProcessor: { config } }));
});

test('retrieve finds and filters, and says when there are no results', async () => {
  const found = lines(await direct('retrieve', 'when was the boiler serviced', '--max-results', '1')).map((line) =>
    JSON.parse(line),
  );
  expect(found.find(({ retrievedItem }) => retrievedItem)?.retrievedItem.chunk.chunkText).toBe(
    'The boiler was serviced on 3 March.',
  );
  const filter = "val('$.filename') = 'roof.md'";
  const names = lines(await direct('retrieve', 'boiler', '--filter', filter)).flatMap(
    (line) => JSON.parse(line).memoryDefinition?.metadata.filename ?? [],
  );
  expect(new Set(names)).toEqual(new Set(['roof.md']));
  const shown = await cli(['retrieve', 'boiler', '--plain', '--max-results', '1'], { env, now: Date.now });
  expect(shown.stdout).toMatch(
    /^\[1\] \d\.\d{3} {2}notes\/boiler\.txt {2}(?:just now|\d+ minutes? ago)\n {4}The boiler was serviced on 3 March\.\n$/,
  );
  expect(await cli(['retrieve', 'x', '--filter', 'val('], { env })).toMatchObject({ code: 65, stdout: '' });
  expect((await cli(['retrieve', 'x', '--space', 'nowhere'], { env })).code).toBe(66);
});

test('ping probes once and as a stream', async () => {
  expect(await direct('ping', embedderId)).toMatch(/^seq=\d+ time=[\d.]+ ms .*sent=\d+ received=\d+\n$/);
  const events = lines(await direct('ping', embedderId, '--stream', '-c', '2', '-i', '10ms')).map(
    (line) => Object.keys(JSON.parse(line))[0],
  );
  expect(events).toEqual(['result', 'result', 'summary']);
  const array = JSON.parse(await direct('ping', embedderId, '--stream', '-c', '1', '-o', 'json'));
  expect(array).toHaveLength(2);
});

test('memories are deleted by id and by filter', async () => {
  const [first] = lines(await direct('memories', 'list', 'house', '-o', 'ndjson'));
  const { memoryId } = JSON.parse(first ?? '');
  expect(await cli(['memories', 'delete', memoryId, '-f'], { env })).toMatchObject({
    code: 0,
    stderr: 'Deleted 1 memory\n',
  });
  expect((await cli(['memories', 'delete', memoryId, '-f'], { env })).code).toBe(66);
  const filter = "field('contentType') LIKE 'text/%'";
  const matching = await cli(['memories', 'delete', '--space', 'house', '--filter', filter, '-f'], { env });
  expect(matching).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Deleted \d memories\n$/) });
  expect((await cli(['memories', 'delete'], { env })).code).toBe(64);
});
