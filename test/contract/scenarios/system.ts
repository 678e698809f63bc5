import { expect } from 'vitest';
import type { Scenario } from '../scenario.ts';

const PUBLIC = {
  version: expect.stringMatching(/^\d+\.\d+\.\d+/),
  major: expect.any(Number),
  minor: expect.any(Number),
  patch: expect.any(Number),
  dirty: expect.any(Boolean),
};

export const system: readonly Scenario[] = [
  {
    name: 'init says that it has been done, and gives no second key',
    async run(stage) {
      const answer = await stage.ok('initializeSystem', {}, null);
      expect(answer).toEqual({ alreadyInitialized: true, message: expect.stringMatching(/\S/) });
    },
  },
  {
    name: 'the first key is labelled, and stays the only ROOT one',
    async run(stage) {
      const { keys } = await stage.ok('listApiKeys');
      expect(keys.at(-1)).toMatchObject({ labels: { purpose: 'admin' }, userId: stage.root.userId });
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
    name: 'info with a key tells what the server can do',
    async run(stage) {
      const { capabilities, ...rest } = await stage.ok('getSystemInfo');
      expect(rest).toMatchObject(PUBLIC);
      expect(capabilities).toMatchObject({ ocr: 'false', onnx: 'false', database: expect.stringMatching(/^e/) });
      const as = await stage.key({ restrictions: { spaceIds: [(await stage.space()).spaceId] } });
      expect(await stage.ok('getSystemInfo', {}, as)).toHaveProperty('capabilities');
    },
  },
];
