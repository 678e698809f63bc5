import { type ErrorCode, type Resource, ServiceError, type Violation } from '../../shared/errors.ts';

/** A task ran longer than its deadline; its thread was terminated and replaced. */
export class WorkerTimeout extends ServiceError {
  constructor(task: string, timeoutMs: number) {
    super('DEADLINE_EXCEEDED', `Task ${task} did not finish within ${timeoutMs} ms`);
    this.name = 'WorkerTimeout';
  }
}

/** A task needed more memory than a worker thread may use; its thread was terminated and replaced. */
export class WorkerOutOfMemory extends ServiceError {
  constructor(task: string, maxOldSpaceMb: number, options: { cause?: unknown } = {}) {
    super('INTERNAL', `Task ${task} needed more than the ${maxOldSpaceMb} MiB of a worker thread`, options);
    this.name = 'WorkerOutOfMemory';
  }
}

/** The content itself is the cause, so a retry cannot succeed. The message is shown to the owner of the content. */
export class ExtractionError extends ServiceError {
  readonly permanent = true;

  constructor(message: string, options: { cause?: unknown } = {}) {
    super('INVALID_ARGUMENT', message, options);
    this.name = 'ExtractionError';
  }
}

/** An error as it is sent between threads: structured cloning would drop its class and fields. */
export interface WireError {
  name: string;
  message: string;
  code: ErrorCode;
  details: string;
  retryAfterSeconds?: number | undefined;
  violations?: readonly Violation[] | undefined;
  resource?: Resource | undefined;
  stack: string;
}

export function toWireError(error: unknown): WireError {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const known = error instanceof ServiceError ? error : undefined;
  const { code = 'INTERNAL', details = '', retryAfterSeconds, violations, resource } = known ?? {};
  return { name, message, code, details, retryAfterSeconds, violations, resource, stack: stack ?? '' };
}

/** Restores the class of an error of another thread; its original stack is in the cause. */
export function fromWireError(wire: WireError): ServiceError {
  const cause = new Error(wire.message);
  cause.stack = wire.stack;
  if (wire.name === 'ExtractionError') return new ExtractionError(wire.message, { cause });
  const { code, message, details, retryAfterSeconds, violations, resource } = wire;
  return new ServiceError(code, message, { details, retryAfterSeconds, violations, resource, cause });
}
