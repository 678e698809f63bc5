import { describe, expect, test } from 'vitest';
import { SpaceService } from '../../../../../src/shared/gen/service/v1/space_pb.ts';
import { UserService } from '../../../../../src/shared/gen/service/v1/user_pb.ts';
import { timestampFromMs } from '../../../../../src/shared/time.ts';
import type { Handlers } from '../../../../support/client/grpc-server.fixture.ts';
import { useService } from '../../service.fixture.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';
const OTHER = '01980000-0000-7000-8000-0000000000b2';
const ME = '01980000-0000-7000-8000-000000000001';
const against = useService([SpaceService, UserService]);
const createdAt = timestampFromMs(Date.UTC(2026, 2, 3, 9, 30));

const house = { spaceId: SPACE, name: 'house', ownerId: ME, createdAt };

describe('names of spaces', () => {
  const listing = (own: object[], open: object[]): Handlers => ({
    unary: {
      GetUser: () => ({ userId: ME }),
      ListSpaces: ({ request }) => ({
        spaces: (request as unknown as { publicRead?: boolean }).publicRead ? open : own,
      }),
      GetSpace: ({ request }) => ({ ...house, spaceId: (request as unknown as { spaceId: string }).spaceId }),
    },
  });

  test('own ones first, then public ones; an id is used as it is', async () => {
    const foreign = { ...house, spaceId: OTHER };
    const idOf = async (handlers: Handlers, name: string) => {
      const { svc } = await against(handlers);
      return JSON.parse((await svc(['spaces', 'get', name, '-o', 'ndjson'])).stdout).spaceId;
    };
    expect(await idOf(listing([house], [foreign]), 'house')).toBe(SPACE);
    expect(await idOf(listing([], [foreign]), 'house')).toBe(OTHER);
    expect(await idOf({ unary: listing([], []).unary ?? {} }, OTHER.toUpperCase())).toBe(OTHER);
  });

  test('several are an error that lists the ids, none is not found', async () => {
    const several = await against(listing([], [house, { ...house, spaceId: OTHER }]));
    const result = await several.svc(['spaces', 'get', 'house']);
    expect(result.code).toBe(64);
    expect(result.stderr).toContain(`${SPACE} house of ${ME}, ${OTHER} house of ${ME}`);
    const none = await against(listing([], []));
    expect((await none.svc(['spaces', 'get', 'house'])).code).toBe(66);
  });

  test('wildcards in a name are literal, and an exact case wins', async () => {
    const { svc, server } = await against(
      listing(
        [
          { ...house, name: 'A*' },
          { ...house, spaceId: OTHER, name: 'a*' },
        ],
        [],
      ),
    );
    expect(JSON.parse((await svc(['spaces', 'get', 'a*', '-o', 'ndjson'])).stdout).spaceId).toBe(OTHER);
    expect(server.calls.find(({ name }) => name === 'ListSpaces')?.request).toMatchObject({
      nameFilter: 'a\\*',
      ownerId: ME,
    });
  });
});
