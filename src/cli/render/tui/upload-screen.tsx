import { Text } from 'ink';
import type { Terminal } from '../../kit/output/io.ts';
import { openScreen } from '../../kit/output/screen.tsx';
import { Progress } from '../../upload/progress.ts';
import type { Reporter, ReporterOptions } from '../../upload/reporter.ts';
import { summaryLines } from '../../upload/summary.ts';
import { UploadPicture } from './upload-picture.tsx';

const FRAME_MS = 100;

/** A bar, figures and the files under way while it runs; the summary with the failures stays when it has ended. */
export async function uploadScreen(
  { io, tally, space }: Pick<ReporterOptions, 'io' | 'tally' | 'space'>,
  terminal: Terminal,
): Promise<Reporter> {
  const progress = new Progress(tally, { space, now: io.now });
  const screen = await openScreen(terminal, <UploadPicture picture={progress.picture} />);
  // Events come faster than anyone can read, and pauses count down without any.
  const frames = setInterval(() => screen.render(<UploadPicture picture={progress.picture} />), FRAME_MS);
  return {
    event: async (event) => progress.add(event),
    end: async (ending) => {
      clearInterval(frames);
      const pace = tally.count('uploaded') > 0 ? progress.pace : '';
      const [last = '', ...more] = summaryLines(tally, ending, { failures: true, untold: true }).map((line) =>
        line === tally.counts ? `${line}${pace}` : line,
      );
      // The first line takes the place of the picture, which would leave an empty row; a list may be longer than the screen.
      screen.render(<Text>{last}</Text>);
      await screen.close();
      for (const line of more) await io.stderr.write(`${line}\n`);
    },
  };
}
