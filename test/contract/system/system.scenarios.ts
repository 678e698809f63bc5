import { expect } from 'vitest';
import { unique } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';
import type { Scenario } from '../scenario.fixture.ts';

const PUBLIC = {
  version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  major: expect.any(Number),
  minor: expect.any(Number),
  patch: expect.any(Number),
  dirty: expect.any(Boolean),
};

export const system: readonly Scenario[] = [
  {
    name: 'a second init says that root exists, and returns no key',
    async run(stage) {
      const answer = await stage.ok('initializeSystem', {}, null);
      expect(answer).toEqual({ alreadyInitialized: true, message: expect.stringMatching(/\S/) });
    },
  },
  {
    name: 'the first key is labeled, and stays the only ROOT one',
    async run(stage) {
      const { keys } = await stage.ok('listApiKeys');
      expect(keys.at(-1)).toMatchObject({ labels: { purpose: 'admin' }, userId: stage.caller.userId });
      const { users } = await stage.ok('listUsers', { maxResults: 1000 });
      expect(users.filter((user: Json) => user.role === 'ROOT')).toMatchObject([{ userId: stage.caller.userId }]);
      const another = { email: `${unique('r')}@example.org`, displayName: 'r', role: 'ROOT' };
      await stage.refused('createUser', another, 'INVALID_ARGUMENT', { details: 'role' });
    },
  },
  {
    name: 'info without a usable key is the version alone',
    async run(stage) {
      const info = await stage.ok('getSystemInfo', {}, null);
      expect(info).toEqual(PUBLIC);
      expect(info.version.startsWith(`${info.major}.${info.minor}.${info.patch}`)).toBe(true);
      expect(await stage.ok('getSystemInfo', {}, 'svc_nobodys')).toEqual(PUBLIC);
    },
  },
  {
    name: 'info with a key lists the features of the server',
    async run(stage) {
      const { capabilities, ...rest } = await stage.ok('getSystemInfo');
      expect(rest).toMatchObject(PUBLIC);
      const database = expect.stringMatching(/^e/);
      const content = expect.stringMatching(/^\d+$/);
      expect(capabilities).toMatchObject({ ocr: 'false', onnx: 'false', database, max_content_mb: content });
      const as = await stage.key({ restrictions: { spaceIds: [(await stage.space()).spaceId] } });
      expect(await stage.ok('getSystemInfo', {}, as)).toHaveProperty('capabilities');
    },
  },
  {
    name: 'info names the commit and the time of a build from a clone',
    async run(stage) {
      const info = await stage.ok('getSystemInfo');
      expect(info.buildTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      if (info.gitCommit !== undefined) expect(info.gitCommit).toMatch(/^[0-9a-f]{7,40}$/);
    },
  },
  {
    name: 'status counts records and jobs',
    async run(stage) {
      await stage.memory();
      const status = await stage.ok('getSystemStatus');
      expect(Object.keys(status)).toEqual([
        'state',
        'uptimeMs',
        'schemaVersion',
        'database',
        'counts',
        'jobs',
        'pools',
        'requests',
        'stages',
      ]);
      expect(status).toMatchObject({
        state: 'READY',
        uptimeMs: expect.any(Number),
        schemaVersion: expect.any(Number),
        database: (await stage.ok('getSystemInfo')).capabilities.database,
        jobs: { PENDING: expect.any(Number), RUNNING: expect.any(Number), FAILED: expect.any(Number) },
        pools: { main: { idle: expect.any(Number), used: expect.any(Number), waiting: 0 }, background: {} },
      });
      await stage.memory();
      const { counts } = await stage.ok('getSystemStatus');
      expect(counts.memories).toBe(status.counts.memories + 1);
      expect(counts.spaces).toBe(status.counts.spaces + 1);
      expect(counts.users).toBeGreaterThan(0);
    },
  },
  {
    name: 'status reports requests and stages of the last minute',
    async run(stage) {
      const { spaceId } = await stage.memory();
      await stage.events('retrieveMemory', { message: 'text', spaceKeys: [{ spaceId }] });
      const { requests, stages } = await stage.ok('getSystemStatus');
      const number = expect.any(Number);
      const figures = { count: number, errors: number, p50Ms: number, p99Ms: number };
      expect(requests.RetrieveMemory).toEqual(figures);
      expect(stages.embed).toEqual(figures);
      expect(stages.vector_search).toEqual(figures);
    },
  },
  {
    name: 'diagnosis of a healthy server is OK throughout',
    async run(stage) {
      const { checks } = await stage.ok('diagnose');
      expect(checks.map(({ name }: { name: string }) => name)).toEqual([
        'database_version',
        'extension_version',
        'indexes',
        'embedders',
        'clock_skew',
        'tls_expiry',
        'disk',
        'jobs',
      ]);
      for (const check of checks) {
        expect(check).toEqual({ name: check.name, status: 'OK', message: expect.stringMatching(/\w/), remedy: '' });
      }
    },
  },
  {
    name: 'status and diagnosis are for administrators',
    async run(stage) {
      const { key } = await stage.person();
      const admin = await stage.person('ADMIN');
      const readOnly = await stage.key({ restrictions: { readOnly: true } });
      for (const operation of ['getSystemStatus', 'diagnose'] as const) {
        await stage.refused(operation, {}, 'PERMISSION_DENIED', { as: key, message: 'READ_SYSTEM' });
        await stage.refused(operation, {}, 'UNAUTHENTICATED', { as: null });
        await stage.ok(operation, {}, admin.key);
        await stage.ok(operation, {}, readOnly);
      }
    },
  },
];
