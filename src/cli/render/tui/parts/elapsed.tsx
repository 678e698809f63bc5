import { Text } from 'ink';
import { type ReactElement, useEffect, useState } from 'react';

const TICK_MS = 100;

export interface ElapsedProps {
  /** Epoch milliseconds. */
  since: number;
  now: () => number;
  text: (ms: number) => string;
}

/** The time that something takes, redrawn while it is shown. */
export function Elapsed({ since, now, text }: ElapsedProps): ReactElement {
  const [ms, setMs] = useState(() => now() - since);
  useEffect(() => {
    const timer = setInterval(() => setMs(now() - since), TICK_MS);
    return () => clearInterval(timer);
  }, [since, now]);
  return <Text>{text(ms)}</Text>;
}
