import { expect, test } from 'vitest';
import { failureOf } from '../../src/cli/failure.ts';
import { ServiceError } from '../../src/shared/errors.ts';

test.each([
  ['memoryId', 'svc memories list SPACE'],
  ['spaceEmbedders[0].embedderId', 'svc embedders list'],
  ['apiKeyId', 'svc apikeys list'],
  ['llmId', 'svc llms list'],
  ['requests[2].memoryIds[1]', 'svc memories list SPACE'],
])('a name where %s belongs leads to the ids', (field, list) => {
  const error = new ServiceError('INVALID_ARGUMENT', 'Request has 1 invalid field', {
    details: `${field}: not a UUID`,
  });
  expect(failureOf(error).next).toBe(`See what there is: ${list}`);
});

test('an id of what no command lists leads nowhere', () => {
  const details = 'ownerId: not a UUID';
  expect(failureOf(new ServiceError('INVALID_ARGUMENT', 'Request has 1 invalid field', { details })).next).toBe(
    undefined,
  );
});
