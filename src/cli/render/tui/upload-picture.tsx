import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import { ScoreBar, useColumns } from '../../kit/output/screen.tsx';
import { cut, displayWidth, padEnd } from '../../kit/text/printable.ts';
import type { Picture } from '../../upload/progress.ts';

/**
 * Rows of at most so many columns, on wide terminals too: a row that a narrowed terminal wraps takes a line that Ink does
 * not know of, and the next picture would leave a part of this one behind.
 */
const WIDEST_ROW = 59;
const COLUMNS_OF_PERCENT = 7;

/** The part that is redrawn while an upload runs. */
export function UploadPicture({ picture }: { picture: Picture }): ReactNode {
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
