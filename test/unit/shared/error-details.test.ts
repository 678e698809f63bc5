import { create, toBinary } from '@bufbuild/protobuf';
import { type Any, anyPack } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { factsOf, statusDetails, statusOf } from '../../../src/shared/error-details.ts';
import {
  alreadyExists,
  ERROR_CODES,
  invalidFields,
  NOT_A_UUID,
  notFound,
  RESOURCE_KINDS,
  ServiceError,
} from '../../../src/shared/errors.ts';
import { ResourceInfoSchema } from '../../../src/shared/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../../src/shared/gen/google/rpc/status_pb.ts';

describe('an error as a google.rpc.Status', () => {
  test('has the code and what the error is about', () => {
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
    const bytes = statusDetails(invalidFields(long));
    expect(bytes.length).toBeLessThan(4000);
    const told = factsOf(statusOf(invalidFields(long))).violations ?? [];
    expect(told.length).toBeGreaterThan(5);
    expect(told).toEqual(long.slice(0, told.length));
    expect(statusDetails(notFound('User', '\u{1f600}'.repeat(5000))).length).toBeLessThan(4000);
    expect(() => statusDetails(notFound('User', 'half \ud83d'))).not.toThrow();
  });

  test('of somebody else tells what is known of it', () => {
    const resource = create(ResourceInfoSchema, { resourceType: 'storage bucket', resourceName: 'b' });
    const broken = {
      $typeName: 'google.protobuf.Any',
      typeUrl: 'type.googleapis.com/google.rpc.ErrorInfo',
      value: Uint8Array.of(0xff),
    } as Any;
    const status = create(StatusSchema, { code: 5, details: [broken, anyPack(ResourceInfoSchema, resource)] });
    expect(factsOf(status)).toEqual({});
    expect(toBinary(StatusSchema, status).length).toBeGreaterThan(0);
  });
});

test('every kind has its article', () => {
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

test('every code says what it means and what to do, as a sentence without its full stop', () => {
  for (const [code, { meaning, next }] of Object.entries(ERROR_CODES)) {
    for (const text of [meaning, next]) expect(text, code).toMatch(/^[A-Z].*[^.]$/);
  }
});
