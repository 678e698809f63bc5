import { type ReactElement, type ReactNode, useLayoutEffect } from 'react';
import type { Terminal } from '../../../kit/output/io.ts';
import { openScreen, type Screen } from '../../../kit/output/screen.tsx';

type Output = Terminal['stdout'];

// The second buffer, which leaves what was on the screen before as it was; from its first cell.
const ENTER = '\u001b[?1049h\u001b[H';
const LEAVE = '\u001b[?1049l';

/**
 * A screen of its own that fills the terminal but for its last row and vanishes at its end, whatever ends it: Ink
 * unmounts its components also when the process exits.
 */
export async function openFullScreen(terminal: Terminal, node: ReactNode): Promise<Screen> {
  const { stdout } = terminal;
  const framed = (picture: ReactNode): ReactElement => <FullScreen stdout={stdout}>{picture}</FullScreen>;
  stdout.write(ENTER);
  try {
    const screen = await openScreen({ ...terminal, stdout: withoutHeight(stdout) }, framed(node));
    return { ...screen, render: (picture) => screen.render(framed(picture)) };
  } catch (error) {
    stdout.write(LEAVE);
    throw error;
  }
}

function FullScreen({ stdout, children }: { stdout: Output; children: ReactNode }): ReactElement {
  useLayoutEffect(() => () => void stdout.write(LEAVE), [stdout]);
  return <>{children}</>;
}

/** Ink clears the scrollback, that of the first buffer too, when a picture is as high as the terminal has become. */
function withoutHeight(stdout: Output): Output {
  return new Proxy(stdout, {
    get: (target, name) => {
      if (name === 'rows') return Number.POSITIVE_INFINITY;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
