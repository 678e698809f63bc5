import { describe, expect, test } from 'vitest';
import { SpaceService } from '../../../../../src/shared/gen/service/v1/space_pb.ts';
import { timestampFromMs } from '../../../../../src/shared/time.ts';
import { useService } from '../../service.fixture.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';

const ME = '01980000-0000-7000-8000-000000000001';
const against = useService([SpaceService]);
const createdAt = timestampFromMs(Date.UTC(2026, 2, 3, 9, 30));

const house = { spaceId: SPACE, name: 'house', ownerId: ME, createdAt };

describe('lists and records', () => {
  const spaces = () => against({ unary: { ListSpaces: () => ({ spaces: [house] }), GetSpace: () => house } });

  test('a pipe gets full-width lines, JSON forms get data alone', async () => {
    const { svc } = await spaces();
    const pipe = await svc(['spaces', 'list']);
    expect(pipe.stdout.split('\n')).toEqual([
      expect.stringMatching(/^ID +NAME +PUBLIC +LABELS +CREATED +MEMORIES +SIZE$/),
      `${SPACE}  house  no              2026-03-03T09:30:00Z`,
      '',
    ]);
    const ndjson = await svc(['spaces', 'list', '-o', 'ndjson']);
    expect(JSON.parse(ndjson.stdout)).toMatchObject({ spaceId: SPACE, name: 'house', createdAt: 1772530200000 });
    const json = await svc(['spaces', 'list', '-o', 'json']);
    expect(JSON.parse(json.stdout)).toEqual([JSON.parse(ndjson.stdout)]);
    expect([pipe.stderr, ndjson.stderr, json.stderr]).toEqual(['', '', '']);
  });

  test('a terminal gets a table; of one record its fields and values', async () => {
    const { svc } = await spaces();
    expect((await svc(['spaces', 'list', '--no-color'], { terminal: true, columns: 80 })).stdout).toContain('─────');
    const shown = await svc(['spaces', 'get', SPACE, '--no-color'], { terminal: true, columns: 80 });
    expect(shown.stdout).toMatchInlineSnapshot(`
      "FIELD    VALUE
      ─────────────────────────────────────────────
      id       01980000-0000-7000-8000-0000000000b1
      name     house
      owner    01980000-0000-7000-8000-000000000001
      public   no
      created  2026-03-03T09:30:00Z (2 days ago)
      "
    `);
  });

  test('pages are followed to the limit', async () => {
    const { svc, server } = await against({
      unary: {
        ListSpaces: ({ request }) => {
          const { nextToken } = request as unknown as { nextToken?: string };
          return nextToken === undefined ? { spaces: [house, house], nextToken: 'two' } : { spaces: [house] };
        },
      },
    });
    const count = async (...flags: string[]) =>
      (await svc(['spaces', 'list', '-o', 'ndjson', ...flags])).stdout.trimEnd().split('\n').length;
    expect([await count('--all'), await count('--limit', '1'), await count('--limit', '3')]).toEqual([3, 1, 3]);
    expect(server.calls.map(({ request }) => (request as { maxResults: number }).maxResults)).toEqual([
      1000, 1000, 1, 3, 1,
    ]);
  });

  test('an empty list exits with 0 and says what to do next', async () => {
    const { svc } = await against({ unary: { ListSpaces: () => ({}) } });
    expect(await svc(['spaces', 'list'])).toEqual({
      code: 0,
      stdout: '',
      stderr: 'No spaces yet. Make one: svc spaces create NAME\n',
    });
    expect(await svc(['spaces', 'list', '-o', 'json'])).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
  });
});
