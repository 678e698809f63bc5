import { toWireError, type WireError } from '../errors.ts';

/** Anything that a module may throw, as it crosses the process boundary. Never throws, whatever the value does. */
export function reportable(thrown: unknown): WireError {
  try {
    const { name, message, code, details, stack } = toWireError(thrown);
    return { name: String(name), message: String(message), code, details, stack: String(stack) };
  } catch {
    return toWireError(new Error('The module threw something that cannot be shown'));
  }
}
