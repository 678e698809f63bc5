import { ERROR_CODES } from '../../shared/errors.ts';
import { EXIT_MEANINGS } from './exit-meanings.ts';
import type { Page } from './page.ts';

export function exitCodesPage(): Page {
  const rows = EXIT_MEANINGS.map(({ exit, when }) => {
    const codes = Object.entries(ERROR_CODES).flatMap(([code, row]) => (row.exit === exit ? [code] : []));
    return { term: String(exit), text: codes.length === 0 ? when : `${when} (${codes.join(', ')})` };
  });
  return {
    name: 'svc help exit-codes',
    summary: 'Exit codes of svc',
    usage: [],
    sections: [
      { title: 'Codes', blocks: [{ kind: 'terms', rows }] },
      {
        title: 'Errors',
        blocks: [
          {
            kind: 'text',
            text: 'A failure is reported on stderr in at most three lines: what happened, why, and what to do. With `-o json` and `-o ndjson` it is one line there, `{"error":{"code":"NOT_FOUND","message":"…","details":"…"}}`.',
          },
        ],
      },
    ],
  };
}
