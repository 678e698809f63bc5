import { expect, test } from 'vitest';
import type { UploadEvent } from '../../../../src/cli/upload/events.ts';
import { outcomeLines, type RunEnding } from '../../../../src/cli/upload/reporter.ts';
import { Tally } from '../../../../src/cli/upload/tally.ts';
import { ServiceError } from '../../../../src/shared/errors.ts';

const GONE = { path: 'notes/a.md', memoryId: '01980000-0000-7000-8000-0000000000c1' };
const AGAIN = 'Run the same command again to continue; what is stored is not sent again.';

function summary(events: readonly UploadEvent[], { untold = false, ending = 'done' as RunEnding } = {}): string[] {
  const tally = new Tally({ files: 1, bytes: 0 });
  for (const event of events) tally.add(event);
  return outcomeLines(tally, ending, { failures: true, untold });
}

test('a failed search for earlier versions is reported once, at the end', () => {
  const error = new ServiceError('PERMISSION_DENIED', 'The key lacks the permission LIST_MEMORY_OWN');
  const line = 'Earlier versions stay: The key lacks the permission LIST_MEMORY_OWN';
  expect(summary([{ kind: 'unseen', error }], { untold: true })).toEqual([line]);
  expect(summary([{ kind: 'unseen', error }])).toEqual([]);
});

test('a memory that could not be deleted is named by its kind', () => {
  const error = new ServiceError('PERMISSION_DENIED', 'The key lacks the permission DELETE_MEMORY_OWN');
  const failed = (isGone: boolean): UploadEvent => ({ kind: 'deleting failed', earlier: GONE, isGone, error });
  const why = 'could not be deleted: The key lacks the permission DELETE_MEMORY_OWN';
  expect(summary([failed(true)])).toContain(`  notes/a.md: it is gone, and its memory ${why}`);
  expect(summary([failed(false)])).toContain(`  notes/a.md: its earlier version ${why}`);
});

test('a retry is proposed only for transient failures', () => {
  const failed = (error: unknown): UploadEvent => ({
    kind: 'outcome',
    outcome: { kind: 'failed', path: 'notes/a.md', bytes: 1, error },
  });
  expect(summary([failed(new ServiceError('UNAVAILABLE', 'Away'))]).at(-1)).toBe(AGAIN);
  expect(summary([failed(new ServiceError('INTERNAL', 'Internal error'))]).at(-1)).toBe(AGAIN);
  expect(summary([failed(new ServiceError('PAYLOAD_TOO_LARGE', 'Too large'))])).not.toContain(AGAIN);
  expect(summary([], { ending: 'interrupted' }).at(-1)).toBe(AGAIN);
});
