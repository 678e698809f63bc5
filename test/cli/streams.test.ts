import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { spawn as spawnPty } from '@lydell/node-pty';
import { afterEach, expect, test } from 'vitest';
import { LLMService } from '../../src/shared/gen/service/v1/llm_pb.ts';
import { MemoryService } from '../../src/shared/gen/service/v1/memory_pb.ts';
import { PingControl, PingService } from '../../src/shared/gen/service/v1/ping_pb.ts';
import { ResultSetBoundary_Kind as BoundaryKind } from '../../src/shared/gen/service/v1/retrieve_pb.ts';
import { SpaceService } from '../../src/shared/gen/service/v1/space_pb.ts';
import { type Handlers, startGrpcServer } from '../support/client/grpc-server.fixture.ts';
import { SVC } from '../support/command.ts';
import { NO_CONFIG } from '../support/server.ts';

const ID = '01980000-0000-7000-8000-0000000000b1';
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

async function environment(handlers: Handlers): Promise<Record<string, string>> {
  const server = await startGrpcServer([MemoryService, PingService, SpaceService, LLMService], handlers);
  cleanups.push(() => server.close());
  const inherited = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !/^(SVC_|NO_COLOR|CI$|TERM$)/.test(entry[0]),
  );
  return {
    ...Object.fromEntries(inherited),
    TERM: 'xterm-256color',
    XDG_CONFIG_HOME: NO_CONFIG,
    SVC_SERVER: `http://127.0.0.1:${server.port}`,
  };
}

type Running = ChildProcessByStdio<null, Readable, Readable>;

function start(args: readonly string[], env: Record<string, string>): Running {
  const [program, ...words] = SVC;
  const child = spawn(program, [...words, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  cleanups.push(() => child.kill('SIGKILL'));
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  return child;
}

async function outputUntil(stream: Readable, wanted: string): Promise<string> {
  let text = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes(wanted)) return text;
  }
  throw new Error(`the output ended without ${wanted}: ${text}`);
}

const endless: Handlers = {
  stream: {
    RetrieveMemory: (call, send) => {
      const timer = setInterval(
        () => send({ event: { case: 'status', value: { code: 'PARTIAL_RESULTS', message: 'x'.repeat(1000) } } }),
        5,
      );
      call.on('cancelled', () => clearInterval(timer));
    },
  },
};

const probing: Handlers = {
  duplex: {
    Ping: (call, send) => {
      call.on('data', (message: { message: { case: string; value: unknown } }) => {
        if (message.message.case === 'config') {
          send({
            event: { case: 'result', value: { seq: 1, ok: true, rttMs: 1.5, bytesSent: 4n, bytesReceived: 8n } },
          });
        } else if (message.message.value === PingControl.CANCEL) {
          send({ event: { case: 'summary', value: { requests: 1, responses: 1, ok: 1 } } });
          call.end();
        }
      });
    },
  },
};

test('a closed pipe ends a stream quietly with 0', async () => {
  const child = start(['retrieve', 'q', '--space', ID], await environment(endless));
  const errors = child.stderr.toArray();
  await outputUntil(child.stdout, '\n');
  child.stdout.destroy();
  const [code] = await once(child, 'exit');
  expect({ code, stderr: (await errors).join('') }).toEqual({ code: 0, stderr: '' });
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s cancels a stream and ends with %i', async (signal, exit) => {
  const child = start(['retrieve', 'q', '--space', ID], await environment(endless));
  await outputUntil(child.stdout, '\n');
  child.stdout.resume();
  child.kill(signal);
  const [code] = await once(child, 'exit');
  expect(code).toBe(exit);
});

/** Two results and an answer; the end is held back until `release` is called. */
function answering(release: Promise<void>): Handlers {
  const item = (chunkText: string) => ({
    case: 'retrievedItem',
    value: { item: { case: 'chunk', value: { memoryId: ID, chunkText } }, relevanceScore: 0.5 },
  });
  return {
    unary: { ListLLMs: () => ({ llms: [{ llmId: ID, displayName: 'Small', labels: {} }] }) },
    stream: {
      RetrieveMemory: async (call, send) => {
        const { postProcessor } = call.request as { postProcessor?: unknown };
        send({ event: { case: 'resultSetBoundary', value: { kind: BoundaryKind.BEGIN, expectedItems: 2 } } });
        for (const text of ['one', 'two\u2028']) send({ event: item(text) });
        send({ event: { case: 'status', value: { code: 'PARTIAL_RESULTS', message: 'A part is missing' } } });
        await release;
        send({ event: { case: 'resultSetBoundary', value: { kind: BoundaryKind.END } } });
        if (postProcessor !== undefined) send({ event: { case: 'abstractReply', value: { text: 'Two [2].' } } });
        call.end();
      },
    },
  };
}

test.each([
  [['retrieve', 'q', '--json', 'text,score'], '[{"text":"one","score":0.5},{"text":"two\\u2028","score":0.5}]\n'],
  [['retrieve', 'q', '--json', 'text', '--jq', '.[].text'], 'one\ntwo\u2028\n'],
  [['ask', 'q', '--json', 'answer,sources', '--jq', '.answer, (.sources | length)'], 'Two [2].\n1\n'],
])('%j is data in a pipe, remarks go to stderr', async (args, expected) => {
  const child = start([...args, '--space', ID], await environment(answering(Promise.resolve())));
  const [stdout, stderr] = await Promise.all([child.stdout.toArray(), child.stderr.toArray()]);
  expect(stdout.join('')).toBe(expected);
  expect(stderr.join('')).toBe('note: A part is missing (PARTIAL_RESULTS)\n');
});

test('SIGINT before the end makes --json write no partial document', async () => {
  const child = start(
    ['retrieve', 'q', '--space', ID, '--json', 'text'],
    await environment(answering(new Promise(() => {}))),
  );
  const written = child.stdout.toArray();
  await outputUntil(child.stderr, 'PARTIAL_RESULTS');
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  expect({ code, written: await written }).toEqual({ code: 130, written: [] });
});

test('SIGINT during ping --stream prints the statistics as data too', async () => {
  const child = start(['ping', ID, '--stream'], await environment(probing));
  await outputUntil(child.stdout, 'result');
  child.kill('SIGINT');
  await outputUntil(child.stdout, 'summary');
  const [code] = await once(child, 'exit');
  expect(code).toBe(130);
});

test('a second SIGINT exits without waiting for the server', async () => {
  const silent: Handlers = { duplex: { Ping: (call, send) => call.once('data', () => probingResult(send)) } };
  const child = start(['ping', ID, '--stream'], await environment(silent));
  await outputUntil(child.stdout, 'result');
  child.kill('SIGINT');
  // The first one has arrived when the process still runs; signals of one kind may be merged while they are pending.
  const again = setInterval(() => child.kill('SIGINT'), 50);
  const [code] = await once(child, 'exit');
  clearInterval(again);
  expect(code).toBe(130);
});

function probingResult(send: (fields: Record<string, unknown>) => void): void {
  send({ event: { case: 'result', value: { seq: 1, ok: true, rttMs: 1.5 } } });
}

/** Runs in a pseudo-terminal; `answer` types once the text has appeared. */
async function inTerminal(
  args: readonly string[],
  env: Record<string, string>,
  { columns = 80, answer }: { columns?: number; answer?: { to: string; type: string } } = {},
): Promise<{ code: number; screen: string }> {
  const [program, ...words] = SVC;
  const terminal = spawnPty(program, [...words, ...args], { cols: columns, rows: 24, env });
  let screen = '';
  let isAnswered = false;
  terminal.onData((data) => {
    screen += data;
    if (answer === undefined || isAnswered || !screen.includes(answer.to)) return;
    isAnswered = true;
    terminal.write(answer.type);
  });
  const code = await new Promise<number>((resolve) => terminal.onExit(({ exitCode }) => resolve(exitCode)));
  return { code, screen: screen.replaceAll('\r\n', '\n') };
}

const listing: Handlers = {
  unary: {
    ListSpaces: () => ({ spaces: [{ spaceId: ID, name: 'a name that is much too long for the terminal' }] }),
    DeleteSpace: () => ({}),
  },
};

test('a terminal gets a table cut to its width, colored unless NO_COLOR is set', async () => {
  const env = await environment(listing);
  const { code, screen } = await inTerminal(['spaces', 'list'], env, { columns: 60 });
  expect(code).toBe(0);
  expect(screen).toContain('\u001b[1mNAME');
  expect(screen).toContain('…');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what is taken out
  for (const line of screen.replace(/\u001b\[\d+m/g, '').split('\n')) expect(line.length).toBeLessThanOrEqual(60);
  expect((await inTerminal(['spaces', 'list'], { ...env, NO_COLOR: '1' })).screen).not.toContain('\u001b');
});

test('a narrow terminal gets keys and values', async () => {
  const { screen } = await inTerminal(['spaces', 'list'], await environment(listing), { columns: 50 });
  expect(screen).toContain(`id      ${ID}\n`);
});

test('deleting asks for confirmation, and Ctrl-C declines', async () => {
  const env = await environment(listing);
  const ask = (type: string) => inTerminal(['spaces', 'delete', ID], env, { answer: { to: '[y/N]', type } });
  expect(await ask('y\r')).toMatchObject({ code: 0, screen: expect.stringContaining(`Deleted space ${ID}`) });
  expect(await ask('n\r')).toMatchObject({ code: 1, screen: expect.stringContaining('Nothing was deleted') });
  expect((await ask('\u0003')).code).toBe(130);
});

test('Ctrl-C during ping --stream prints the statistics', async () => {
  const { code, screen } = await inTerminal(['ping', ID, '--stream', '--plain'], await environment(probing), {
    answer: { to: 'seq=1', type: '\u0003' },
  });
  expect(code).toBe(130);
  expect(screen).toContain('1 probe, 1 ok');
});
