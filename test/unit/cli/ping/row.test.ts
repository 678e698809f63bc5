import { describe, expect, test } from 'vitest';
import { sparklineMarks } from '../../../../src/cli/ping/row.tsx';

describe('the sparkline', () => {
  const marks = (rtts: readonly (number | 'x')[], width: number): string =>
    sparklineMarks(
      rtts.map((rtt) => (rtt === 'x' ? { ok: false, rttMs: 9999 } : { ok: true, rttMs: rtt })),
      width,
    ).join('');

  test.each([
    { name: 'bars are proportional to the times', rtts: [1, 2, 3, 4, 5, 6, 7, 8], width: 80, shown: '▁▂▃▄▅▆▇█' },
    { name: 'a failed probe has a mark of its own', rtts: [4, 'x', 8], width: 80, shown: '▄×█' },
    { name: 'a failed probe does not affect the scale', rtts: ['x', 'x', 1], width: 80, shown: '××█' },
    { name: 'the latest probes are kept', rtts: [100, 1, 2, 4], width: 3, shown: '▂▄█' },
    { name: 'a time of 0 is the lowest bar', rtts: [0, 0], width: 80, shown: '▁▁' },
    { name: 'no width, no marks', rtts: [1], width: 0, shown: '' },
  ] as const)('$name', ({ rtts, width, shown }) => {
    expect(marks(rtts, width)).toBe(shown);
  });
});
