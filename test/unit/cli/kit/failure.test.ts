import { describe, expect, test } from 'vitest';
import { KeyRefused, Unreachable, type WhyUnreachable } from '../../../../src/cli/kit/errors.ts';
import { failureOf } from '../../../../src/cli/kit/failure.ts';
import { ERROR_CODES, type ErrorCode, invalidFields, NOT_A_UUID, ServiceError } from '../../../../src/shared/errors.ts';

const OTHER_WORDS = 'Worded in quite another way';

describe('the next step depends on the resource of an error, not on its message', () => {
  test.each([
    ['memoryId', 'svc memories list SPACE'],
    ['spaceEmbedders[0].embedderId', 'svc embedders list'],
    ['space_embedders[0].embedder_id', 'svc embedders list'],
    ['apiKeyId', 'svc apikeys list'],
    ['api_key_id', 'svc apikeys list'],
    ['llmId', 'svc llms list'],
    ['requests[2].memoryIds[1]', 'svc memories list SPACE'],
  ])('a name in place of %s leads to the ids', (path, list) => {
    const next = `See what there is: ${list}`;
    expect(failureOf(invalidFields([{ path, ...NOT_A_UUID }])).next).toBe(next);
    const violations = [{ path, problem: OTHER_WORDS, reason: NOT_A_UUID.reason }];
    expect(failureOf(new ServiceError('INVALID_ARGUMENT', OTHER_WORDS, { violations })).next).toBe(next);
    // The same words about something else.
    expect(failureOf(invalidFields([{ path, problem: 'not a UUID, but another problem' }])).next).toBeUndefined();
  });

  test('an id of a resource without a list command has no next step', () => {
    expect(failureOf(invalidFields([{ path: 'ownerId', ...NOT_A_UUID }])).next).toBeUndefined();
  });

  test.each(['NOT_FOUND', 'ALREADY_EXISTS'] as const)('%s leads to the list of its resources', (code) => {
    const error = new ServiceError(code, OTHER_WORDS, { resource: { kind: 'API key' } });
    expect(failureOf(error).next).toBe('See what there is: svc apikeys list');
    expect(failureOf(new ServiceError(code, 'Space not found: house')).next).toBeUndefined();
  });

  test('another error about a resource has the step of its code', () => {
    const resource = { kind: 'Space', id: 'x' } as const;
    const next = (code: ErrorCode) => failureOf(new ServiceError(code, OTHER_WORDS, { resource })).next;
    expect(next('PERMISSION_DENIED')).toBe(ERROR_CODES.PERMISSION_DENIED.next);
    expect(next('FAILED_PRECONDITION')).toBeUndefined();
  });

  test.each<[WhyUnreachable, RegExp]>([
    ['no host', /^Check the name of the server/],
    ['not gRPC', /^Check that this is the gRPC port/],
    ['no answer', /^Is the server running/],
  ])('a server that cannot be reached: %s', (why, next) => {
    const error = new Unreachable('localhost:9090', OTHER_WORDS, { why });
    expect(failureOf(error).next).toMatch(next);
    error.message = OTHER_WORDS;
    expect(failureOf(error).next).toMatch(next);
    expect(failureOf(new ServiceError('UNAVAILABLE', 'Cannot connect to localhost')).next).toBe(
      ERROR_CODES.UNAVAILABLE.next,
    );
  });

  test('a refused key', () => {
    const error = new KeyRefused('svc_abc…', {});
    expect(error.message).toBe('The server does not accept the API key svc_abc…');
    error.message = OTHER_WORDS;
    expect(failureOf(error).next).toMatch(/^It may be expired/);
    expect(new KeyRefused('…', {}).message).toBe('The server does not accept the API key');
  });
});
