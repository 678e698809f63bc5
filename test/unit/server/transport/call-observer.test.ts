import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Caller, type Premise, StaleError } from '../../../../src/server/context.ts';
import type { CallObserver, FinishedCall } from '../../../../src/server/transport/call-observer.ts';
import { ServiceError } from '../../../../src/shared/errors.ts';
import { grpcWire } from '../../../support/grpc-wire.ts';
import { restWire } from '../../../support/rest-wire.ts';
import type { Wire } from '../../../support/wire.ts';
import { HANDLERS, SPACE_ID, startWires, type Wires } from './transport.fixture.ts';

/** Everything that an observer is told, as one line each. */
class Recorder implements CallObserver {
  readonly lines: string[] = [];
  readonly durations: number[] = [];
  #running = 0;
  #idle: (() => void)[] = [];

  callBegun(transport: string) {
    this.#running += 1;
    this.lines.push(`begun ${transport}`);
  }
  callFinished({ transport, operation, code, durationMs }: FinishedCall) {
    this.#running -= 1;
    this.durations.push(durationMs);
    this.lines.push(`finished ${transport} ${operation} ${code}`);
    if (this.#running === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
  streamOpened(transport: string) {
    this.lines.push(`opened ${transport}`);
  }
  streamClosed(transport: string) {
    this.lines.push(`closed ${transport}`);
  }
  eventSent(operation: string, member: string) {
    this.lines.push(`sent ${operation} ${member}`);
  }
  rateLimited(transport: string) {
    this.lines.push(`limited ${transport}`);
  }
  authFailed(reason: string) {
    this.lines.push(`auth ${reason}`);
  }

  /** The lines so far once no call runs: a response is finished a moment after its client has read it. */
  async take(): Promise<string[]> {
    if (this.#running > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
    return this.lines.splice(0);
  }
}

let recorder: Recorder;
let wires: Wires;
const open: Wire[] = [];

beforeEach(async () => {
  recorder = new Recorder();
  wires = await startWires({ observer: recorder });
  open.push(restWire(wires.rest), grpcWire(wires.grpc));
});
afterEach(async () => {
  for (const wire of open.splice(0)) wire.close();
  await wires.close();
});

const retrieve = (message: string) => ({ message, spaceKeys: [{ spaceId: SPACE_ID }] });

test.each([
  ['rest', 0],
  ['grpc', 1],
] as const)('%s: every call of an operation is reported once, with its code', async (transport, index) => {
  const wire = open[index] as Wire;
  await wire.call('listSpaces', {}, { key: 'key-a' });
  expect(await recorder.take()).toEqual([`begun ${transport}`, `finished ${transport} ListSpaces UNAVAILABLE`]);
  wires.open();
  await wire.call('listSpaces', {}, { key: 'key-a' });
  expect(await recorder.take()).toEqual([`begun ${transport}`, `finished ${transport} ListSpaces OK`]);
  await wire.call('listSpaces', { maxResults: 1 });
  expect(await recorder.take()).toEqual([
    `begun ${transport}`,
    'auth missing',
    `finished ${transport} ListSpaces UNAUTHENTICATED`,
  ]);
  await wire.call('listSpaces', {}, { key: 'wrong' });
  expect(await recorder.take()).toContain('auth invalid');
  await wire.call('createSpace', { name: '' }, { key: 'key-a' });
  expect((await recorder.take()).at(-1)).toBe(`finished ${transport} CreateSpace UNIMPLEMENTED`);
  await wire.call('retrieveMemory', retrieve(''), { key: 'key-a' });
  expect(await recorder.take()).toEqual([
    `begun ${transport}`,
    `finished ${transport} RetrieveMemory INVALID_ARGUMENT`,
  ]);
  expect(recorder.durations.every((ms) => ms >= 0 && ms < 60_000)).toBe(true);
});

/** Opens the door for calls on what was learned of a key, as far as `settle` still finds it so; no key is usable now. */
function openOnLearned(settle: Premise['settle']): void {
  const caller: Caller = { userId: 'a', apiKeyId: 'a', role: 'USER', readOnly: false, spaceIds: undefined };
  const premise = (): Premise => ({ guard: undefined, settle, renew: async () => undefined });
  wires.open({ authenticate: async () => undefined, recall: () => ({ caller, premise: premise() }) });
}

test.each([
  ['rest', 0],
  ['grpc', 1],
] as const)(
  '%s: a key that was revoked after it was learned is refused as every other, and counted once',
  async (transport, index) => {
    const wire = open[index] as Wire;
    openOnLearned(async () => {
      throw new StaleError('key');
    });
    const calls = [
      ['ListSpaces', () => wire.call('listSpaces', {}, { key: 'key-a' })],
      ['GetUser', () => wire.call('getUser', { userId: SPACE_ID }, { key: 'key-a' })],
      ['RetrieveMemory', () => wire.call('retrieveMemory', retrieve('boiler'), { key: 'key-a' })],
      ['RetrieveMemory', () => wire.call('retrieveMemory', retrieve(''), { key: 'key-a' })],
    ] as const;
    for (const [operation, call] of calls) {
      await call();
      expect(await recorder.take()).toEqual([
        `begun ${transport}`,
        'auth invalid',
        `finished ${transport} ${operation} UNAUTHENTICATED`,
      ]);
    }
  },
);

test.each([
  ['rest', 0],
  ['grpc', 1],
] as const)(
  '%s: nothing is refused for what a key was once allowed while that cannot be proved',
  async (transport, index) => {
    const wire = open[index] as Wire;
    openOnLearned(async () => {
      throw new ServiceError('UNAVAILABLE', 'The database cannot be reached');
    });
    const calls = [
      ['GetSystemStatus', () => wire.call('getSystemStatus', {}, { key: 'key-a' })],
      ['RetrieveMemory', () => wire.call('retrieveMemory', retrieve(''), { key: 'key-a' })],
    ] as const;
    for (const [operation, call] of calls) {
      await call();
      expect(await recorder.take()).toEqual([`begun ${transport}`, `finished ${transport} ${operation} UNAVAILABLE`]);
    }
  },
);

test.each([
  ['rest', 0],
  ['grpc', 1],
] as const)('%s: event streams report their events', async (transport, index) => {
  wires.open();
  const wire = open[index] as Wire;
  const call = (message: string) => wire.call('retrieveMemory', retrieve(message), { key: 'key-a' });
  await call('boiler');
  expect(await recorder.take()).toEqual([
    `begun ${transport}`,
    `opened ${transport}`,
    'sent RetrieveMemory resultSetBoundary',
    'sent RetrieveMemory retrievedItem',
    `closed ${transport}`,
    `finished ${transport} RetrieveMemory OK`,
  ]);
  await call('fail');
  expect(await recorder.take()).toEqual([`begun ${transport}`, `finished ${transport} RetrieveMemory INTERNAL`]);
  await call('break').catch(() => {});
  expect(await recorder.take()).toEqual([
    `begun ${transport}`,
    `opened ${transport}`,
    'sent RetrieveMemory resultSetBoundary',
    `closed ${transport}`,
    `finished ${transport} RetrieveMemory INTERNAL`,
  ]);
});

test.each([
  ['rest', 0],
  ['grpc', 1],
] as const)('%s: a client abort is reported as CANCELLED', async (transport, index) => {
  const leaving = new AbortController();
  wires.open({
    handlers: {
      ...HANDLERS,
      listSpaces: async (_request, { signal }) => {
        leaving.abort();
        return await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
      async *retrieveMemory(_request, { signal }) {
        leaving.abort();
        await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      },
    },
  });
  const wire = open[index] as Wire;
  const call = wire.call('retrieveMemory', retrieve('boiler'), { key: 'key-a', signal: leaving.signal });
  await call.catch(() => {});
  expect((await recorder.take()).at(-1)).toBe(`finished ${transport} RetrieveMemory CANCELLED`);
});

test('calls outside the operations are not reported', async () => {
  wires.open();
  for (const path of ['/nowhere', '/v1/nowhere', '/livez', '/v1/%zz']) await fetch(`${wires.rest}${path}`);
  expect(await recorder.take()).toEqual([]);
  await fetch(`${wires.rest}/v1/proxy/llms/1/models`, { headers: { 'x-api-key': 'key-a' } });
  expect((await recorder.take()).at(-1)).toBe('finished rest ProxyInferenceTarget UNIMPLEMENTED');
});
