import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { playScenarios } from './scenario.ts';
import { admin } from './scenarios/admin.ts';
import { system } from './scenarios/system.ts';
import { built, unbuilt } from './scenarios/unbuilt.ts';

const licenseDir = mkdtempSync(join(tmpdir(), 'svc-licenses-'));
afterAll(() => rmSync(licenseDir, { recursive: true }));

playScenarios({ system, admin: admin(licenseDir), 'what this build lacks': unbuilt, 'what it has': built }, [
  '--license-dir',
  licenseDir,
]);
