import type { ReactNode } from 'react';
import type { Io, Terminal } from '../../io.ts';

/** A part of the terminal that is redrawn. What has to stay above it goes through `<Static>`. */
export interface Screen {
  render(node: ReactNode): void;
  /** Leaves the last picture where it is and gives the terminal back. */
  close(): Promise<void>;
}

/** Loads Ink, which takes longer than most commands, and mounts a first picture. */
export async function openScreen({ color }: Pick<Io, 'color'>, terminal: Terminal, node: ReactNode): Promise<Screen> {
  // Ink's colours look at this variable alone, once, when it is loaded; it does not know NO_COLOR.
  if (!color) terminal.env.FORCE_COLOR = '0';
  const { render } = await import('ink');
  const { stdin, stdout, stderr } = terminal;
  // Ctrl-C has to end with the statistics and 130: Ink would end the screen only.
  const screen = render(node, { stdin, stdout, stderr, exitOnCtrlC: false, patchConsole: false });
  return {
    render: (next) => screen.rerender(next),
    close: async () => {
      screen.unmount();
      await screen.waitUntilExit();
    },
  };
}
