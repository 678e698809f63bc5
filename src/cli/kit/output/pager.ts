import { type Host, type Io, isOn } from './io.ts';
import { type Pager, type Sink, terminalSink } from './sink.ts';

export interface PagerWishes {
  plain: boolean;
  noPager: boolean;
}

/**
 * The command of the pager, as a shell takes it. None unless the environment names one, where nothing may be redrawn, and
 * for `cat`, which shows no pages.
 */
export function pagerCommand(
  { env, stdoutIsTerminal }: Pick<Host, 'env' | 'stdoutIsTerminal'>,
  { plain, noPager }: PagerWishes,
): string | undefined {
  if (!stdoutIsTerminal || noPager || plain || env.TERM === 'dumb') return undefined;
  if (isOn(env.SVC_PLAIN) || isOn(env.ACCESSIBLE) || isOn(env.INK_SCREEN_READER)) return undefined;
  const command = (env.SVC_PAGER ?? env.PAGER ?? '').trim();
  return command === '' || command === 'cat' ? undefined : command;
}

/**
 * Runs `work` with a pager between stdout and the terminal, from the first output on, and returns when the reader has left
 * it. What is said on stderr meanwhile comes afterwards. Without a pager `io` is what it was.
 */
export async function throughPager<T>(
  io: Io,
  open: (() => Pager) | undefined,
  work: (io: Io) => Promise<T>,
): Promise<T> {
  if (open === undefined) return work(io);
  let pager: Pager | undefined;
  const later: (string | Uint8Array)[] = [];
  const stdout: Sink = {
    async write(data) {
      pager ??= open();
      await pager.sink.write(data);
    },
  };
  const stderr: Sink = {
    async write(data) {
      if (pager === undefined) await io.stderr.write(data);
      else later.push(data);
    },
  };
  try {
    return await work({ ...io, stdout: terminalSink(stdout), stderr });
  } finally {
    await pager?.end();
    for (const data of later) await io.stderr.write(data);
  }
}
