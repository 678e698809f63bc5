import { afterAll, describe, expect, test } from 'vitest';
import { PingControl, PingService } from '../../src/shared/gen/service/v1/ping_pb.ts';
import { startGrpcServer, type TestGrpcServer } from '../support/client/grpc-server.fixture.ts';
import { useOwnUser } from '../support/server.fixture.ts';
import { type TestTerminal, useTerminals } from '../support/terminal.ts';

const open = useTerminals();
const CTRL_C = '\u0003';
const CTRL_BACKSLASH = '\u001c';
const ID = '01980000-0000-7000-8000-0000000000c1';
const endpoint = {
  targetType: 3,
  provider: 'OPENAI',
  modelIdentifier: 'small',
  resolvedEndpoint: 'https://llm.example',
};

type Fields = Record<string, unknown>;

/** A ping whose events come when the test says so. */
interface Staged {
  env: Record<string, string>;
  /** Sends results; what is not given is a good answer. */
  probe(...results: Fields[]): void;
  send(event: Fields): void;
  /** Sends the last event and ends. */
  sum(fields: Fields): void;
  end(): void;
  /** Resolves when the ping has arrived. */
  called: Promise<void>;
}

const stages: TestGrpcServer[] = [];
afterAll(() => {
  for (const stage of stages) stage.close();
});

async function stage(onCancel: (staged: Staged) => void = () => {}): Promise<Staged> {
  let send = (_event: Fields): void => {};
  let end = (): void => {};
  let arrived = (): void => {};
  const called = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  let seq = 0;
  const server = await startGrpcServer([PingService], {
    duplex: {
      Ping: (call, sendMessage) => {
        send = (event) => sendMessage({ event });
        end = () => call.end();
        arrived();
        call.on('data', ({ message }: { message: { value: unknown } }) => {
          if (message.value === PingControl.CANCEL) onCancel(staged);
        });
      },
    },
  });
  stages.push(server);
  const staged: Staged = {
    env: { SVC_SERVER: `http://127.0.0.1:${server.port}`, SVC_API_KEY: 'svc_test' },
    called,
    probe: (...results) => {
      for (const fields of results) {
        seq += 1;
        const value = { endpoint, seq, ok: true, httpStatus: 200, bytesSent: 64n, bytesReceived: 4096n, ...fields };
        send({ case: 'result', value });
      }
    },
    send: (event) => send(event),
    sum: (fields) => {
      send({ case: 'summary', value: { endpoint, ...fields } });
      end();
    },
    end: () => end(),
  };
  return staged;
}

const refused = { ok: false, httpStatus: 503, rttMs: 12, bytesReceived: 90n, errorMessage: 'the model is loading' };
const late = { ok: false, httpStatus: undefined, rttMs: 5000, bytesReceived: 0n, errorMessage: 'no answer in 5000 ms' };
const figures = { rttMinMs: 8, rttAvgMs: 12, rttP50Ms: 12, rttP90Ms: 16, rttP99Ms: 16, rttMaxMs: 16 };

function widest({ lines }: TestTerminal): number {
  return Math.max(...lines.map((line) => line.length));
}

describe('on the built-in embedder', () => {
  const user = useOwnUser();

  test.each([60, 80, 200])('a line for each probe and its statistics fit %i columns', async (columns) => {
    const terminal = open(['ping', '--stream', '-c', '12', '-i', '20ms'], { columns, env: user.env });
    expect(await terminal.ended()).toBe(0);
    const [heading, headings, ...rest] = terminal.lines;
    expect(heading).toBe('PING lexical-v1 (BUILTIN embedder) at builtin:lexical-v1');
    expect(headings).toMatch(/^ +seq +time +status +sent +received$/);
    for (const [at, line] of rest.slice(0, 12).entries()) {
      expect(line).toMatch(new RegExp(`^ +${at + 1} +\\d+\\.\\d+ ms  ok +64 B +4\\.1 kB$`));
    }
    expect(rest.slice(12, 17)).toEqual([
      '',
      expect.stringMatching(/^[▁▂▃▄▅▆▇█]{12}$/),
      '',
      '--- lexical-v1 ping statistics ---',
      '12 probes, 12 ok, 0 errors, 0 time-outs, 0% loss',
    ]);
    expect(rest.slice(17).join('')).toMatch(/^rtt min\/avg\/p50\/p90\/p99\/max = *(\d+\.\d+\/?){6} ms$/);
    expect(widest(terminal)).toBeLessThanOrEqual(columns);
  });

  test('an unknown target: the error of the server is shown although it arrives while the screen loads', async () => {
    const terminal = open(['ping', ID, '--stream'], { env: user.env });
    expect(await terminal.ended()).toBe(66);
    expect(terminal.lines.at(-2)).toBe(`svc: Target not found: ${ID}`);
  });

  test('a single probe, by the name of its target', async () => {
    const terminal = open(['ping', 'BUILT-IN lexical'], { columns: 60, env: user.env });
    expect(await terminal.ended()).toBe(0);
    expect(terminal.lines[0]).toBe('PING lexical-v1 (BUILTIN embedder) at builtin:lexical-v1');
    expect(terminal.lines[1]).toMatch(/^ok: answered in \d+\.\d+ ms; 64 B sent, 4\.1 kB received$/);
  });
});

test('failures, time-outs and where the time went; Ctrl-\\ prints the statistics so far and goes on', async () => {
  const staged = await stage(({ sum }) =>
    sum({ requests: 5, responses: 4, ok: 3, errors: 1, timeouts: 1, ...figures }),
  );
  const terminal = open(['ping', ID, '--stream', '-c', '200'], { env: { ...staged.env, NO_COLOR: '1' } });
  await terminal.shows('Waiting for the first of 200 probes; Ctrl-C ends');
  await staged.called;
  const details = { requested: '200', applied: '100' };
  staged.send({ case: 'notice', value: { code: 'COUNT_CLAMPED', message: 'Probe count was reduced', details } });
  const timing = { serverReceivedTimeUnixNanos: 1_000_000n, serverSendTimeUnixNanos: 7_000_000n };
  staged.probe({ rttMs: 8, timing }, refused, late, { rttMs: 16 });
  await terminal.shows('4 of 100 probes');
  expect(terminal.text).toMatchInlineSnapshot(`
    "note: Probe count was reducedfrom 200 to 100 (COUNT_CLAMPED)
    PING small (OPENAI LLM) at https://llm.example
      seq        time  status         sent  received
        1     8.00 ms  200            64 B    4.1 kB  network 2.00 + server 6.00 ms
    ×   2     12.0 ms  503            64 B      90 B
           the model is loading
    ×   3   5000.0 ms  no answer      64 B       0 B
           no answer in 5000 ms
        4     16.0 ms  200            64 B    4.1 kB

    ▄××█
    min 8.00  avg 12.0  max 16.0 ms   4 of 100 probes
    p50 12.0  p90 16.0  p99 16.0 ms   2 failed  50% loss"
  `);

  terminal.type(CTRL_BACKSLASH);
  await terminal.shows('4 probes so far, 2 ok, 2 failed, 50% loss');
  staged.probe({ rttMs: 12 });
  await terminal.shows('5 of 100 probes');
  terminal.type(CTRL_C);
  expect(await terminal.ended()).toBe(130);
  expect(terminal.lines.slice(9)).toMatchInlineSnapshot(`
    [
      "",
      "--- small ping statistics ---",
      "4 probes so far, 2 ok, 2 failed, 50% loss",
      "rtt min/avg/p50/p90/p99/max = 8.00/12.0/12.0/16.0/16.0/16.0 ms",
      "",
      "    5     12.0 ms  200            64 B    4.1 kB",
      "",
      "▄××█▆",
      "",
      "--- small ping statistics ---",
      "5 probes, 3 ok, 1 error, 1 time-out, 40% loss",
      "rtt min/avg/p50/p90/p99/max = 8.00/12.0/12.0/16.0/16.0/16.0 ms",
    ]
  `);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences that set colors.
  expect(terminal.raw.match(/\u001b\[[\d;]*m/g) ?? []).toEqual([]);
});

describe('Ctrl-C', () => {
  test('before the first result: empty statistics, and 130', async () => {
    const staged = await stage(({ sum }) => sum({}));
    const terminal = open(['ping', ID, '--stream'], { env: staged.env });
    await terminal.shows('Waiting for the first of 4 probes');
    await staged.called;
    terminal.type(CTRL_C);
    expect(await terminal.ended()).toBe(130);
    expect(terminal.lines).toEqual([
      '',
      '--- small ping statistics ---',
      '0 probes, 0 ok, 0 errors, 0 time-outs, 0% loss',
    ]);
  });

  test('a second one ends at once, with the cursor where it was', async () => {
    const staged = await stage();
    const terminal = open(['ping', ID, '--stream'], { env: staged.env });
    await terminal.shows('Waiting for the first');
    await staged.called;
    staged.probe({ rttMs: 8 });
    await terminal.shows('1 of 4 probes');
    terminal.type(CTRL_C);
    await terminal.shows('Ctrl-C again ends at once');
    terminal.type(CTRL_C);
    expect(await terminal.ended()).toBe(130);
    expect(terminal.raw.lastIndexOf('\u001b[?25h')).toBeGreaterThan(terminal.raw.lastIndexOf('\u001b[?25l'));
  });

  test('after the statistics: they stay, and it is 130', async () => {
    const staged = await stage(({ end }) => end());
    const terminal = open(['ping', ID, '--stream', '-c', '1'], { env: staged.env });
    await terminal.shows('Waiting for the first');
    await staged.called;
    staged.probe({ rttMs: 8 });
    staged.send({ case: 'summary', value: { endpoint, requests: 1, responses: 1, ok: 1, ...figures } });
    await terminal.shows('1 probe, 1 ok');
    terminal.type(CTRL_C);
    expect(await terminal.ended()).toBe(130);
    expect(terminal.text.match(/ping statistics/g)).toHaveLength(1);
  });
});

test('a terminal that is resized while it streams: every probe once, no leftover lines', async () => {
  const staged = await stage();
  const terminal = open(['ping', ID, '--stream', '-c', '90'], { columns: 200, rows: 30, env: staged.env });
  await terminal.shows('Waiting for the first');
  await staged.called;
  const send = async (upTo: number): Promise<void> => {
    staged.probe(...Array.from({ length: 30 }, (_, at) => (at === 7 ? refused : { rttMs: 8 + at })));
    await terminal.shows(`${upTo} of 90 probes`);
  };
  await send(30);
  terminal.resize(60, 30);
  await send(60);
  terminal.resize(120, 20);
  await send(90);
  staged.sum({ requests: 90, responses: 90, ok: 87, errors: 3, ...figures });
  expect(await terminal.ended()).toBe(0);
  const rows = terminal.lines.flatMap((line) => /^[ ×] +(\d+) +\d+\.\d+ ms/.exec(line)?.[1] ?? []);
  expect(rows).toEqual(Array.from({ length: 90 }, (_, at) => String(at + 1)));
  expect(terminal.lines.filter((line) => /p99 \d/.test(line))).toEqual([]);
  // The emulator may move the cursor by a row before the program knows of the new size: an empty row is all that may stay.
  const written = terminal.lines.filter((line) => line !== '');
  expect(written.at(-4)).toMatch(/^[▁▂▃▄▅▆▇█×]{90}$/);
  expect(written.filter((line) => /[▁▂▃▄▅▆▇█]/.test(line))).toHaveLength(1);
});

test('plain lines, without any sequence that moves or colors; no probe succeeded: 1', async () => {
  const staged = await stage();
  const terminal = open(['ping', ID, '--stream', '--plain'], { columns: 60, env: staged.env });
  await staged.called;
  staged.probe(refused);
  await terminal.shows('seq=1');
  terminal.type(CTRL_BACKSLASH);
  await terminal.shows('1 probe so far, 0 ok, 1 failed, 100% loss');
  staged.sum({ requests: 1, responses: 1, errors: 1, ...figures });
  expect(await terminal.ended()).toBe(1);
  expect(terminal.text).toMatchInlineSnapshot(`
    "PING small (OPENAI LLM) at https://llm.example
    seq=1 time=12.0 ms status=503 sent=64 received=90 error: the
     model is loading
    ^\\
    --- small ping statistics ---
    1 probe so far, 0 ok, 1 failed, 100% loss
    rtt min/avg/p50/p90/p99/max =
      12.0/12.0/12.0/12.0/12.0/12.0 ms

    --- small ping statistics ---
    1 probe, 0 ok, 1 error, 0 time-outs, 100% loss
    rtt min/avg/p50/p90/p99/max =
      8.00/12.0/12.0/16.0/16.0/16.0 ms"
  `);
  expect(terminal.raw).not.toContain('\u001b');
});
