import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { playScenarios } from '../scenario.fixture.ts';
import { admin } from './admin.scenarios.ts';
import { system } from './system.scenarios.ts';
import { built, unbuilt } from './unbuilt.scenarios.ts';

const licenseDir = mkdtempSync(join(tmpdir(), 'svc-licenses-'));
afterAll(() => rmSync(licenseDir, { recursive: true }));

playScenarios({ system, admin: admin(licenseDir), 'what this build lacks': unbuilt, 'what it has': built }, [
  '--license-dir',
  licenseDir,
]);
