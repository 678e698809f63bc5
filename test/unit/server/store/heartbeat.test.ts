import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { parseDatabaseUrl } from '../../../../src/server/settings/database-url.ts';
import { createConnector } from '../../../../src/server/store/connect.ts';
import { Heartbeat } from '../../../../src/server/store/heartbeat.ts';
import type { Session } from '../../../../src/server/store/session.ts';
import { TypeParsers } from '../../../../src/server/store/type-parsers.ts';
import { refusing } from '../../../support/postgres-stand-in.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A database whose connections can be cut off one by one, or all at once with every new one. */
function database() {
  const state = { silent: false, opened: 0, asked: 0, said: [] as string[], refusal: undefined as unknown };
  const never = new Promise<never>(() => {});
  const open = async (signal: AbortSignal): Promise<Session> => {
    state.opened += 1;
    const ended = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    if (state.refusal !== undefined) throw state.refusal;
    if (state.silent) await ended;
    const session = {
      retired: false,
      cut: false,
      send: () => {
        state.asked += 1;
        return state.silent || session.cut ? never : Promise.resolve();
      },
      destroy: () => {
        session.retired = true;
      },
      close: async () => session.destroy(),
    };
    sessions.push(session);
    return session as unknown as Session;
  };
  const sessions: { cut: boolean; retired: boolean }[] = [];
  const onChange = (answers: boolean) => state.said.push(answers ? 'answers' : 'silent');
  const heartbeat = new Heartbeat({ open, onChange });
  heartbeat.start();
  return { state, sessions, heartbeat };
}

test('a database that answers is probed over one connection, and nothing is logged', async () => {
  const { state, heartbeat } = database();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(state).toMatchObject({ opened: 1, said: [] });
  await heartbeat.stop();
  const { asked, opened } = state;
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(state).toMatchObject({ asked, opened });
});

test('silence is reported within ten seconds, and so is its end', async () => {
  const { state, heartbeat } = database();
  await vi.advanceTimersByTimeAsync(5000);
  state.silent = true;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(state.said).toEqual(['silent']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(state.said).toEqual(['silent']);
  state.silent = false;
  await vi.advanceTimersByTimeAsync(5000);
  expect(state.said).toEqual(['silent', 'answers']);
  await heartbeat.stop();
  const { asked, opened } = state;
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(state).toMatchObject({ asked, opened });
});

test('a closed connection is replaced before anything is logged', async () => {
  const { state, sessions, heartbeat } = database();
  await vi.advanceTimersByTimeAsync(5000);
  for (const session of sessions) session.cut = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(state).toMatchObject({ opened: 2, said: [] });
  expect(sessions.map(({ retired }) => retired)).toEqual([true, false]);
  await heartbeat.stop();
});

test('a short restart is not logged', async () => {
  const { state, heartbeat } = database();
  await vi.advanceTimersByTimeAsync(5000);
  state.silent = true;
  await vi.advanceTimersByTimeAsync(4000);
  state.silent = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(state.said).toEqual([]);
  await heartbeat.stop();
});

/** What opening a connection fails with where every one is refused with this SQLSTATE. */
async function refusalOf(code: string): Promise<unknown> {
  vi.useRealTimers();
  const standIn = await refusing(code, 'not now');
  const target = parseDatabaseUrl(`postgresql://ada:secret@127.0.0.1:${standIn.port}/memories?sslmode=disable`);
  const connector = createConnector({ target, types: new TypeParsers(), embedded: false });
  const refusal = await connector.open().catch((error: unknown) => error);
  await standIn.close();
  vi.useFakeTimers();
  return refusal;
}

test.each([
  ['53300', 'there', []],
  ['53400', 'there', []],
  ['57P03', 'away', ['silent']],
])('a database that refuses every connection with %s is %s', async (code, _, said) => {
  const refusal = await refusalOf(code);
  const { state, sessions, heartbeat } = database();
  await vi.advanceTimersByTimeAsync(5000);
  state.refusal = refusal;
  for (const session of sessions) session.cut = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(state.opened).toBeGreaterThan(10);
  expect(state.said).toEqual(said);
  await heartbeat.stop();
});
