import { toWireError, type WireError } from '../errors.ts';

/** Most characters of each string of an error, which is logged. */
const MAX_TEXT = 16_384;

/** Serializes anything that a module may throw. Never throws itself, even if the value's getters do. */
export function reportable(thrown: unknown): WireError {
  try {
    const { name, message, code, details, stack } = toWireError(thrown);
    return { name: cut(name), message: cut(message), code, details: cut(details), stack: cut(stack) };
  } catch {
    return toWireError(new Error('The module threw a value that cannot be serialized'));
  }
}

/** A getter of the module may return a value of any type. */
function cut(text: unknown): string {
  return String(text).slice(0, MAX_TEXT);
}
