import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import type { Terminal } from '../kit/output/io.ts';
import { openScreen, ScoreBar, useColumns } from '../kit/output/screen.tsx';
import { cut, displayWidth, padEnd } from '../kit/text/printable.ts';
import { type Picture, UploadProgress } from './progress.ts';
import { outcomeLines, type Reporter, type ReporterOptions } from './reporter.ts';

const FRAME_MS = 100;

/** A bar, figures and the files under way while it runs; the summary with the failures stays when it has ended. */
export async function uploadScreen(
  { io, tally, space }: Pick<ReporterOptions, 'io' | 'tally' | 'space'>,
  terminal: Terminal,
): Promise<Reporter> {
  const progress = new UploadProgress(tally, { space, now: io.now });
  const screen = await openScreen(terminal, <UploadPicture picture={progress.picture} />);
  // Events come faster than can be read, and pauses count down without any.
  const frames = setInterval(() => screen.render(<UploadPicture picture={progress.picture} />), FRAME_MS);
  return {
    event: async (event) => progress.add(event),
    end: async (ending) => {
      clearInterval(frames);
      const pace = tally.count('uploaded') > 0 ? progress.pace : '';
      const [last = '', ...more] = outcomeLines(tally, ending, { failures: true, untold: true }).map((line) =>
        line === tally.counts ? `${line}${pace}` : line,
      );
      // The first line takes the place of the picture, which would leave an empty row; a list may be longer than the screen.
      screen.render(<Text>{last}</Text>);
      await screen.close();
      for (const line of more) await io.stderr.write(`${line}\n`);
    },
  };
}

/**
 * Rows of at most so many columns, on wide terminals too: a row that a narrowed terminal wraps takes a line that Ink does
 * not know of, and the next picture would leave a part of this one behind.
 */
const WIDEST_ROW = 59;
const COLUMNS_OF_PERCENT = 7;

/** The part that is redrawn while an upload runs. */
function UploadPicture({ picture }: { picture: Picture }): ReactNode {
  const width = Math.min(WIDEST_ROW, useColumns() - 1);
  const { title, share, figures, files, more, pause } = picture;
  const percent = `${Math.floor(share * 100)} %`;
  const widest = Math.max(0, ...files.map(({ state }) => displayWidth(state)));
  return (
    <Box flexDirection="column">
      <Text bold wrap="truncate">
        {cut(title, width)}
      </Text>
      <Box>
        <ScoreBar share={share} columns={Math.max(10, width - COLUMNS_OF_PERCENT)} />
        <Text>{`  ${percent}`}</Text>
      </Box>
      <Text wrap="truncate">{cut(figures, width)}</Text>
      {files.map(({ state, path }) => (
        <Text key={path} dimColor wrap="truncate">
          {cut(`  ${padEnd(state, widest)}  ${path}`, width)}
        </Text>
      ))}
      {more > 0 ? <Text dimColor>{`  and ${more} more`}</Text> : null}
      {pause === undefined ? null : <Text color="yellow">{pause}</Text>}
    </Box>
  );
}
