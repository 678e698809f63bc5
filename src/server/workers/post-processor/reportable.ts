import { toWireError, type WireError } from '../errors.ts';

/** Of a text in an error: it goes into the log. */
const MAX_TEXT = 16_384;

/** Anything that a module may throw, as it crosses the process boundary. Never throws, whatever the value does. */
export function reportable(thrown: unknown): WireError {
  try {
    const { name, message, code, details, stack } = toWireError(thrown);
    return { name: cut(name), message: cut(message), code, details: cut(details), stack: cut(stack) };
  } catch {
    return toWireError(new Error('The module threw something that cannot be shown'));
  }
}

/** A getter of the module may have given anything. */
function cut(text: unknown): string {
  return String(text).slice(0, MAX_TEXT);
}
