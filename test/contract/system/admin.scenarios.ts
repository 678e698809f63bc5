import { createHash } from 'node:crypto';
import { rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Scenario } from '../scenario.fixture.ts';

const HOUR_MS = 3_600_000;
const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const NOTHING = { jobsPurged: 0, attemptsPurged: 0, referencesPurged: 0 };

const purging: readonly Scenario[] = [
  {
    name: 'purge keeps jobs younger than the given time, and reports a dry run',
    async run(stage) {
      await stage.memory();
      expect(await stage.ok('purgeBackgroundJobs', { olderThan: ago(2 * HOUR_MS) })).toEqual({
        ...NOTHING,
        dryRun: false,
      });
      const request = { olderThan: '2020-03-01T08:00:00Z', statuses: ['SUCCEEDED'], dryRun: true, limit: 5 };
      expect(await stage.ok('purgeBackgroundJobs', request)).toEqual({ ...NOTHING, dryRun: true });
    },
  },
  {
    name: 'purge takes statuses with and without their prefix, and finished ones only',
    async run(stage) {
      const olderThan = ago(2 * HOUR_MS);
      const statuses = ['BACKGROUND_JOB_SUCCEEDED', 'FAILED', 'CANCELED'];
      await stage.ok('purgeBackgroundJobs', { olderThan, statuses });
      for (const status of ['PENDING', 'BACKGROUND_JOB_RUNNING']) {
        const request = { olderThan, statuses: ['FAILED', status] };
        await stage.refused('purgeBackgroundJobs', request, 'INVALID_ARGUMENT', {
          details:
            'statuses[1]: must be one of BACKGROUND_JOB_SUCCEEDED, BACKGROUND_JOB_FAILED, BACKGROUND_JOB_CANCELED',
        });
      }
    },
  },
  {
    name: 'purge needs a time that lies at least an hour back',
    async run(stage) {
      const refused = (request: object, details: string | RegExp) =>
        stage.refused('purgeBackgroundJobs', request as Record<string, unknown>, 'INVALID_ARGUMENT', { details });
      await refused({}, 'olderThan');
      await refused({ olderThan: ago(HOUR_MS - 60_000) }, 'olderThan: must be at least one hour ago');
      await refused({ olderThan: 'yesterday' }, 'olderThan');
      await refused({ olderThan: ago(2 * HOUR_MS), limit: -1 }, 'limit');
    },
  },
  {
    name: 'a drain with values beyond their bounds is refused, and drains nothing',
    async run(stage) {
      for (const request of [{ timeoutSec: -1 }, { timeoutSec: 86_401 }, { reason: 'x'.repeat(501) }]) {
        const [field = ''] = Object.keys(request);
        await stage.refused('drain', request, 'INVALID_ARGUMENT', { details: field });
      }
      expect((await stage.ok('getSystemStatus')).state).toBe('READY');
    },
  },
  {
    name: 'only administrators may use the admin operations',
    async run(stage) {
      const { key } = await stage.person();
      const readOnly = await stage.key({ restrictions: { readOnly: true } });
      for (const [operation, permission, request] of [
        ['drain', 'DRAIN_SERVER', {}],
        ['purgeBackgroundJobs', 'PURGE_JOBS', { olderThan: ago(2 * HOUR_MS) }],
        ['reloadLicense', 'RELOAD_LICENSE', {}],
      ] as const) {
        await stage.refused(operation, request, 'PERMISSION_DENIED', { as: key, message: permission });
        await stage.refused(operation, request, 'PERMISSION_DENIED', { as: readOnly, message: 'read-only' });
      }
      const admin = await stage.person('ADMIN');
      await stage.ok('reloadLicense', {}, admin.key);
    },
  },
];

/** What reloading the license says; `directory` is the server's, and empty. */
function reloading(directory: string): Scenario {
  return {
    name: 'reload-license reports the license in effect',
    async run(stage) {
      const reload = () => stage.ok('reloadLicense');
      const put = (name: string, text: string) => writeFile(join(directory, name), text);
      expect(await reload()).toEqual({ status: 'NOT_FOUND', message: expect.stringContaining(directory) });

      const text = '{"version":1,"rateLimit":{"max":1000,"windowSeconds":60}}';
      await put('1.json', text);
      const activeLicense = {
        filename: '1.json',
        sha256: createHash('sha256').update(text).digest('hex'),
        sizeBytes: text.length,
        modifiedAt: new Date(Math.trunc((await stat(join(directory, '1.json'))).mtimeMs))
          .toISOString()
          .replace('.000Z', 'Z'),
      };
      expect(await reload()).toMatchObject({ status: 'LOADED', activeLicense });
      expect(await reload()).toMatchObject({ status: 'UNCHANGED', activeLicense });

      await put('2.json', '{"version":1,"rateLimit":{"max":-1},"seats":3}');
      const failed = await reload();
      expect(failed).toMatchObject({ status: 'FAILED', activeLicense });
      expect(failed.message).toMatch(/2\.json: seats: unknown key; rateLimit\.max: must be an integer/);

      await rm(join(directory, '2.json'));
      await rm(join(directory, '1.json'));
      expect(await reload()).not.toHaveProperty('activeLicense');
    },
  };
}

export const admin = (licenseDir: string): readonly Scenario[] => [...purging, reloading(licenseDir)];
