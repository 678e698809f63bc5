import { setTimeout as sleep } from 'node:timers/promises';
import { abortError } from './errors.ts';

/** Waits; rejects with the ServiceError that the signal stands for as soon as it aborts. */
export async function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    throw signal === undefined ? error : abortError(signal);
  }
}
