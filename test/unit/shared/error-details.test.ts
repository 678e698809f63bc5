import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Any, anyPack } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { ERROR_DOMAIN, factsOf, statusOf, trailerOf } from '../../../src/shared/error-details.ts';
import {
  alreadyExists,
  ERROR_CODES,
  invalidFields,
  NOT_A_UUID,
  notFound,
  RESOURCE_KINDS,
  ServiceError,
} from '../../../src/shared/errors.ts';
import { ErrorInfoSchema, ResourceInfoSchema } from '../../../src/shared/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../../src/shared/gen/google/rpc/status_pb.ts';

describe('an error as a google.rpc.Status', () => {
  test('has the code, resource and fields', () => {
    const error = new ServiceError('NOT_FOUND', 'gone', {
      resource: { kind: 'Embedder', id: 'e' },
      violations: [{ path: 'a[0].b', ...NOT_A_UUID }],
      retryAfterSeconds: 1.2,
    });
    const status = statusOf(error);
    expect(status).toMatchObject({ code: ERROR_CODES.NOT_FOUND.grpc, message: 'gone' });
    expect(factsOf(status)).toEqual({
      code: 'NOT_FOUND',
      resource: { kind: 'Embedder', id: 'e' },
      violations: [{ path: 'a[0].b', problem: 'not a UUID', reason: 'NOT_A_UUID' }],
      // In whole seconds, as Retry-After.
      retryAfterSeconds: 2,
    });
    expect(factsOf(statusOf(alreadyExists('Space', 'with this id'))).resource).toEqual({ kind: 'Space' });
  });

  test('stays small enough for metadata, with the first fields', () => {
    const long = Array.from({ length: 100 }, (_, at) => ({
      path: `${'ü'.repeat(50)}[${at}]`,
      problem: 'x'.repeat(100),
    }));
    const told = factsOf(statusOf(invalidFields(long))).violations ?? [];
    expect(told.length).toBeGreaterThan(5);
    expect(told).toEqual(long.slice(0, told.length));
  });

  test('keeps the fields after one with a long description', () => {
    const fields = [
      { path: 'filter', problem: 'x'.repeat(3000) },
      { path: 'spaceId', ...NOT_A_UUID },
    ];
    const [first, second] = factsOf(statusOf(invalidFields(fields))).violations ?? [];
    expect([first?.problem.length, second]).toEqual([200, fields[1]]);
  });

  // The C core of gRPC refuses more than 8192 bytes at random; names and values of headers count, 32 bytes more for each.
  test.each([
    ['many fields', invalidFields(Array.from({ length: 100 }, (_, n) => ({ path: `a[${n}].b_c`, ...NOT_A_UUID })))],
    ['fields in Cyrillic', invalidFields(Array.from({ length: 40 }, () => ({ path: 'ж'.repeat(60), problem: 'ы' })))],
    ['a long id', notFound('User', '\u{1f600}'.repeat(5000))],
    ['a cut pair', notFound('User', 'half \ud83d'.repeat(500))],
    [
      'everything',
      new ServiceError('UNAVAILABLE', 'ö'.repeat(5000), { details: '€'.repeat(9000), retryAfterSeconds: 9 }),
    ],
  ])('is small enough for trailing metadata with %s', (_, error) => {
    const { message, details, statusDetails } = trailerOf(error);
    const bytes = encodeURIComponent(message).length + details.length + (4 / 3) * statusDetails.length;
    expect(bytes).toBeLessThan(7000);
    // Readers of the details refuse them where the two differ.
    expect(fromBinary(StatusSchema, statusDetails).message).toBe(message);
    expect(factsOf(fromBinary(StatusSchema, statusDetails)).code).toBe(error.code);
  });

  test('of another service keeps its known details', () => {
    const resource = create(ResourceInfoSchema, { resourceType: 'storage bucket', resourceName: 'b' });
    const broken = {
      $typeName: 'google.protobuf.Any',
      typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo',
      value: Uint8Array.of(0xff),
    } as Any;
    const foreign = create(ErrorInfoSchema, { reason: 'UNAUTHENTICATED', domain: 'googleapis.com' });
    expect(factsOf(create(StatusSchema, { details: [anyPack(ErrorInfoSchema, foreign)] }))).toEqual({});
    expect(ERROR_DOMAIN).not.toBe(foreign.domain);
    const status = create(StatusSchema, { code: 5, details: [broken, anyPack(ResourceInfoSchema, resource)] });
    expect(factsOf(status)).toEqual({});
    expect(toBinary(StatusSchema, status).length).toBeGreaterThan(0);
  });
});

test('every kind has its indefinite article', () => {
  const sentences = RESOURCE_KINDS.map((kind) => alreadyExists(kind, 'with this id').message);
  expect(sentences.map((sentence) => sentence.replace(' with this id exists already', ''))).toEqual([
    'A space',
    'A memory',
    'An embedder',
    'An LLM',
    'A reranker',
    'A user',
    'An API key',
    'A target',
  ]);
});

test('every code has its meaning and next step, as sentences without a full stop', () => {
  for (const [code, { meaning, next }] of Object.entries(ERROR_CODES)) {
    for (const text of [meaning, next]) expect(text, code).toMatch(/^[A-Z].*[^.]$/);
  }
});
