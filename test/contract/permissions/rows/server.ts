import { ACCESS, type Access } from '../access.ts';
import type { Row } from '../row.ts';
import type { World } from '../world.fixture.ts';

/** Every role may: the permission has no suffix, and a restricted key has it not. */
const OCR: Access = {
  private: ' no  no  no  ok  ok  ok  ok  no  no',
};

/** What concerns the server and nobody's resource. */
const about = (
  operation: Row['operation'],
  needs: readonly string[],
  access: Access,
  request: Readonly<Record<string, unknown>> = {},
): Row => ({ operation, needs, access, subject: () => ({}), request: () => request });

export const SERVER_ROWS: readonly Row[] = [
  about('initializeSystem', [], ACCESS.everybody),
  about('getSystemInfo', [], ACCESS.everybody),
  about('getSystemStatus', ['READ_SYSTEM'], ACCESS.readServer),
  about('diagnose', ['READ_SYSTEM'], ACCESS.readServer),
  about('ocrDocument', ['OCR_DOCUMENT'], OCR, { content: 'AAAA' }),
  about('purgeBackgroundJobs', ['PURGE_JOBS'], ACCESS.administer, { olderThan: '2020-01-01T00:00:00Z' }),
  about('reloadLicense', ['RELOAD_LICENSE'], ACCESS.administer),
];

const isReady = async ({ stage }: World) => {
  const response = await fetch(`${stage.server.rest}/readyz`);
  return response.ok;
};

/** There is no way back: these come after everything else. */
export const LAST_ROWS: readonly Row[] = [{ ...about('drain', ['DRAIN_SERVER'], ACCESS.administer), look: isReady }];
