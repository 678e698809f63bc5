import { Text } from 'ink';
import type { ReactElement } from 'react';

const LABEL = /(\[\d+\])/;

/** A line of a summary. Its labels of results look like the labels of the results; [9] of five results is only text. */
export function SummaryLine({ line, results }: { line: string; results: number }): ReactElement {
  const parts = line.split(LABEL).map((text, at) => ({ text, at, isLabel: isLabelOf(text, results) }));
  return (
    <Text>
      {parts.map(({ text, at, isLabel }) =>
        isLabel ? (
          <Text key={at} color="cyan" bold>
            {text}
          </Text>
        ) : (
          text
        ),
      )}
    </Text>
  );
}

function isLabelOf(text: string, results: number): boolean {
  const rank = /^\[(\d+)\]$/.exec(text)?.[1];
  return rank !== undefined && Number(rank) >= 1 && Number(rank) <= results;
}
