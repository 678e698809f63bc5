import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { unique } from '../../support/stage.ts';
import type { Scenario } from '../scenario.fixture.ts';
import { BAD_FIELDS } from './bad-fields.ts';
import { targetCredentials } from './credentials.scenarios.ts';
import { targetReading } from './reading.scenarios.ts';
import { makeTarget, type TargetArea, targetRequest } from './target-area.fixture.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;
/** The promises that embedders, LLMs and rerankers make alike. */
export function targetScenarios(area: TargetArea): Scenario[] {
  return [...creation(area), ...changes(area), ...targetReading(area), ...targetCredentials(area)];
}

function creation(area: TargetArea): Scenario[] {
  const { kind, paths, strangers, fresh, title } = area;
  return [
    {
      name: 'create fills in the defaults',
      async run(stage) {
        const request = targetRequest(area);
        const created = await stage.ok(kind.create, request);
        const record = created.llm ?? created;
        expect(record).toEqual({
          [kind.id]: expect.stringMatching(UUID_V7),
          ...request,
          description: '',
          apiPath: paths[request.providerType],
          supportedModalities: ['TEXT'],
          labels: {},
          version: '',
          monitoringEndpoint: '',
          ownerId: stage.caller.userId,
          createdAt: expect.any(Number),
          updatedAt: record.createdAt,
          createdById: stage.caller.userId,
          updatedById: stage.caller.userId,
          ...fresh,
        });
        expect(await stage.ok(kind.get, { [kind.id]: record[kind.id] })).toEqual(record);
      },
    },
    {
      name: 'each provider has a default call path, and a given path overrides it',
      async run(stage) {
        const found: Record<string, string> = {};
        for (const providerType of Object.keys(paths)) {
          const record = await makeTarget(stage, area, { providerType, modelIdentifier: 'org/model 1' });
          found[record.providerType] = record.apiPath;
        }
        expect(found).toEqual(paths);
        expect((await makeTarget(stage, area, { apiPath: '/own' })).apiPath).toBe('/own');
      },
    },
    {
      name: 'bad fields are refused with their names',
      async run(stage) {
        const refuse = (more: object, details: string) =>
          stage.refused(kind.create, targetRequest(area, more), 'INVALID_ARGUMENT', { details });
        for (const [more, details] of BAD_FIELDS) await refuse(more, details);
        for (const name of ['displayName', 'providerType', 'endpointUrl', 'modelIdentifier']) {
          await refuse({ [name]: undefined }, `${name}: `);
        }
        for (const providerType of strangers) await refuse({ providerType }, 'providerType: ');
        await refuse({ ownerId: 'me' }, 'ownerId: not a UUID');
        await refuse({ [kind.id]: '1' }, `${kind.id}: not a UUID`);
        await refuse({ labels: { '': 'x' } }, 'labels');
        const labels = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 'v']));
        await refuse({ labels }, 'labels');
      },
    },
    {
      name: 'an id may be given, once',
      async run(stage) {
        const id = randomUUID();
        expect((await makeTarget(stage, area, { [kind.id]: id.toUpperCase() }))[kind.id]).toBe(id);
        await stage.refused(kind.create, targetRequest(area, { [kind.id]: id }), 'ALREADY_EXISTS');
      },
    },
    {
      name: 'an owner can be given with the _ANY permission, and must exist',
      async run(stage) {
        const ada = await stage.person();
        const record = await makeTarget(stage, area, { ownerId: ada.userId });
        expect(record).toMatchObject({ ownerId: ada.userId, createdById: stage.caller.userId });
        await makeTarget(stage, area, { ownerId: ada.userId }, ada.key);
        const nobody = randomUUID();
        const message = `User not found: ${nobody}`;
        await stage.refused(kind.create, targetRequest(area, { ownerId: nobody }), 'NOT_FOUND', { message });
        const foreign = targetRequest(area, { ownerId: stage.caller.userId });
        await stage.refused(kind.create, foreign, 'PERMISSION_DENIED', { as: ada.key });
      },
    },
    {
      name: 'a duplicate is detected despite another spelling, per owner',
      async run(stage) {
        const host = `${unique('h')}.example.org`;
        const request = targetRequest(area, { endpointUrl: `https://${host}/v1` });
        await stage.ok(kind.create, request);
        for (const endpointUrl of [request.endpointUrl, `https://${host.toUpperCase()}:443/v1/`]) {
          const message = new RegExp(`^An? ${title} of this owner`, 'i');
          await stage.refused(kind.create, { ...request, endpointUrl }, 'ALREADY_EXISTS', { message });
        }
        const others = [
          { endpointUrl: `https://${host}/V1` },
          { endpointUrl: `http://${host}/v1` },
          { apiPath: '/other' },
          { modelIdentifier: 'M' },
          { providerType: Object.keys(paths).find((provider) => provider !== request.providerType) },
        ];
        for (const other of others) await stage.ok(kind.create, { ...request, ...other });
        const ada = await stage.person();
        await stage.ok(kind.create, request, ada.key);
      },
    },
  ];
}

function changes(area: TargetArea): Scenario[] {
  const { kind, title } = area;
  return [
    {
      name: 'update changes the given fields and keeps the others',
      async run(stage) {
        const before = await makeTarget(stage, area, { labels: { a: 'b' }, supportedModalities: ['TEXT', 'IMAGE'] });
        const id = { [kind.id]: before[kind.id] };
        expect(await stage.ok(kind.update, id)).toEqual(before);
        expect(await stage.ok(kind.update, { ...id, supportedModalities: [] })).toEqual(before);
        const given = {
          displayName: 'New',
          description: 'd',
          version: '2',
          monitoringEndpoint: 'm',
          endpointUrl: `https://${unique('h')}.example.org`,
          apiPath: '/p',
          modelIdentifier: 'm2',
          supportedModalities: ['AUDIO'],
        };
        const after = await stage.ok(kind.update, { ...id, ...given, mergeLabels: { c: 'd' } });
        expect(after).toEqual({ ...before, ...given, labels: { a: 'b', c: 'd' }, updatedAt: expect.any(Number) });
        expect(after.updatedAt).toBeGreaterThan(before.updatedAt);
        expect(await stage.ok(kind.get, id)).toEqual(after);
        expect((await stage.ok(kind.update, { ...id, replaceLabels: {} })).labels).toEqual({});
      },
    },
    {
      name: 'an update is validated like a create, and immutable fields are refused',
      async run(stage) {
        const id = { [kind.id]: (await makeTarget(stage, area))[kind.id] };
        const refuse = (more: object, details: string) =>
          stage.refused(kind.update, { ...id, ...more }, 'INVALID_ARGUMENT', { details });
        for (const [more, details] of BAD_FIELDS) await refuse(more, details);
        await refuse({ providerType: 'VLLM' }, 'providerType: immutable');
        await refuse({ ownerId: stage.caller.userId }, 'ownerId: immutable');
        await refuse({ replaceLabels: {}, mergeLabels: {} }, 'replaceLabels');
        const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`k${index}`, 'v']));
        await stage.ok(kind.update, { ...id, mergeLabels: many });
        await refuse({ mergeLabels: { one: 'more' } }, 'mergeLabels');
      },
    },
    {
      name: 'an update cannot make a duplicate',
      async run(stage) {
        const [one, other] = [await makeTarget(stage, area), await makeTarget(stage, area)];
        const update = { [kind.id]: other[kind.id], endpointUrl: `${one.endpointUrl}/` };
        await stage.refused(kind.update, update, 'ALREADY_EXISTS');
      },
    },
    {
      name: 'a deleted target is NOT_FOUND',
      async run(stage) {
        const { [kind.id]: id } = await makeTarget(stage, area);
        await stage.ok(kind.delete, { [kind.id]: id });
        for (const operation of [kind.get, kind.update, kind.delete]) {
          await stage.refused(operation, { [kind.id]: id }, 'NOT_FOUND', { message: `${title} not found: ${id}` });
        }
        // Fields come before existence.
        for (const more of [{ displayName: '' }, { endpointUrl: 'http://169.254.1.1' }, { credentials: {} }]) {
          await stage.refused(kind.update, { [kind.id]: id, ...more }, 'INVALID_ARGUMENT');
        }
        await stage.refused(kind.get, { [kind.id]: 'x' }, 'INVALID_ARGUMENT', { details: `${kind.id}: not a UUID` });
      },
    },
  ];
}
