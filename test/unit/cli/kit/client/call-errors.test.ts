import { create } from '@bufbuild/protobuf';
import { Metadata, status } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { itemError, serviceErrorOf } from '../../../../../src/cli/kit/client/call-errors.ts';
import { failureOf } from '../../../../../src/cli/kit/failure.ts';
import { type GrpcError, toGrpcError } from '../../../../../src/server/transport/grpc/status.ts';
import { httpStatusOf, STATUS_DETAILS, statusOf } from '../../../../../src/shared/error-details.ts';
import {
  alreadyExists,
  ERROR_CODES,
  type ErrorCode,
  invalidFields,
  NOT_A_UUID,
  notFound,
  ServiceError,
} from '../../../../../src/shared/errors.ts';
import { StatusSchema } from '../../../../../src/shared/gen/google/rpc/status_pb.ts';

const PLACE = { authority: 'localhost:9090', hasBegun: true, apiKey: undefined };
const read = (error: GrpcError) => serviceErrorOf(error, PLACE);

/** The same failure of a server that words everything otherwise. */
function reworded(error: ServiceError): GrpcError {
  const made = toGrpcError(error);
  made.metadata.set('x-error-details', 'worded%20otherwise');
  return Object.assign(made, { details: 'Worded otherwise' });
}

describe('an error from the server', () => {
  test.each([
    ['a missing resource', notFound('Space', 'house')],
    ['an existing resource', alreadyExists('LLM', 'with this id')],
    [
      'fields',
      invalidFields([
        { path: 'embedder_id', ...NOT_A_UUID },
        { path: 'name', problem: 'is required' },
      ]),
    ],
    ['a delay before a retry', new ServiceError('RESOURCE_EXHAUSTED', 'Too many requests', { retryAfterSeconds: 7 })],
  ])('has its details, and the same next step with another message: %s', (_, error) => {
    const { code, message, details, resource, violations, retryAfterSeconds } = error;
    const facts = { code, resource, violations, retryAfterSeconds };
    expect(read(toGrpcError(error))).toMatchObject({ ...facts, message, details });
    expect(read(reworded(error))).toMatchObject({ ...facts, message: 'Worded otherwise' });
    expect(failureOf(read(reworded(error))).next).toBe(failureOf(error).next);
  });

  test('is read from the google.rpc details alone', () => {
    const made = toGrpcError(new ServiceError('PAYLOAD_TOO_LARGE', 'Too large', { retryAfterSeconds: 3 }));
    for (const name of ['x-error-code', 'x-error-details', 'retry-after']) made.metadata.remove(name);
    expect(read(made)).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', details: '', retryAfterSeconds: 3 });
  });

  test('without details, or with malformed ones, is read from status and metadata', () => {
    const metadata = new Metadata();
    metadata.set(STATUS_DETAILS, Buffer.from([0xff, 0xff, 0xff]));
    const broken = Object.assign(new Error('gone'), { code: 5, details: 'gone', metadata });
    expect(read(broken)).toMatchObject({ code: 'NOT_FOUND', resource: undefined, violations: undefined });
    expect(
      read(Object.assign(new Error('gone'), { code: 5, details: 'gone', metadata: new Metadata() })),
    ).toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('one meaning of a status, whichever way it arrives', () => {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  test.each(codes)('%s, as the server sends it', (code) => {
    const error = new ServiceError(code, 'told');
    const item = statusOf(error);
    expect(read(toGrpcError(error)).code).toBe(code);
    expect(itemError(item).code).toBe(code);
    expect(httpStatusOf(item)).toBe(ERROR_CODES[code].http);
  });

  const statuses = Object.entries(status).filter((entry): entry is [string, status] => typeof entry[1] === 'number');
  const bare: Readonly<Record<string, ErrorCode>> = { OUT_OF_RANGE: 'INVALID_ARGUMENT' };
  test.each(statuses)('%s, with a number alone', (name, number) => {
    const expected = bare[name] ?? codes.find((code) => code === name) ?? 'INTERNAL';
    const item = create(StatusSchema, { code: number });
    const call = Object.assign(new Error('gone'), { code: number, details: 'gone', metadata: new Metadata() });
    expect(read(call).code).toBe(expected);
    expect(itemError(item).code).toBe(expected);
    expect(httpStatusOf(item)).toBe(ERROR_CODES[expected].http);
  });
});
