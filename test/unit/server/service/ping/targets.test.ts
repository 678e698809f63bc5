import { describe, expect, test } from 'vitest';
import type { ProbeOptions } from '../../../../../src/server/providers/target.ts';
import { inProcessFailures } from '../../../../../src/server/service/ping/targets.ts';
import { ServiceError } from '../../../../../src/shared/errors.ts';

describe('failures of a BUILTIN target', () => {
  const options = (signal = new AbortController().signal): ProbeOptions => ({ signal, timeoutMs: 1000 });

  test.each([
    { code: 'INTERNAL', timedOut: false },
    { code: 'DEADLINE_EXCEEDED', timedOut: true },
  ] as const)('$code is a failed probe', async ({ code, timedOut }) => {
    const outcome = await inProcessFailures('déjà', options(), () => Promise.reject(new ServiceError(code, 'No.')));
    expect(outcome).toMatchObject({ ok: false, timedOut, bytesSent: 6, bytesReceived: 0, errorMessage: 'No.' });
    expect(outcome).not.toHaveProperty('httpStatus');
  });

  test('are rethrown for any other error', async () => {
    await expect(inProcessFailures('', options(), () => Promise.reject(new TypeError('x')))).rejects.toThrow(TypeError);
  });

  test('are not counted after an abort of the caller', async () => {
    const signal = AbortSignal.abort(new DOMException('gone', 'AbortError'));
    const run = () => Promise.reject(new ServiceError('INTERNAL', 'No.'));
    await expect(inProcessFailures('', options(signal), run)).rejects.toThrow('gone');
  });
});
