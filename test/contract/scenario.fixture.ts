import { afterAll, beforeAll, describe, test } from 'vitest';
import { grpcWire } from '../support/grpc-wire.ts';
import { restWire } from '../support/rest-wire.ts';
import { useOwnServer, useServer } from '../support/server.fixture.ts';
import { Stage } from '../support/stage.ts';

/** One promise of the interface, told once and played over both wires. */
export interface Scenario {
  name: string;
  run(stage: Stage): Promise<void>;
}

/** Declares the tests of a file: every scenario over REST and over gRPC, on a server of its own if it wants flags. */
export function playScenarios(areas: Readonly<Record<string, readonly Scenario[]>>, flags?: readonly string[]): void {
  const running = flags === undefined ? useServer() : useOwnServer(flags);
  const stages = new Map<string, Stage>();

  beforeAll(async () => {
    const { server, rootKey: key } = running;
    const rest = restWire(server.rest);
    const me = await rest.call('getUser', {}, { key });
    if (!me.ok) throw new Error(`getUser answered ${me.code}`);
    const root = { key, userId: me.body.userId as string };
    for (const wire of [rest, grpcWire(server.grpc)]) stages.set(wire.name, new Stage(wire, server, root));
  });

  afterAll(() => {
    for (const stage of stages.values()) stage.wire.close();
  });

  describe.each(['REST', 'gRPC'])('%s', (wire) => {
    describe.each(Object.entries(areas))('%s', (_area, scenarios) => {
      test.each(scenarios.map((scenario) => [scenario.name, scenario] as const))('%s', async (_name, scenario) => {
        const stage = stages.get(wire);
        if (stage === undefined) throw new Error('the server did not start');
        await scenario.run(stage);
      });
    });
  });
}
