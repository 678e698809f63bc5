const MOST = 10;
const PERIOD_MS = 1000;

/** Passes ten faults a second on; a module that fails without end would fill the server's log. Says how many were left out. */
export function faultLimit(report: (thrown: unknown) => void): (thrown: unknown) => void {
  let count = 0;
  const endPeriod = (): void => {
    const leftOut = count - MOST;
    count = 0;
    if (leftOut > 0) report(new Error(`${leftOut} more errors within one second are not shown`));
  };
  return (thrown) => {
    if (count === 0) setTimeout(endPeriod, PERIOD_MS).unref();
    count += 1;
    if (count <= MOST) report(thrown);
  };
}
