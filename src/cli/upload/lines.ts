import { type Memory, ProcessingStatus } from '../../shared/gen/service/v1/memory_pb.ts';
import { pauseText } from '../kit/bulk/gate.ts';
import type { Io } from '../kit/output/io.ts';
import { oneLine } from '../kit/text/printable.ts';
import type { KeptWhy, LeftWhy, Outcome, UploadEvent } from './events.ts';
import { outcomeLines, type Reporter, unseenText } from './reporter.ts';
import { type Tally, whyText } from './tally.ts';

/** A line for each file, the summary at the end. What is stored goes to stdout, everything else to stderr. */
export function linesReporter(
  { stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>,
  { tally, isSync }: { tally: Tally; isSync: boolean },
): Reporter {
  return {
    event: async (event, failure) => {
      const isChange = event.kind !== 'outcome' || event.outcome.kind !== 'unchanged';
      const line = isChange || !isSync ? stdoutLine(event) : undefined;
      if (line !== undefined) await stdout.write(`${oneLine(line)}\n`);
      const note = failure === undefined ? noteOf(event) : `failed  ${oneLine(failure.path)}: ${whyText(failure.why)}`;
      if (note !== undefined) await stderr.write(`${note}\n`);
    },
    end: async (ending) => {
      for (const line of outcomeLines(tally, ending, { failures: true, untold: false }))
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
    case 'replaced':
    case 'removed':
      return `deleted  ${event.earlier.memoryId}  ${event.earlier.path}`;
    case 'would replace':
    case 'would remove':
      return `would delete  ${event.earlier.memoryId}  ${event.earlier.path}`;
    default:
      return undefined;
  }
}

function stateText({ processingStatus, failureReason = '' }: Memory): string {
  if (processingStatus !== ProcessingStatus.FAILED) return '';
  return `  (its processing has failed${failureReason === '' ? '' : `: ${failureReason}`})`;
}

function noteOf(event: UploadEvent): string | undefined {
  if (event.kind === 'paused') return pauseText(event.pause);
  const note = noteOfVersions(event);
  if (note !== undefined) return note;
  if (event.kind === 'left') {
    const { earlier, why } = event;
    return `gone  ${oneLine(earlier.path)}: its memory ${earlier.memoryId} stays${LEFT_BECAUSE[why]}`;
  }
  return event.kind === 'outcome' ? noteOfOutcome(event.outcome) : undefined;
}

/** What is to be told of a file besides its record; both reporters tell it on stderr. */
export function noteOfOutcome(outcome: Outcome): string | undefined {
  const path = oneLine(outcome.path);
  if (outcome.kind === 'skipped') return `skipped  ${path}: ${outcome.reason}`;
  const isConverted =
    outcome.kind === 'would upload' ? outcome.document.isConverted : outcome.kind === 'uploaded' && outcome.isConverted;
  return isConverted ? `converted  ${path}: from windows-1252 to UTF-8` : undefined;
}

const LEFT_BECAUSE: Readonly<Record<LeftWhy, string>> = {
  'not agreed': '',
  failures: ', because a file that failed may be where it went',
  back: ', because the file is there again',
  'not processed yet': ', because its content is not processed yet where it is now',
  failed: ', because its content could not be processed where it is now',
  deleted: ', because another client has deleted its content where it is now',
};

const KEPT_TEXTS: Readonly<Record<KeptWhy, (memoryId: string) => string>> = {
  'not processed yet': (id) => `the earlier version ${id}, because its new version is not processed yet`,
  failed: (id) => `the earlier version ${id}, because its new version has failed`,
  deleted: (id) => `the earlier version ${id}, because another client has deleted its new version`,
  'stored later': (id) => `the version ${id}, because it was stored later than the present one`,
};

/** What is to be told of earlier versions, in every form. */
export function noteOfVersions(event: UploadEvent): string | undefined {
  if (event.kind === 'unseen') return unseenText(event.error);
  if (event.kind !== 'kept') return undefined;
  const { earlier, why } = event;
  return `kept  ${oneLine(earlier.path)}: ${KEPT_TEXTS[why](earlier.memoryId)}`;
}
