import { afterAll, beforeAll } from 'vitest';

/** What `open` gives, for the tests of a file or group: its members can be read once these run, and `close` ends it. */
export function useOpened<Opened extends object>(
  open: () => Promise<Opened>,
  close: (opened: Opened) => Promise<unknown>,
): Opened {
  const seen = {} as Opened;
  let opened: Opened | undefined;
  beforeAll(async () => {
    opened = await open();
    Object.assign(seen, opened);
  });
  afterAll(async () => {
    if (opened !== undefined) await close(opened);
  });
  return seen;
}
