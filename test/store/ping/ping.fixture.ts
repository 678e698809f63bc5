import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Caller } from '../../../src/server/context.ts';
import { Lifecycle } from '../../../src/server/lifecycle.ts';
import { createLogger } from '../../../src/server/log.ts';
import { createTargetClients } from '../../../src/server/providers/clients.ts';
import { createProviderHttp, type ProviderHttp } from '../../../src/server/providers/http.ts';
import { createPingHandlers, type ProbeEvent } from '../../../src/server/service/ping/handlers.ts';
import { newId } from '../../../src/server/service/resources.ts';
import { createTargetOpener } from '../../../src/server/service/targets/open-target.ts';
import type { Db } from '../../../src/server/store/db.ts';
import { embedderStore } from '../../../src/server/store/embedders.ts';
import { insertUser } from '../../../src/server/store/users.ts';
import { Calls } from '../../../src/server/transport/calls.ts';
import { type RunningGrpc, startGrpc } from '../../../src/server/transport/grpc/server.ts';
import { type RunningRest, startRest } from '../../../src/server/transport/rest/server.ts';
import type { RoleName } from '../../../src/shared/identity.ts';
import { grpcWire } from '../../support/grpc-wire.ts';
import { type KeptDatabase, takeDatabase } from '../../support/kept-database.ts';
import { LOOPBACK_POLICY } from '../../support/loopback-policy.ts';
import { restWire } from '../../support/rest-wire.ts';
import { OpenAiStandIn } from '../../support/stand-ins/openai.ts';
import type { Wire } from '../../support/wire.ts';
import { newTarget } from '../target.fixture.ts';

const DIMENSIONS = 8;
const users = { root: newId(), owner: newId(), other: newId() };
const roles: Record<keyof typeof users, RoleName> = { root: 'ROOT', owner: 'USER', other: 'USER' };
/** Embedders: one of root's, one of the owner's, and one that runs in the process. */
export const targets = { shared: newId(), own: newId(), builtin: newId() };

interface PingServers {
  /** REST, then gRPC. */
  wires: Wire[];
  restUrl: string;
  grpcAddress: string;
  /** The provider of all embedders that are not built in. */
  standIn: OpenAiStandIn;
  /** What was counted and logged since the test began. */
  probes: ProbeEvent[];
  logged: string[];
  /** Resolves when no call is under way; a call that leaks runs into the time-out of its test. */
  idle(): Promise<void>;
}

/** Both wires with what pings need behind them, for the tests of a file. A key is the name of its user. */
export function usePing(): PingServers {
  const lifecycle = new Lifecycle();
  const ping = {
    wires: [],
    probes: [],
    logged: [],
    async idle() {
      while (lifecycle.running > 0) await new Promise((resolve) => setImmediate(resolve));
    },
  } as unknown as PingServers;
  let database: KeptDatabase;
  let http: ProviderHttp;
  let rest: RunningRest;
  let grpc: RunningGrpc;

  beforeAll(async () => {
    database = await takeDatabase();
    ping.standIn = await OpenAiStandIn.start({ dimensions: DIMENSIONS });
    http = createProviderHttp({ policy: LOOPBACK_POLICY });
    const db = await database.connect();
    await insertRows(db, ping.standIn.url);
    const builtin = async (texts: readonly string[], dimensions: number) =>
      texts.map(() => new Float32Array(dimensions).fill(1));
    const clients = createTargetClients({ http, timeoutMs: 20_000, builtin });
    const handlers = createPingHandlers({
      targets: createTargetOpener({ pool: db.main, secretsKey: undefined, clients }),
      observe: (event) => ping.probes.push(event),
    });
    const log = createLogger({ level: 'warn', format: 'json', stream: { write: (line) => ping.logged.push(line) } });
    const calls = new Calls(lifecycle, log);
    calls.serve({ handlers, authenticate: async (key) => callerNamed(key) });
    lifecycle.ready();
    const common = { host: '127.0.0.1', port: 0, tls: undefined, version: 'test' };
    rest = await startRest(calls, lifecycle, log, { ...common, maxBodyBytes: 4_000_000 });
    grpc = await startGrpc(calls, lifecycle, log, { ...common, maxMessageBytes: 4_000_000 });
    ping.restUrl = `http://127.0.0.1:${rest.port}`;
    ping.grpcAddress = `127.0.0.1:${grpc.port}`;
    ping.wires.push(restWire(ping.restUrl), grpcWire(ping.grpcAddress));
  });

  afterAll(async () => {
    for (const wire of ping.wires) wire.close();
    rest?.destroy();
    grpc?.destroy();
    await http?.close();
    await ping.standIn?.close();
    await database?.drop();
  });

  beforeEach(() => {
    ping.standIn.always(undefined);
    ping.standIn.requests.length = 0;
    ping.probes.length = 0;
    ping.logged.length = 0;
  });
  return ping;
}

async function insertRows(db: Db, standIn: string): Promise<void> {
  for (const [name, userId] of Object.entries(users)) {
    const role = roles[name as keyof typeof users];
    await insertUser(db.main, { userId, email: `${name}@example.org`, displayName: name, username: null, role });
  }
  const insert = (embedderId: string, ownerId: string, providerType = 'OPENAI') =>
    embedderStore.insert(db.main, embedder(standIn, embedderId, ownerId, providerType));
  await insert(targets.shared, users.root);
  await insert(targets.own, users.owner);
  await insert(targets.builtin, users.root, 'BUILTIN');
}

function callerNamed(key: string): Caller | undefined {
  const [name, restriction] = key.split('/');
  const userId = users[name as keyof typeof users];
  if (userId === undefined) return undefined;
  return {
    userId,
    apiKeyId: newId(),
    role: roles[name as keyof typeof users],
    readOnly: restriction === 'read-only',
    spaceIds: restriction === 'space-bound' ? new Set([newId()]) : undefined,
  };
}

function embedder(standIn: string, id: string, ownerId: string, providerType: string) {
  return {
    ...newTarget(id, ownerId, { providerType }),
    endpointUrl: providerType === 'BUILTIN' ? '' : `${standIn}/v1`,
    apiPath: providerType === 'BUILTIN' ? '' : '/embeddings',
    modelIdentifier: providerType === 'BUILTIN' ? 'lexical-v1' : 'text-small',
    dimensionality: DIMENSIONS,
    distributionType: 'DENSE',
    maxSequenceLength: null,
  };
}
