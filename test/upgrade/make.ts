import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { schemaVersion } from '../../src/server/store/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { startServer } from '../support/server.ts';
import { OpenAiStandIn } from '../support/stand-ins/openai.ts';
import { connect } from './client.ts';
import { fill } from './content.ts';
import { type Expected, steady } from './expected.ts';
import { OPENAI_DIMENSIONS, PROVIDER_SECRET, SECRETS_KEY } from './secrets.ts';

const PG_DUMP = process.env.PG_DUMP ?? 'chroot /opt/svc-postgres17 /usr/lib/postgresql/17/bin/pg_dump';

/** What psql alone understands, and what would leave the session of the loader changed. */
const UNWANTED = /^\\(un)?restrict |^SELECT pg_catalog\.set_config\('search_path'/;

process.env.SVC_TEST_DATABASE = 'postgres';
const database = await createTestDatabase({ migrated: false });
const standIn = await OpenAiStandIn.start({ dimensions: OPENAI_DIMENSIONS });
standIn.requiredHeader = { name: 'Authorization', value: `Bearer ${PROVIDER_SECRET}` };
try {
  const server = await startServer({
    databaseFlags: database.serverFlags,
    flags: ['--secrets-key', SECRETS_KEY, '--rate-limit-max', '0'],
  });
  try {
    const rootKey = await server.init();
    const root = connect(server.rest, rootKey);
    const { paths, memoryIds, requests, ...filled } = await fill(root, rootKey, standIn);
    const expected: Expected = { ...filled, rootKey, records: {}, memories: [], retrievals: [] };
    standIn.always(undefined);
    for (const path of paths) expected.records[path] = steady(await root.get(path));
    for (const id of memoryIds) {
      const record = await root.get(`/v1/memories/${id}?includeContent=true&includeProcessingHistory=true`);
      expected.memories.push({ record, text: await root.text(`/v1/memories/${id}/text`) });
    }
    for (const request of requests) expected.retrievals.push({ request, chunkIds: await root.retrieve(request) });
    await server.end('SIGKILL');
    const version = await versionOf(database);
    const name = fileURLToPath(new URL(`./schema-${version}`, import.meta.url));
    writeFileSync(`${name}.sql`, withoutPaths(dump(database.url ?? '')));
    writeFileSync(`${name}.json`, withoutPaths(`${JSON.stringify(expected, undefined, 1)}\n`));
  } finally {
    await server.end('SIGKILL');
  }
} finally {
  await standIn.close();
  await database.drop();
}

/** In four digits, as migrations are numbered. */
async function versionOf(of: TestDatabase): Promise<string> {
  const db = await of.connect();
  const version = await schemaVersion(db);
  await db.close();
  return String(version).padStart(4, '0');
}

function dump(url: string): string {
  const [command = '', ...args] = PG_DUMP.split(' ');
  const options = ['--inserts', '--rows-per-insert=100', '--no-owner', '--no-privileges', '--no-comments'];
  const sql = execFileSync(command, [...args, ...options, url], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return `${sql
    .split('\n')
    .filter((line) => !UNWANTED.test(line))
    .join('\n')}\n`;
}

/** Stack traces of failed jobs name the folder of the checkout, which is nobody's business. */
function withoutPaths(text: string): string {
  return text.replaceAll(new URL('../../', import.meta.url).href, 'file:///srv/svc/');
}
