import { type ErrorCode, ServiceError } from '../../shared/errors.ts';

/** Whether the service answered with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is ServiceError {
  return error instanceof ServiceError && codes.includes(error.code);
}
