import { type Memory, ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import { pauseText } from '../bulk/gate.ts';
import type { Io } from '../io.ts';
import { oneLine } from '../render/printable.ts';
import type { UploadEvent } from './events.ts';
import type { Reporter } from './reporter.ts';
import { summaryLines } from './summary.ts';
import { type Tally, whyText } from './tally.ts';

/** A line for each file, the summary at the end. What is stored goes to stdout, everything else to stderr. */
export function linesReporter({ stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>, tally: Tally): Reporter {
  return {
    event: async (event, failure) => {
      const line = stdoutLine(event);
      if (line !== undefined) await stdout.write(`${oneLine(line)}\n`);
      const note = failure === undefined ? noteOf(event) : `failed  ${oneLine(failure.path)}: ${whyText(failure.why)}`;
      if (note !== undefined) await stderr.write(`${note}\n`);
    },
    end: async (ending) => {
      for (const line of summaryLines(tally, ending, { failures: true, skipped: false }))
        await stderr.write(`${line}\n`);
    },
  };
}

function stdoutLine(event: UploadEvent): string | undefined {
  switch (event.kind) {
    case 'outcome': {
      const { outcome } = event;
      const { path } = outcome;
      if (outcome.kind === 'would upload') {
        const { memoryId, contentType } = outcome.document;
        return `would upload  ${memoryId}  ${contentType}  ${path}`;
      }
      if (outcome.kind !== 'uploaded' && outcome.kind !== 'unchanged') return undefined;
      return `${outcome.kind}  ${outcome.memory.memoryId}  ${path}${stateText(outcome.memory)}`;
    }
    case 'pruned':
      return `deleted  ${event.earlier.memoryId}  ${event.earlier.path}`;
    case 'would prune':
      return `would delete  ${event.earlier.memoryId}  ${event.earlier.path}`;
    default:
      return undefined;
  }
}

function stateText({ processingStatus }: Memory): string {
  return processingStatus === ProcessingStatus.FAILED ? '  (its processing has failed)' : '';
}

function noteOf(event: UploadEvent): string | undefined {
  if (event.kind === 'paused') return pauseText(event.pause);
  if (event.kind !== 'outcome' || event.outcome.kind !== 'skipped') return undefined;
  return `skipped  ${oneLine(event.outcome.path)}: ${event.outcome.reason}`;
}
