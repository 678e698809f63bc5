import { expect } from 'vitest';
import type { Scenario } from '../scenario.fixture.ts';
import { apiKey, gcpAdc, makeTarget, secretRef, type TargetArea, targetRequest } from './target-area.fixture.ts';

/** What holds for the credentials of every kind of target. */
export function targetCredentials(area: TargetArea): Scenario[] {
  const { kind } = area;
  return [
    {
      name: 'credentials are never shown',
      async run(stage) {
        const request = targetRequest(area, { credentials: apiKey('sk-very-secret') });
        const created = await stage.ok(kind.create, request);
        const id = { [kind.id]: kind.idOf(created) };
        const shown = [
          created,
          await stage.ok(kind.get, id),
          await stage.ok(kind.update, { ...id, credentials: apiKey('sk-other-secret') }),
          await stage.ok(kind.list),
          stage.server.logs,
        ];
        expect(JSON.stringify(shown)).not.toMatch(/sk-(very|other)-secret|"credentials/);
      },
    },
    {
      name: 'another credential makes another target, and an update without one keeps it',
      async run(stage) {
        const request = targetRequest(area, { credentials: apiKey('one') });
        const id = { [kind.id]: kind.idOf(await stage.ok(kind.create, request)) };
        await stage.refused(kind.create, request, 'ALREADY_EXISTS');
        await stage.ok(kind.create, { ...request, credentials: apiKey('two') });
        await stage.ok(kind.create, { ...request, credentials: undefined });
        await stage.ok(kind.create, { ...request, credentials: secretRef('env://ONE') });
        await stage.refused(kind.create, { ...request, credentials: secretRef('env://ONE') }, 'ALREADY_EXISTS');
        await stage.ok(kind.create, { ...request, credentials: gcpAdc });
        await stage.refused(kind.create, { ...request, credentials: gcpAdc }, 'ALREADY_EXISTS');
        await stage.ok(kind.update, { ...id, displayName: 'renamed' });
        await stage.refused(kind.create, request, 'ALREADY_EXISTS');
        await stage.refused(kind.update, { ...id, credentials: apiKey('two') }, 'ALREADY_EXISTS');
        await stage.ok(kind.update, { ...id, credentials: apiKey('three') });
        await stage.ok(kind.create, request);
      },
    },
    {
      name: "a reference to a secret of the server, and the server's own identity, need more than an inline secret",
      async run(stage) {
        const ada = await stage.person();
        const own = await makeTarget(stage, area, { credentials: apiKey('a') }, ada.key);
        for (const credentials of [secretRef('env://HOME'), gcpAdc]) {
          const request = targetRequest(area, { credentials });
          await stage.refused(kind.create, request, 'PERMISSION_DENIED', { as: ada.key });
          await stage.ok(kind.create, request);
          const update = { [kind.id]: own[kind.id], credentials };
          await stage.refused(kind.update, update, 'PERMISSION_DENIED', { as: ada.key });
          await stage.ok(kind.update, update);
        }
      },
    },
    {
      name: 'an owner cannot redirect a secret of the server to another address',
      async run(stage) {
        const ada = await stage.person();
        for (const credentials of [secretRef('env://HOME'), gcpAdc]) {
          const record = await makeTarget(stage, area, { credentials, ownerId: ada.userId });
          const id = record[kind.id];
          const { endpointUrl } = targetRequest(area);
          const redirect = { [kind.id]: id, endpointUrl };
          await stage.refused(kind.update, redirect, 'PERMISSION_DENIED', { as: ada.key });
          for (const apiPath of ['/../admin', '/a/%252e%252E/b', '..\\x']) {
            const outside = { [kind.id]: id, apiPath };
            await stage.refused(kind.update, outside, 'PERMISSION_DENIED', { as: ada.key });
          }
          await stage.ok(kind.update, { [kind.id]: id, apiPath: '/v2/..x?a=/..' }, ada.key);
          const same = { [kind.id]: id, displayName: 'renamed', endpointUrl: record.endpointUrl };
          await stage.ok(kind.update, same, ada.key);
          await stage.ok(kind.update, { ...redirect, credentials: apiKey('own') }, ada.key);
          await stage.ok(kind.update, { [kind.id]: id, endpointUrl: `${endpointUrl}/2` }, ada.key);
        }
      },
    },
  ];
}

/**
 * For a server that was given no secrets key. On an external database it has none; with the embedded one it has made its
 * own.
 */
export function withoutSecretsKey(area: TargetArea): Scenario[] {
  const { kind, title } = area;
  return [
    {
      name: `${title}: an inline secret needs a secrets key, a reference does not`,
      async run(stage) {
        const { capabilities } = await stage.ok('getSystemInfo');
        const record = await makeTarget(stage, area, { credentials: secretRef('env://HOME') });
        const inline = { credentials: apiKey('x') };
        const update = { [kind.id]: record[kind.id], ...inline };
        if (capabilities.database === 'embedded') {
          await stage.ok(kind.create, targetRequest(area, inline));
          await stage.ok(kind.update, update);
          return;
        }
        const details = 'set SERVICE_SECRETS_KEY; make one with: openssl rand -base64 32';
        await stage.refused(kind.create, targetRequest(area, inline), 'FAILED_PRECONDITION', { details });
        await stage.refused(kind.update, update, 'FAILED_PRECONDITION', { details });
      },
    },
  ];
}
