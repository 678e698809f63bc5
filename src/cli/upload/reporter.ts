import type { ServiceError } from '../../shared/errors.ts';
import { AGAIN } from '../kit/bulk/gate.ts';
import type { Io } from '../kit/output/io.ts';
import { counted } from '../kit/text/figures.ts';
import { oneLine } from '../kit/text/printable.ts';
import type { KeptWhy, LeftWhy, UploadEvent } from './events.ts';
import { type FileFailure, type Tally, whyText } from './tally.ts';

/** Tells how an upload goes. What it says rests on the tally, which has counted each event before it comes here. */
export interface Reporter {
  /** `failure` is the one that the event tells of. */
  event(event: UploadEvent, failure: FileFailure | undefined): Promise<void>;
  /** Called once, also after a failure and after Ctrl-C. */
  end(ending: RunEnding): Promise<void>;
}

export interface ReporterOptions {
  io: Io;
  tally: Tally;
  /** Name or id of the space, as it was given. */
  space: string;
  /** The end of processing will be waited for. */
  waits: boolean;
  /** A folder is mirrored: only changes are told. */
  isSync: boolean;
  /** Calls are traced on stderr, which a screen would wipe away. */
  debug: boolean;
}

/** How a run ended. `stopped`: a failure that all further files would have met too. */
export type RunEnding = 'done' | 'stopped' | 'interrupted';

const KEPT: Readonly<Record<KeptWhy, string>> = {
  'not processed yet':
    'Earlier versions stay until the new ones can be found: run the same command again, or with --wait.',
  failed: 'Earlier versions stay where the new ones could not be processed.',
  deleted: 'Earlier versions stay where another client has deleted the new ones.',
  'stored later':
    'Versions that were stored later than the present ones stay: run the same command again to replace them.',
};

const LEFT: Readonly<Record<LeftWhy, string>> = {
  'not agreed': 'Memories of files that are gone stay until they are deleted with -f.',
  failures: 'Memories of files that are gone stay: a file that failed may be where they went.',
  back: 'Memories of files that were gone stay where the files are there again.',
  'not processed yet':
    'Memories of renamed files stay until the content can be found where it is now: run the same command again, or with --wait.',
  failed: 'Memories of renamed files stay where the content could not be processed under its new name.',
  deleted: 'Memories of renamed files stay where another client has deleted the content under its new name.',
};

/** There may be thousands of files of a kind that cannot be stored. */
const MOST_SKIPPED = 5;

interface SummaryOptions {
  /** The failures are listed. */
  failures: boolean;
  /** What was skipped, and that earlier versions could not be looked for, was not told as it happened. */
  untold: boolean;
}

/** What was done and how to go on, as lines for people. */
export function outcomeLines(tally: Tally, ending: RunEnding, { failures, untold }: SummaryOptions): string[] {
  const lines: string[] = [];
  if (ending === 'interrupted') {
    lines.push(`Interrupted: ${standText(tally)}`);
    if (tally.underWay > 0) lines.push(underWayText(tally.underWay));
  }
  if (tally.counts !== '') lines.push(tally.counts);
  else if (tally.files === 0 && ending === 'done') lines.push('No files to upload.');
  if (untold) lines.push(...skippedLines(tally));
  if (untold && tally.unseen !== undefined) lines.push(unseenText(tally.unseen));
  if (failures && tally.failures.length > 0) {
    lines.push('Failed:', ...tally.failures.map(({ path, why }) => `  ${oneLine(path)}: ${whyText(why)}`));
  }
  lines.push(...[...tally.keptWhy].map((why) => KEPT[why]), ...[...tally.leftWhy].map((why) => LEFT[why]));
  const next = nextText(tally, ending);
  return next === undefined ? lines : [...lines, next];
}

/** Of a key that may store and not list. */
export function unseenText({ message }: ServiceError): string {
  return `Earlier versions stay: ${oneLine(message)}`;
}

function underWayText(count: number): string {
  return count === 1
    ? '1 more was being sent; the server may have stored it.'
    : `${count} more were being sent; the server may have stored them.`;
}

function skippedLines({ skipped }: Tally): string[] {
  if (skipped.length === 0) return [];
  const shown = skipped.slice(0, MOST_SKIPPED).map(({ path, reason }) => `  ${oneLine(path)}: ${reason}`);
  const left = skipped.length - shown.length;
  return ['Skipped:', ...shown, ...(left > 0 ? [`  and ${counted(left, 'more file')}`] : [])];
}

function standText({ stored, files, awaited, processed }: Tally): string {
  const text = `${stored} of ${files} ${files === 1 ? 'file is' : 'files are'} stored`;
  return awaited === undefined ? text : `${text}, ${processed} of ${awaited} processed`;
}

function nextText(tally: Tally, ending: RunEnding): string | undefined {
  if (ending === 'interrupted' && tally.awaited !== undefined) {
    return 'The server continues processing. Run the same command again to wait for it.';
  }
  return (ending === 'interrupted' || tally.isWorthRepeating) && tally.files > 0 ? AGAIN : undefined;
}
