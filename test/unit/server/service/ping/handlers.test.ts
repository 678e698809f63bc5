import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { followControls, readPingConfig } from '../../../../../src/server/service/ping/handlers.ts';
import { ProbeRun } from '../../../../../src/server/service/ping/probe-run.ts';
import { ServiceError } from '../../../../../src/shared/errors.ts';
import {
  type PingClientMessage,
  PingClientMessageSchema,
  PingControl,
} from '../../../../../src/shared/gen/service/v1/ping_pb.ts';
import { all, held, OK, schedule, settle } from './probe-run.fixture.ts';

describe('messages of the client', () => {
  const config = () => create(PingClientMessageSchema, { message: { case: 'config', value: { targetId: 'x' } } });
  const control = (value: PingControl) => create(PingClientMessageSchema, { message: { case: 'control', value } });
  const none = () => create(PingClientMessageSchema);
  const signal = () => new AbortController().signal;

  async function* sent(...messages: (PingClientMessage | Error)[]): AsyncGenerator<PingClientMessage> {
    for (const message of messages) {
      if (message instanceof Error) throw message;
      yield message;
    }
  }

  test('begin with a config', async () => {
    await expect(readPingConfig(sent(config()), signal())).resolves.toMatchObject({ targetId: 'x' });
  });

  test.each([
    { what: 'nothing', messages: [] },
    { what: 'a control', messages: [control(PingControl.CANCEL)] },
    { what: 'an empty message', messages: [none()] },
  ])('may not begin with $what', async ({ messages }) => {
    await expect(readPingConfig(sent(...messages), signal())).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  test('are not waited for after a client abort', async () => {
    const controller = new AbortController();
    const silent = { next: () => new Promise<IteratorResult<PingClientMessage>>(() => {}) };
    const reading = readPingConfig(silent, controller.signal);
    controller.abort(new DOMException('gone', 'AbortError'));
    await expect(reading).rejects.toThrow('gone');
    await expect(readPingConfig(silent, controller.signal)).rejects.toThrow('gone');
  });

  test.each([
    { what: 'a second config', message: config(), code: 'INVALID_ARGUMENT' },
    { what: 'an unspecified control', message: control(PingControl.UNSPECIFIED), code: 'INVALID_ARGUMENT' },
    { what: 'an empty message', message: none(), code: 'INVALID_ARGUMENT' },
    {
      what: 'an unreadable message',
      message: new ServiceError('INVALID_REQUEST', 'not a message'),
      code: 'INVALID_REQUEST',
    },
  ])('end the run with $code after $what', async ({ message, code }) => {
    const { probes, run, results } = held();
    const first = results.next();
    await settle();
    await followControls(sent(message), run);
    await expect(first).rejects.toMatchObject({ code });
    expect(probes.aborted).toEqual([true]);
  });

  test('may half-close while the run continues', async () => {
    const run = new ProbeRun(schedule({ count: 2 }), async () => OK, signal());
    await followControls(sent(control(PingControl.PAUSE), control(PingControl.RESUME)), run);
    expect(await all(run.results())).toHaveLength(2);
  });

  test('are left unread after CANCEL', async () => {
    const { run, results } = held();
    const messages = sent(control(PingControl.CANCEL), config());
    await followControls(messages, run);
    expect(await all(results)).toEqual([]);
    // The generator is still open: returning it would close the answering side of a real stream.
    expect((await messages.next()).done).toBe(false);
  });
});
