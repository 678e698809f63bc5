import { Box, Text } from 'ink';
import type { ReactNode } from 'react';
import type { Picture } from '../../upload/progress.ts';
import { cut, displayWidth, padEnd } from '../display-width.ts';
import { ScoreBar } from './parts/score-bar.tsx';
import { useColumns } from './parts/use-columns.ts';

const WIDEST_BAR = 60;

/** The part that is redrawn while an upload runs. Every row is cut here: a wrapped one would leave parts behind. */
export function UploadPicture({ picture }: { picture: Picture }): ReactNode {
  const columns = useColumns();
  const { title, share, figures, files, more, pause } = picture;
  const percent = `${Math.floor(share * 100)} %`;
  const widest = Math.max(0, ...files.map(({ state }) => displayWidth(state)));
  return (
    <Box flexDirection="column">
      <Text bold wrap="truncate">
        {cut(title, columns - 1)}
      </Text>
      <Box>
        <ScoreBar share={share} columns={Math.max(10, Math.min(WIDEST_BAR, columns - 8))} />
        <Text>{`  ${percent}`}</Text>
      </Box>
      <Text wrap="truncate">{cut(figures, columns - 1)}</Text>
      {files.map(({ state, path }) => (
        <Text key={path} dimColor wrap="truncate">
          {cut(`  ${padEnd(state, widest)}  ${path}`, columns - 1)}
        </Text>
      ))}
      {more > 0 ? <Text dimColor>{`  and ${more} more`}</Text> : null}
      {pause === undefined ? null : <Text color="yellow">{pause}</Text>}
    </Box>
  );
}
