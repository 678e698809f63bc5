import { truncateCodePoints } from '../../../../shared/text.ts';
import type { JobFacts } from '../../../store/diagnosis.ts';
import { type Finding, fail, fine, warn } from './finding.ts';

const DAY_MS = 86_400_000;
/** Any idle worker takes over a job within a second of the end of its lease. */
export const JOB_BOUNDS = { stuckMs: 300_000, failedWithinMs: DAY_MS };
const WAITING_LONG_MS = 900_000;
const REASON_CHARACTERS = 300;

/** A job that is stuck counts more than one that waits, and that more than memories that have failed. */
export function judgeJobs(facts: JobFacts): Finding {
  const { stuck, waitingMs, failed } = facts;
  if (stuck > 0) {
    const jobs = stuck === 1 ? '1 job has lost its worker and has' : `${stuck} jobs have lost their workers and have`;
    return fail(
      `${jobs} not been taken over for more than ${JOB_BOUNDS.stuckMs / 60_000} minutes${failed > 0 ? `; ${failedText(facts)}` : ''}`,
      'Start a server that is not draining, or raise --worker-parallelism if all workers are busy',
    );
  }
  if (waitingMs > WAITING_LONG_MS) {
    const message = `The oldest job that is due has waited for ${Math.round(waitingMs / 60_000)} minutes`;
    return warn(
      failed > 0 ? `${message}; ${failedText(facts)}` : message,
      'Start another server on this database, or raise --worker-parallelism',
    );
  }
  if (failed > 0) {
    return warn(
      `No job is stuck; ${failedText(facts)}`,
      'Fix the cause, then process the memories again: svc memories list SPACE --status FAILED, svc memories reprocess ID',
    );
  }
  return fine('No job is stuck');
}

/** Half a sentence about the memories that failed in the last day and their commonest reason. */
function failedText({ failed, failureReason, failedAlike }: JobFacts): string {
  const memories = failed === 1 ? '1 memory has' : `${failed} memories have`;
  const shown = truncateCodePoints(failureReason ?? 'unknown reason', REASON_CHARACTERS);
  const most = failed === failedAlike ? '' : `${failedAlike} of them `;
  return `${memories} FAILED in the last 24 hours, ${most}with: ${shown}`;
}
