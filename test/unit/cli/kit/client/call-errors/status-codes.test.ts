import { describe, expect, test } from 'vitest';
import { SpaceService } from '../../../../../../src/shared/gen/service/v1/space_pb.ts';
import { failure } from '../../../../../support/client/grpc-failure.fixture.ts';
import { useService } from '../../../service.fixture.ts';

const against = useService([SpaceService]);

describe('errors of the server', () => {
  test.each([
    [3, 'INVALID_ARGUMENT', 65],
    [8, 'PAYLOAD_TOO_LARGE', 65],
    [8, 'RESOURCE_EXHAUSTED', 75],
    [5, 'NOT_FOUND', 66],
    [14, 'UNAVAILABLE', 69],
    [9, 'FAILED_PRECONDITION', 1],
    [4, 'DEADLINE_EXCEEDED', 75],
  ])('gRPC %i with %s ends with %i', async (status, code, exit) => {
    const trailing = { 'x-error-code': code, 'x-error-details': encodeURIComponent('näme: not a name') };
    const { svc } = await against({
      unary: {
        ListSpaces: () => {
          throw failure(status, 'It failed', trailing);
        },
      },
    });
    const result = await svc(['spaces', 'list', '-o', 'json']);
    expect(result.code).toBe(exit);
    expect(result.stdout).toBe('');
    expect(JSON.parse(result.stderr)).toEqual({ error: { code, message: 'It failed', details: 'näme: not a name' } });
  });

  test('a refused key is distinguished from a missing one', async () => {
    const { svc } = await against({
      unary: {
        ListSpaces: () => {
          throw failure(16, 'A usable API key is required', { 'x-error-code': 'UNAUTHENTICATED' });
        },
      },
    });
    const key = `svc_${'a'.repeat(32)}`;
    expect(await svc(['spaces', 'list', '--api-key', key])).toEqual({
      code: 77,
      stdout: '',
      stderr: `svc: The server does not accept the API key svc_aaaa…
  It may be expired, inactive, deleted or of another server. To see where it comes from: svc config
`,
    });
  });

  test('without our metadata the gRPC status decides', async () => {
    const { svc } = await against({
      unary: {
        ListSpaces: () => {
          throw failure(8, 'too big');
        },
      },
    });
    expect((await svc(['spaces', 'list'])).code).toBe(75);
  });

  test.each([
    [5, 66, 'NOT_FOUND'],
    [13, 1, 'INTERNAL'],
  ])('a status %i without a message is reported by its code', async (status, exit, code) => {
    const { svc } = await against({
      unary: {
        ListSpaces: () => {
          throw failure(status, '');
        },
      },
    });
    const { code: ended, stderr } = await svc(['spaces', 'list']);
    expect(ended).toBe(exit);
    expect(stderr).toMatch(new RegExp(`^svc: The server answered with ${code} and no message\\n`));
  });

  test('text output says what, why and what next', async () => {
    const { svc } = await against({
      unary: {
        ListSpaces: () => {
          throw failure(8, 'Rate limit exceeded', {
            'x-error-code': 'RESOURCE_EXHAUSTED',
            'x-error-details': 'limit%20600%20per%2060%20s',
            'retry-after': '12',
          });
        },
      },
    });
    expect((await svc(['spaces', 'list'])).stderr).toBe(
      'svc: Rate limit exceeded\n  limit 600 per 60 s\n  Try again in 12 s\n',
    );
  });
});
