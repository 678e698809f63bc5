import { Text } from 'ink';
import type { ReactElement } from 'react';
import { barText } from '../../bar-text.ts';

/** `share` of the bar is full, from 0 to 1. */
export function ScoreBar({ share, columns }: { share: number; columns: number }): ReactElement {
  const { full, rest } = barText(share, columns);
  return (
    <Text>
      <Text color="cyan">{full}</Text>
      <Text dimColor>{rest}</Text>
    </Text>
  );
}
