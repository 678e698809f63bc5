import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Client, type ClientDuplexStream, credentials, type ServiceError as GrpcError, Metadata } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type PingClientMessage,
  PingClientMessageSchema,
  PingControl,
  type PingServerMessage,
  PingServerMessageSchema,
  PingService,
  TargetType,
} from '../../../src/shared/gen/service/v1/ping_pb.ts';
import { targets, usePing } from './ping.fixture.ts';

const ping = usePing();

describe('the two-way stream', () => {
  let client: Client;
  beforeAll(() => {
    client = new Client(ping.grpcAddress, credentials.createInsecure());
  });
  afterAll(() => client.close());

  /** A call with its events in order, and how it ended. */
  function open() {
    const metadata = new Metadata();
    metadata.set('x-api-key', 'owner');
    const call: ClientDuplexStream<PingClientMessage, PingServerMessage> = client.makeBidiStreamRequest(
      '/service.v1.PingService/Ping',
      (message: PingClientMessage) => Buffer.from(toBinary(PingClientMessageSchema, message)),
      (bytes: Buffer) => fromBinary(PingServerMessageSchema, bytes),
      metadata,
    );
    const events: PingServerMessage['event'][] = [];
    const waiting: (() => void)[] = [];
    call.on('data', ({ event }: PingServerMessage) => {
      events.push(event);
      for (const wake of waiting.splice(0)) wake();
    });
    const ended = new Promise<GrpcError | undefined>((resolve) => {
      call.on('error', (error: GrpcError) => resolve(error));
      call.on('end', () => resolve(undefined));
    });
    const received = async (count: number) => {
      while (events.length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    };
    return { call, events, ended, received };
  }

  const config = (extra: { count?: bigint; intervalMs?: bigint; maxInFlight?: bigint } = {}) =>
    create(PingClientMessageSchema, {
      message: {
        case: 'config',
        value: { targetId: targets.own, targetTypeHint: TargetType.EMBEDDER, count: 100n, intervalMs: 10n, ...extra },
      },
    });
  const control = (value: PingControl) => create(PingClientMessageSchema, { message: { case: 'control', value } });
  const errorCode = (error: GrpcError | undefined) => error?.metadata.get('x-error-code')[0];

  /** A call behind all that has been written: when it is answered, that has arrived. */
  const pingOnce = () =>
    new Promise<void>((resolve, reject) => {
      const { input } = PingService.method.pingOnce;
      client.makeUnaryRequest(
        '/service.v1.PingService/PingOnce',
        () => Buffer.from(toBinary(input, create(input, { targetId: targets.own }))),
        (bytes: Buffer) => bytes,
        {},
        Metadata.fromHttp2Headers({ 'x-api-key': 'owner' }),
        (error) => (error === null ? resolve() : reject(error)),
      );
    });

  test('starts no probe while paused, and continues when resumed', async () => {
    let release = () => {};
    const until = new Promise<void>((resolve) => {
      release = resolve;
    });
    ping.standIn.next({ kind: 'held', until });
    const { call, events, ended, received } = open();
    call.write(config({ count: 3n }));
    await ping.standIn.received(1);
    call.write(control(PingControl.PAUSE));
    await pingOnce();
    release();
    await received(1);
    // Several intervals: the next probe is long due.
    await new Promise((resolve) => setTimeout(resolve, 100));
    await pingOnce();
    expect([events.length, ping.standIn.requests.length]).toEqual([1, 3]);
    call.write(control(PingControl.RESUME));
    expect(await ended).toBeUndefined();
    expect(events.map(({ case: name }) => name)).toEqual(['result', 'result', 'result', 'summary']);
    expect(ping.standIn.requests).toHaveLength(5);
  });

  test('ends with the summary after CANCEL, without the probes in flight', async () => {
    ping.standIn.next({ kind: 'slow', ms: 1 });
    ping.standIn.always({ kind: 'hang' });
    const { call, events, ended, received } = open();
    call.write(config({ maxInFlight: 2n }));
    await received(1);
    await ping.standIn.received(3);
    call.write(control(PingControl.CANCEL));
    expect(await ended).toBeUndefined();
    expect(events.map(({ case: name }) => name)).toEqual(['result', 'summary']);
    expect(events[1]?.value).toMatchObject({ requests: 1, responses: 1, ok: 1, timeouts: 0, errors: 0 });
    await ping.idle();
  });

  test('continues after the client half-closes', async () => {
    const { call, events, ended } = open();
    call.write(config({ count: 2n }));
    call.end();
    expect(await ended).toBeUndefined();
    expect(events.at(-1)?.value).toMatchObject({ requests: 2, ok: 2 });
  });

  test('refuses a second config', async () => {
    ping.standIn.always({ kind: 'hang' });
    const { call, events, ended } = open();
    call.write(config());
    await ping.standIn.received(1);
    call.write(config());
    expect(errorCode(await ended)).toBe('INVALID_ARGUMENT');
    expect(events).toEqual([]);
    await ping.idle();
  });

  test.each([
    { what: 'a control', message: control(PingControl.RESUME) },
    { what: 'nothing', message: undefined },
  ])('refuses to begin with $what', async ({ message }) => {
    const { call, events, ended } = open();
    if (message !== undefined) call.write(message);
    else call.end();
    expect(errorCode(await ended)).toBe('INVALID_ARGUMENT');
    expect(events).toEqual([]);
  });

  test.each([
    { when: 'before its config', sends: false },
    { when: 'while probes are under way', sends: true },
  ])('stops when the client aborts $when', async ({ sends }) => {
    ping.standIn.always({ kind: 'hang' });
    const { call, ended } = open();
    const admitted = new Promise<void>((resolve) => call.on('metadata', () => resolve()));
    if (sends) {
      call.write(config({ maxInFlight: 2n }));
      await ping.standIn.received(2);
    } else {
      await admitted;
    }
    call.cancel();
    expect((await ended)?.code).toBe(1);
    await ping.idle();
    expect(ping.logged).toEqual([]);
    expect(ping.probes).toEqual([]);
  });
});
