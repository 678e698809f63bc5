import { afterAll, beforeAll } from 'vitest';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startServer, type TestServer } from './server.ts';

export interface RunningServer {
  server: TestServer;
  rootKey: string;
}

/** One server for a whole test file; its fields can be read once the tests run. */
export function useServer(flags: readonly string[] = []): RunningServer {
  const running = {} as RunningServer;
  let database: TestDatabase | undefined;
  beforeAll(async () => {
    database = await createTestDatabase();
    running.server = await startServer({
      databaseFlags: database.serverFlags,
      flags: ['--rate-limit-max', '0', ...flags],
    });
    running.rootKey = await running.server.init();
  });
  afterAll(async () => {
    await running.server?.end();
    await database?.drop();
  });
  return running;
}
