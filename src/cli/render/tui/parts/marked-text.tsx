import { Text } from 'ink';
import type { ReactElement } from 'react';
import { markedParts } from '../../../retrieval/matches.ts';

/** A text in which the words of the question stand out. */
export function MarkedText({ text, question }: { text: string; question: readonly string[] }): ReactElement {
  return (
    <>
      {markedParts(text, question).map((part, at) =>
        part.isMatch ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change
          <Text key={at} color="yellow" bold>
            {part.text}
          </Text>
        ) : (
          part.text
        ),
      )}
    </>
  );
}
