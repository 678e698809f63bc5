import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { unique } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';
import type { Scenario } from '../scenario.fixture.ts';
import { makeTarget, type TargetArea, targetRequest } from './target-area.fixture.ts';

/** Who sees which targets of a kind. */
export function targetReading(area: TargetArea): Scenario[] {
  const { kind, paths } = area;
  return [
    {
      name: 'targets of root and admins are shared, those of users are not',
      async run(stage) {
        const [ada, bob, admin] = [await stage.person(), await stage.person(), await stage.person('ADMIN')];
        const mark = { mark: unique('m') };
        const make = async (key: string) => (await makeTarget(stage, area, { labels: mark }, key))[kind.id];
        const [adas, bobs, admins] = [await make(ada.key), await make(bob.key), await make(admin.key)];
        await stage.ok(kind.get, { [kind.id]: admins }, ada.key);
        await stage.refused(kind.get, { [kind.id]: bobs }, 'PERMISSION_DENIED', { as: ada.key });
        for (const operation of [kind.update, kind.delete]) {
          await stage.refused(operation, { [kind.id]: admins }, 'PERMISSION_DENIED', { as: ada.key });
        }
        const list = async (key: string, more: object = {}) => {
          const answer = await stage.ok(kind.list, { label: mark, ...more }, key);
          return answer[kind.members].map((record: Json) => record[kind.id]);
        };
        expect(await list(ada.key)).toEqual([admins, adas]);
        expect(await list(stage.caller.key)).toEqual([admins, bobs, adas]);
        const { spaceId } = await stage.space({}, ada.key);
        const bound = await stage.key({ restrictions: { spaceIds: [spaceId] } }, ada.key);
        expect(await list(bound)).toEqual([admins]);
        await stage.ok(kind.get, { [kind.id]: admins }, bound);
        await stage.refused(kind.get, { [kind.id]: adas }, 'PERMISSION_DENIED', { as: bound });
      },
    },
    {
      name: 'lists are newest first and match every filter',
      async run(stage) {
        const ada = await stage.person();
        const mark = { mark: unique('m') };
        const other = Object.keys(paths).find((provider) => provider !== targetRequest(area).providerType);
        const first = (await makeTarget(stage, area, { labels: { ...mark, b: '2' } }))[kind.id];
        const second = (await makeTarget(stage, area, { labels: mark, providerType: other }))[kind.id];
        const third = (await makeTarget(stage, area, { labels: mark, ownerId: ada.userId }))[kind.id];
        const list = async (more: object, as?: string) => {
          const answer = await stage.ok(kind.list, { label: mark, ...more }, as);
          expect(Object.keys(answer)).toEqual([kind.members]);
          return answer[kind.members].map((record: Json) => record[kind.id]);
        };
        expect(await list({})).toEqual([third, second, first]);
        expect(await list({ label: { ...mark, b: '2' } })).toEqual([first]);
        expect(await list({ providerType: other })).toEqual([second]);
        expect(await list({ ownerId: ada.userId })).toEqual([third]);
        expect(await list({ ownerId: stage.caller.userId }, ada.key)).toEqual([second, first]);
        expect(await list({ ownerId: randomUUID() })).toEqual([]);
        await stage.refused(kind.list, { ownerId: 'x' }, 'INVALID_ARGUMENT', { details: 'ownerId: not a UUID' });
        await stage.refused(kind.list, { providerType: 'NOBODY' }, 'INVALID_ARGUMENT', { details: 'providerType' });
      },
    },
  ];
}
