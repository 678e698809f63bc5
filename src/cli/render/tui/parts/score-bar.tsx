import { Text } from 'ink';
import type { ReactElement } from 'react';

/** `share` of the bar is full, from 0 to 1. Heavy against light lines, so that it reads without colour too. */
export function ScoreBar({ share, columns }: { share: number; columns: number }): ReactElement {
  const halves = Math.round(Math.min(1, Math.max(0, share)) * columns * 2);
  const full = '━'.repeat(Math.floor(halves / 2)) + (halves % 2 === 1 ? '╸' : '');
  return (
    <Text>
      <Text color="cyan">{full}</Text>
      <Text dimColor>{'─'.repeat(columns - full.length)}</Text>
    </Text>
  );
}
