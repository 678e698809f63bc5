import { oneLine } from '../render/printable.ts';
import { type Tally, whyText } from './tally.ts';

/** How a run ended. `stopped`: a failure that all further files would have met too. */
export type Ending = 'done' | 'stopped' | 'interrupted';

const AGAIN = 'Run the same command again to go on: what is stored is not sent again.';

/** What was done and how to go on, as lines for people. The failures are listed where `lists` says so. */
export function summaryLines(tally: Tally, ending: Ending, { lists }: { lists: boolean }): string[] {
  const lines: string[] = [];
  if (ending === 'interrupted') lines.push(`Interrupted: ${standText(tally)}`);
  if (tally.counts !== '') lines.push(tally.counts);
  else if (tally.files === 0 && ending === 'done') lines.push('No files to upload.');
  if (lists && tally.failures.length > 0) {
    lines.push('Failed:', ...tally.failures.map(({ path, why }) => `  ${oneLine(path)}: ${whyText(why)}`));
  }
  const next = nextText(tally, ending);
  return next === undefined ? lines : [...lines, next];
}

function standText({ stored, files, awaited, processed }: Tally): string {
  const text = `${stored} of ${files} ${files === 1 ? 'file is' : 'files are'} stored`;
  return awaited === undefined ? text : `${text}, ${processed} of ${awaited} processed`;
}

function nextText(tally: Tally, ending: Ending): string | undefined {
  if (ending === 'interrupted' && tally.awaited !== undefined) {
    return 'The server goes on processing. Run the same command again to wait for it.';
  }
  const isIncomplete = ending !== 'done' || tally.count('failed') > 0;
  return isIncomplete && tally.files > 0 ? AGAIN : undefined;
}
