import { ServiceError } from '../../../shared/errors.ts';
import { type PingClientMessage, type PingConfig, PingControl } from '../../../shared/gen/service/v1/ping_pb.ts';
import type { ProbeRun } from './probe-run.ts';

type Controlled = Pick<ProbeRun, 'ended' | 'pause' | 'resume' | 'cancel' | 'fail'>;

/** The first message. Throws INVALID_ARGUMENT unless it is a config, or the signal's reason. */
export async function readConfig(messages: AsyncIterator<PingClientMessage>, signal: AbortSignal): Promise<PingConfig> {
  const first = await orAborted(messages.next(), signal);
  const message = first.done === true ? undefined : first.value.message;
  if (message?.case === 'config') return message.value;
  throw new ServiceError('INVALID_ARGUMENT', 'The first message of a ping must be a config');
}

/**
 * Obeys the client's messages until the run or the client's side ends. The end of the client's side means only that no
 * more controls come. The iterator is left as it is at the end, never returned: on a two-way stream that would close
 * the answering side too.
 */
export async function followControls(messages: AsyncIterator<PingClientMessage>, run: Controlled): Promise<void> {
  try {
    while (!run.ended) {
      const next = await messages.next();
      if (next.done === true) return;
      obey(next.value, run);
    }
  } catch (error) {
    run.fail(error);
  }
}

const ACTIONS = {
  [PingControl.PAUSE]: 'pause',
  [PingControl.RESUME]: 'resume',
  [PingControl.CANCEL]: 'cancel',
} as const satisfies Partial<Record<PingControl, keyof Controlled>>;

function obey({ message }: PingClientMessage, run: Controlled): void {
  if (message.case === 'config') {
    throw new ServiceError('INVALID_ARGUMENT', 'A ping takes one config, as its first message');
  }
  if (message.case === undefined || message.value === PingControl.UNSPECIFIED) {
    throw new ServiceError('INVALID_ARGUMENT', 'A ping is controlled with PAUSE, RESUME or CANCEL');
  }
  run[ACTIONS[message.value]]();
}

async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
