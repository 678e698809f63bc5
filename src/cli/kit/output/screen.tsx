import { render, Text, useStdout } from 'ink';
import { type ReactElement, type ReactNode, useEffect, useState } from 'react';
import type { Terminal } from './io.ts';
import { barText } from './progress.ts';

/** A part of the terminal that is redrawn. What has to stay above it goes through `<Static>`. */
export interface Screen {
  render(node: ReactNode): void;
  /** Rejects when a component threw, which ends the screen. */
  readonly ended: Promise<unknown>;
  /** Leaves the last picture where it is and gives the terminal back. */
  close(): Promise<void>;
}

/** Mounts a first picture. What Ink has to know of the environment was said by `prepareScreens` before it was loaded. */
export async function openScreen(terminal: Terminal, node: ReactNode): Promise<Screen> {
  const { stdin, stdout, stderr } = terminal;
  // Ctrl-C has to end with the statistics and 130: Ink would end the screen only.
  const screen = render(node, { stdin, stdout, stderr, exitOnCtrlC: false, patchConsole: false });
  const ended = screen.waitUntilExit();
  // Callers that await it or close the screen get the failure; otherwise it must not be an unhandled rejection.
  ended.catch(() => {});
  return {
    render: (next) => screen.rerender(next),
    ended,
    close: async () => {
      screen.unmount();
      await ended;
    },
  };
}

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

/** Columns of the terminal, also after it has been resized. */
export function useColumns(): number {
  const { stdout } = useStdout();
  const [columns, setColumns] = useState(stdout.columns);
  useEffect(() => {
    const measure = (): void => setColumns(stdout.columns);
    stdout.on('resize', measure);
    return () => {
      stdout.off('resize', measure);
    };
  }, [stdout]);
  return columns;
}
