import { describe, expect, test } from 'vitest';
import { SpaceService } from '../../../../src/shared/gen/service/v1/space_pb.ts';
import type { Handlers } from '../../../support/client/grpc-server.fixture.ts';
import { useService } from '../service.fixture.ts';

const SPACE = '01980000-0000-7000-8000-0000000000b1';

const against = useService([SpaceService]);

describe('delete', () => {
  const handlers: Handlers = { unary: { DeleteSpace: () => ({}) } };
  test('needs -f without a terminal', async () => {
    const { svc, server } = await against(handlers);
    expect((await svc(['spaces', 'delete', SPACE])).code).toBe(64);
    expect(server.calls).toEqual([]);
    expect(await svc(['spaces', 'delete', SPACE, '-f'])).toEqual({
      code: 0,
      stdout: '',
      stderr: `Deleted space ${SPACE}\n`,
    });
  });
  test.each([
    ['y\n', 0, 1],
    ['yes\n', 0, 1],
    ['n\n', 1, 0],
    ['\n', 1, 0],
    ['', 1, 0],
  ])('asks on a terminal: %j', async (stdin, code, calls) => {
    const { svc, server } = await against(handlers);
    const result = await svc(['spaces', 'delete', SPACE], { terminal: true, stdin });
    expect(result.code).toBe(code);
    expect(result.stderr).toContain('This cannot be undone. [y/N]');
    expect(server.calls).toHaveLength(calls);
  });
});
