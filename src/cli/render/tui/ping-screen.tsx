import type { Terminal } from '../../kit/output/io.ts';
import { openScreen } from '../../kit/output/screen.tsx';
import type { PingDisplay } from '../ping-lines.ts';
import { PingPicture, type PingPictureProps, pictureAfter } from './ping-picture.tsx';

interface PingScreenOptions {
  /** Ctrl-C: the command goes on until the statistics have come, and that is said. */
  signal: AbortSignal;
  /** Probes that were asked for. */
  count: number;
}

export async function openPingScreen(terminal: Terminal, { signal, count }: PingScreenOptions): Promise<PingDisplay> {
  const { stdout } = terminal;
  let picture: PingPictureProps = { items: [], live: { results: [], count, isEnding: false } };
  const screen = await openScreen(terminal, <PingPicture {...picture} />);
  const show = (next: PingPictureProps): void => {
    picture = next;
    screen.render(<PingPicture {...picture} />);
  };
  const sayEnding = (): void => {
    const { live } = picture;
    if (live !== undefined) show({ ...picture, live: { ...live, isEnding: true } });
  };
  if (signal.aborted) sayEnding();
  else signal.addEventListener('abort', sayEnding);
  return {
    get width() {
      return stdout.columns;
    },
    say: async (text) => show({ ...picture, items: [...picture.items, { kind: 'text', text }] }),
    event: async (message) => show(pictureAfter(picture, message, stdout.columns)),
    end: async () => {
      signal.removeEventListener('abort', sayEnding);
      show({ ...picture, live: undefined });
      await screen.close();
    },
  };
}
