import type { JobFacts } from '../../../store/diagnosis.ts';
import { type Finding, fail, fine, warn } from './finding.ts';

/** Any idle worker takes over a job within a second of the end of its lease. */
export const STUCK_MS = 300_000;
const WAITING_LONG_MS = 900_000;

export function judgeJobs({ stuck, waitingMs }: JobFacts): Finding {
  if (stuck > 0) {
    const jobs = stuck === 1 ? '1 job has lost its worker and was' : `${stuck} jobs have lost their worker and were`;
    const message = `${jobs} not taken over for more than ${STUCK_MS / 60_000} minutes`;
    return fail(
      message,
      'Start a server that is not draining, or raise --worker-parallelism where all workers are busy',
    );
  }
  if (waitingMs > WAITING_LONG_MS) {
    const message = `The oldest job that is due has waited for ${Math.round(waitingMs / 60_000)} minutes`;
    return warn(message, 'Start another server on this database, or raise --worker-parallelism');
  }
  return fine('No job is stuck');
}
