import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationKey } from '../../src/shared/operations/table.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { grpcWire } from '../support/grpc-wire.ts';
import { restWire } from '../support/rest-wire.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { OpenAiStandIn } from '../support/stand-ins/openai.ts';
import type { Json, Wire } from '../support/wire.ts';

export const OPENAI_DIMENSIONS = 16;
const BUILTIN_DIMENSIONS = 64;
const POLL_MS = 50;
const WAIT_MS = 120_000;

/** A document that was sent, whatever became of it. */
export interface Sent {
  memoryId: string;
  spaceId: string;
  text: string;
  /** Whether the answer said that it is stored. */
  accepted: boolean;
}

export interface Document {
  text: string;
  spaceId: string;
  chunkSize?: number;
}

/** One running server with a connection over each wire. */
export interface Running {
  server: TestServer;
  rest: Wire;
  grpc: Wire;
}

/** A database that servers come and go on, with embedders and spaces of every kind. */
export interface Site {
  database: TestDatabase;
  standIn: OpenAiStandIn;
  embedders: { builtin: string; openai: string };
  /** Spaces by the embedders that they have. */
  spaces: { builtin: string; openai: string; both: string };
  sent: Sent[];
  start(flags?: readonly string[]): Promise<Running>;
  ok(running: Running, operation: OperationKey, request?: object): Promise<Json>;
  /** Sends documents one after the other, in turn over REST and gRPC, until one is not answered. */
  upload(running: Running, documents: readonly Document[]): Promise<void>;
  /** Asks until `look` gives something. */
  poll<T>(what: string, look: () => Promise<T | undefined>): Promise<T>;
  end(): Promise<void>;
}

/** A site, and the server with these flags that its spaces were made on, which still runs. */
export async function createSite(flags: readonly string[] = []): Promise<{ site: Site; first: Running }> {
  const database = await createTestDatabase();
  const standIn = await OpenAiStandIn.start({ dimensions: OPENAI_DIMENSIONS, maxInputs: 64 });
  const open = new Set<Running>();
  let key: string | undefined;
  const site: Site = {
    database,
    standIn,
    embedders: { builtin: '', openai: '' },
    spaces: { builtin: '', openai: '', both: '' },
    sent: [],
    async start(flags = []) {
      const server = await startServer({
        databaseFlags: database.serverFlags,
        flags: ['--rate-limit-max', '0', '--job-lease-s', '1', ...flags],
      });
      const running = { server, rest: restWire(server.rest), grpc: grpcWire(server.grpc) };
      open.add(running);
      key ??= await server.init();
      return running;
    },
    async ok(running, operation, request = {}) {
      const answer = await running.rest.call(operation, { ...request }, { key });
      if (!answer.ok) throw new Error(`${operation} answered ${answer.code}: ${answer.message} (${answer.details})`);
      return answer.body;
    },
    async upload(running, documents) {
      for (const [index, { text, spaceId, chunkSize }] of documents.entries()) {
        const wire = index % 2 === 0 ? running.rest : running.grpc;
        const document: Sent = { memoryId: randomUUID(), spaceId, text, accepted: false };
        site.sent.push(document);
        const { memoryId } = document;
        const chunkingConfig = chunkSize === undefined ? undefined : { recursive: { chunkSize } };
        const request = { memoryId, spaceId, contentType: 'text/plain', originalContent: text, chunkingConfig };
        const answer = await wire.call('createMemory', request, { key }).catch(() => undefined);
        if (answer === undefined) return;
        if (!answer.ok) throw new Error(`createMemory answered ${answer.code}: ${answer.message}`);
        document.accepted = true;
      }
    },
    async poll(what, look) {
      for (const end = Date.now() + WAIT_MS; Date.now() < end; await sleep(POLL_MS)) {
        const found = await look();
        if (found !== undefined) return found;
      }
      throw new Error(`it never happened: ${what}`);
    },
    async end() {
      for (const { server, rest, grpc } of open) {
        rest.close();
        grpc.close();
        await server.end('SIGKILL');
      }
      await standIn.close();
      await database.drop();
    },
  };
  return { site, first: await furnish(site, flags) };
}

async function furnish(site: Site, flags: readonly string[]): Promise<Running> {
  const running = await site.start(flags);
  const embedder = async (request: object) => {
    const { embedderId } = await site.ok(running, 'createEmbedder', { displayName: 'For tests', ...request });
    return embedderId as string;
  };
  const builtin = { providerType: 'BUILTIN', modelIdentifier: 'lexical-v1', dimensionality: BUILTIN_DIMENSIONS };
  site.embedders.builtin = await embedder(builtin);
  site.embedders.openai = await embedder({
    providerType: 'OPENAI',
    endpointUrl: `${site.standIn.url}/v1`,
    modelIdentifier: 'stand-in',
    dimensionality: OPENAI_DIMENSIONS,
  });
  const space = async (name: string, ...embedderIds: string[]) => {
    const spaceEmbedders = embedderIds.map((embedderId) => ({ embedderId }));
    return (await site.ok(running, 'createSpace', { name, spaceEmbedders })).spaceId as string;
  };
  site.spaces.builtin = await space('builtin', site.embedders.builtin);
  site.spaces.openai = await space('openai', site.embedders.openai);
  site.spaces.both = await space('both', site.embedders.openai, site.embedders.builtin);
  return running;
}
