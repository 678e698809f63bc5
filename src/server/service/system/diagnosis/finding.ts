/** What a check found. */
export interface Finding {
  status: 'OK' | 'WARN' | 'FAIL';
  /** A sentence without its full stop. */
  message: string;
  /** What to do; "" with OK, and only then. */
  remedy: string;
}

export function fine(message: string): Finding {
  return { status: 'OK', message, remedy: '' };
}

export function warn(message: string, remedy: string): Finding {
  return { status: 'WARN', message, remedy };
}

export function fail(message: string, remedy: string): Finding {
  return { status: 'FAIL', message, remedy };
}
