import { useStdout } from 'ink';
import { useEffect, useState } from 'react';

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
