import { afterAll, beforeAll, test } from 'vitest';
import { createTestDatabase } from './database.ts';
import { useOpened } from './opened.ts';
import { restWire } from './rest-wire.ts';
import { startServer, type TestServer } from './server.ts';
import { Stage } from './stage.ts';

interface RunningServer {
  server: TestServer;
  rootKey: string;
}

async function start(flags: readonly string[]): Promise<RunningServer & { end(): Promise<void> }> {
  const database = await createTestDatabase();
  const server = await startServer({
    databaseFlags: database.serverFlags,
    flags: ['--rate-limit-max', '0', ...flags],
  });
  const end = async () => {
    const code = await server.end();
    await database.drop();
    if (code !== 0) throw new Error(`the server ended with ${code}`);
  };
  return { server, rootKey: await server.init(), end };
}

/** Of all processor time that a file needs a start takes more than most of them have to do: 1.4 s. */
// biome-ignore lint/correctness/noEmptyPattern: Vitest insists on a pattern, as it reads there what is wanted
const sharing = test.extend('shared', { scope: 'worker' }, async ({}, { onCleanup }) => {
  const { end, ...running } = await start([]);
  onCleanup(end);
  return running;
});

/**
 * The server that all files of one worker share which want no flags: others have left users, keys and spaces there. Its
 * fields can be read once the tests run; its logs are those since the file began.
 */
export function useServer(): RunningServer {
  const running = {} as RunningServer;
  sharing.beforeAll(({ shared }) => {
    Object.assign(running, shared);
    running.server.logs.length = 0;
  });
  return running;
}

/**
 * A user for this file alone on the shared server, whose lists hold only what the file makes: `env` lets `svc` call as
 * that user, and the calls of `stage` do so unless another key is given.
 */
export function useOwnUser(): { stage: Stage; env: { SVC_SERVER: string; SVC_API_KEY: string } } {
  const running = useServer();
  return useOpened(
    async () => {
      const { server, rootKey } = running;
      const wire = restWire(server.rest);
      const user = await new Stage(wire, server, { key: rootKey, userId: '' }).person();
      const env = { SVC_SERVER: server.grpc, SVC_API_KEY: user.key };
      return { stage: new Stage(wire, server, user), env };
    },
    async ({ stage }) => stage.wire.close(),
  );
}

/** A server with these flags, for this file alone. */
export function useOwnServer(flags: readonly string[] = []): RunningServer {
  const running = {} as RunningServer;
  let end: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const started = await start(flags);
    end = started.end;
    Object.assign(running, started);
  });
  afterAll(async () => end?.());
  return running;
}

/** The BUILTIN embedder of root's that all share: two with the same dimensions could not be made. */
export async function sharedEmbedder({ server, rootKey: key }: RunningServer): Promise<string> {
  const wire = restWire(server.rest);
  try {
    return await new Stage(wire, server, { key, userId: '' }).embedder();
  } finally {
    wire.close();
  }
}
