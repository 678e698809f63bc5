import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { PingService } from '../../../../../../src/shared/gen/service/v1/ping_pb.ts';
import { failure } from '../../../../../support/client/grpc-failure.fixture.ts';
import type { Handlers } from '../../../../../support/client/grpc-server.fixture.ts';
import { ALL_SERVICES } from '../../../all-services.fixture.ts';
import { useService } from '../../../service.fixture.ts';

/** Sets the title of the window, fills the clipboard and moves the cursor: with ESC, and with C1 controls in UTF-8. */
const HOSTILE = 'a\u001b]0;title\u0007b\u009d52;c;AAAA\u009cc\u001b[9A\u009b9Ad\r\u0008\u007fe';
const MOST_DEPTH = 6;

/** Everything that a message can say, each text of it hostile; of alternatives the one with this number. */
function hostile(desc: DescMessage, choice = 0, depth = 0): Record<string, unknown> {
  if (desc.typeName === 'google.protobuf.Struct') return { filename: HOSTILE, path: HOSTILE, [HOSTILE]: HOSTILE };
  if (desc.typeName === 'google.protobuf.Timestamp') return { seconds: 1n };
  if (depth > MOST_DEPTH) return {};
  const filled: Record<string, unknown> = {};
  for (const member of desc.members) {
    if (member.kind === 'oneof') {
      const field = member.fields[choice % member.fields.length];
      if (field !== undefined)
        filled[member.localName] = { case: field.localName, value: valueFor(field, choice, depth) };
    }
    // A list with a next page would never end.
    else if (member.localName !== 'nextToken') filled[member.localName] = valueFor(member, choice, depth);
  }
  return filled;
}

function valueFor(field: DescField, choice: number, depth: number): unknown {
  const of = (scalar: ScalarType | undefined): unknown => {
    if (field.message !== undefined) return hostile(field.message, choice, depth + 1);
    if (field.enum !== undefined) return field.enum.values.at(-1)?.number;
    if (scalar === ScalarType.STRING) return HOSTILE;
    if (scalar === ScalarType.BYTES) return Buffer.from(HOSTILE);
    if (scalar === ScalarType.BOOL) return true;
    return String(ScalarType[scalar ?? 0]).endsWith('64') ? 1n : 1;
  };
  if (field.fieldKind === 'list') return [of(field.scalar)];
  if (field.fieldKind === 'map') return { [field.mapKey === ScalarType.STRING ? HOSTILE : '1']: of(field.scalar) };
  return of(field.scalar);
}

const METHODS = ALL_SERVICES.flatMap(({ methods }) => methods);

const ANSWERS: Handlers = {
  unary: Object.fromEntries(
    METHODS.filter(({ methodKind }) => methodKind === 'unary').map(({ name, output }) => [name, () => hostile(output)]),
  ),
  stream: Object.fromEntries(
    METHODS.filter(({ methodKind }) => methodKind === 'server_streaming').map(({ name, output }) => [
      name,
      (call, send) => {
        // The boundary of the results comes first in their type, and has to come last here.
        for (const choice of [1, 2, 3, 4, 0]) send(hostile(output, choice));
        call.end();
      },
    ]),
  ),
  duplex: {
    Ping: (call, send) => {
      for (let choice = 0; choice < 4; choice += 1) send(hostile(PingService.method.ping.output, choice));
      call.end();
    },
  },
};

const ID = '01980000-0000-7000-8000-0000000000f1';
const COMMANDS = [
  'init',
  'spaces list',
  `spaces get ${ID}`,
  'spaces get named',
  'spaces create s',
  `spaces update ${ID} --name n`,
  'spaces delete named -f',
  'spaces export named -',
  'memories list named',
  `memories get ${ID} --history --content`,
  `memories content ${ID}`,
  `memories text ${ID}`,
  `memories chunks ${ID} --vectors`,
  'memories add named biome.json --wait',
  `memories update ${ID} --expires 1d`,
  `memories reprocess ${ID}`,
  `memories delete ${ID} -f`,
  `memories delete --space named --filter x=1 -f`,
  'retrieve q --space named --explain',
  'retrieve q --space named --content --full',
  'embedders list',
  `embedders get ${ID}`,
  'embedders create --name n --provider OPENAI --url http://x.example --model m --dimensions 3',
  `embedders delete ${ID} -f`,
  'llms list',
  `llms get ${ID}`,
  'llms create --name n --provider OPENAI --url http://x.example --model m',
  'rerankers list',
  `rerankers get ${ID}`,
  'users list',
  'users get',
  'users create --email a@b.example --display-name a',
  'apikeys list',
  `apikeys get ${ID}`,
  'apikeys create',
  'ping',
  'ping --stream -c 1',
  'ocr -',
  'ocr - --format json',
  'system info',
  'system status',
  'system doctor',
  'health',
  'admin drain -f',
  'admin purge-jobs --older-than 1d -f',
  'admin reload-license',
];

const start = useService(ALL_SERVICES);

/** Everything but line feeds, tabs, and what of it this program writes itself: colors, and the end of a progress line. */
function controlsIn(text: string): string[] {
  const foreign = text.replaceAll('\r\u001b[K', '').replace(/\p{Cc}\[\d+m/gu, '');
  return foreign.match(/.{0,30}(?![\n\t])\p{Cc}/gu) ?? [];
}

test('no output of a server reaches a terminal as an escape sequence', async () => {
  const { svc } = await start(ANSWERS);
  for (const command of COMMANDS) {
    for (const more of [[], ['--plain'], ['-o', 'json']]) {
      const args = [...command.split(' '), ...more];
      const shown = await svc(args, { terminal: true, columns: 100, stdin: 'x', cwd: process.cwd() });
      expect(shown.code, args.join(' ')).not.toBe(64);
      expect(shown.code, args.join(' ')).not.toBe(70);
      expect(controlsIn(shown.stdout + shown.stderr), args.join(' ')).toEqual([]);
    }
  }
});

test('what was escaped for a terminal is the same JSON', async () => {
  const { svc } = await start({ unary: { ListSpaces: () => ({ spaces: [{ name: HOSTILE }] }) } });
  const shown = await svc(['spaces', 'list', '-o', 'ndjson'], { terminal: true });
  const piped = await svc(['spaces', 'list', '-o', 'ndjson']);
  expect(JSON.parse(shown.stdout)).toEqual(JSON.parse(piped.stdout));
  expect(JSON.parse(piped.stdout)).toMatchObject({ name: HOSTILE });
});

test('and neither do its errors', async () => {
  const fail = () => {
    throw failure(5, `not found ${HOSTILE}`, { 'x-error-details': encodeURIComponent(HOSTILE) });
  };
  const { svc } = await start({ unary: { ListSpaces: fail } });
  for (const more of [[], ['-o', 'json'], ['--debug']]) {
    const { stdout, stderr } = await svc(['spaces', 'list', ...more], { terminal: true });
    expect(controlsIn(stdout + stderr), more.join(' ')).toEqual([]);
  }
});
