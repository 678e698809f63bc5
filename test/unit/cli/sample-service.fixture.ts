import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type Handlers, startGrpcServer, type TestGrpcServer } from '../../support/client/grpc-server.fixture.ts';
import { type CliOptions, type CliResult, cli } from '../../support/client/host.fixture.ts';
import { ALL_SERVICES } from './all-services.fixture.ts';
import { SAMPLE_FILES } from './sample-lines.fixture.ts';

const CONFIG = {
  currentProfile: 'work',
  profiles: {
    work: {
      server: 'https://memory.example.com:9090',
      apiKey: 'svc_workabcdefghijklmnopqrstuvwxyz2345',
      tls: 'pin',
      output: 'auto',
      tlsSeen: true,
      certificateSha256: Array.from({ length: 32 }, () => 'AB').join(':'),
    },
    local: { server: 'localhost:9090' },
    'a-profile-with-a-name-as-long-as-anybody-would-want': { server: 'http://[2001:db8::7]:9090', tls: 'plaintext' },
  },
};

interface SampleService {
  svc(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  /** The folder with the sample files. */
  readonly folder: string;
  readonly server: TestGrpcServer;
  /** Puts the config file back as it was. */
  resetConfig(): Promise<void>;
}

/** One stand-in of the service for a file of tests, with a folder of files and a config file. */
export function useSampleService(handlers: Handlers): SampleService {
  let folder = '';
  let server: TestGrpcServer | undefined;
  beforeAll(async () => {
    server = await startGrpcServer(ALL_SERVICES, handlers);
    folder = await mkdtemp(join(tmpdir(), 'svc-sample-'));
    for (const [name, text] of Object.entries(SAMPLE_FILES)) await writeFile(join(folder, name), text);
    await mkdir(join(folder, 'svc'));
    await resetConfig();
  });
  const resetConfig = () => writeFile(join(folder, 'svc', 'config.json'), JSON.stringify(CONFIG), { mode: 0o600 });
  afterAll(async () => {
    server?.close();
    await rm(folder, { recursive: true });
  });
  const started = (): TestGrpcServer => {
    if (server === undefined) throw new Error('the stand-in has not started');
    return server;
  };
  return {
    get folder() {
      return folder;
    },
    get server() {
      return started();
    },
    resetConfig,
    svc: (args, { env = {}, ...options } = {}) => {
      // The profiles are there to be looked at: the calls of the other commands go to the stand-in.
      const own =
        args[0] === 'profile'
          ? { XDG_CONFIG_HOME: folder }
          : { SVC_SERVER: `http://127.0.0.1:${started().port}`, SVC_API_KEY: 'svc_test' };
      return cli(args, { env: { ...own, ...env }, cwd: folder, offersAll: true, ...options });
    },
  };
}
