import type { DescMessage } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { filterError } from '../../../../../src/server/service/filter/place.ts';
import { inFieldNames } from '../../../../../src/server/transport/grpc/field-names.ts';
import { toGrpcError } from '../../../../../src/server/transport/grpc/status.ts';
import { invalidFields, ServiceError } from '../../../../../src/shared/errors.ts';
import { UpdateApiKeyRequestSchema } from '../../../../../src/shared/gen/service/v1/api_key_pb.ts';
import {
  BatchCreateMemoryRequestSchema,
  BatchDeleteMemoryRequestSchema,
  BatchGetMemoryRequestSchema,
  CreateMemoryRequestSchema,
  RetrieveMemoryRequestSchema,
  UpdateMemoryRequestSchema,
} from '../../../../../src/shared/gen/service/v1/memory_pb.ts';
import { PingClientMessageSchema } from '../../../../../src/shared/gen/service/v1/ping_pb.ts';
import {
  CreateSpaceRequestSchema,
  ListSpacesRequestSchema,
} from '../../../../../src/shared/gen/service/v1/space_pb.ts';

const named = (desc: DescMessage, path: string, problem = 'is bad') =>
  inFieldNames(invalidFields([{ path, problem }]), desc).details;

test.each<[DescMessage, string, string]>([
  [CreateSpaceRequestSchema, 'spaceEmbedders[0].embedderId', 'space_embedders[0].embedder_id'],
  [CreateSpaceRequestSchema, 'spaceEmbedders', 'space_embedders'],
  [CreateSpaceRequestSchema, 'name', 'name'],
  [CreateSpaceRequestSchema, 'labels.ownerId.x', 'labels.ownerId.x'],
  [
    CreateSpaceRequestSchema,
    'defaultChunkingConfig.recursive.chunkOverlap',
    'default_chunking_config.recursive.chunk_overlap',
  ],
  [ListSpacesRequestSchema, 'label.ownerId', 'label.ownerId'],
  [CreateMemoryRequestSchema, 'metadata.spaceId[0].memoryId', 'metadata.spaceId[0].memoryId'],
  [UpdateMemoryRequestSchema, 'replaceMetadata.spaceId', 'replace_metadata.spaceId'],
  [UpdateApiKeyRequestSchema, 'replaceLabels.ownerId', 'replace_labels.labels.ownerId'],
  [RetrieveMemoryRequestSchema, 'spaceKeys[1].embedderWeights[0].weight', 'space_keys[1].embedder_weights[0].weight'],
  [RetrieveMemoryRequestSchema, 'postProcessor.config.maxResults', 'post_processor.config.maxResults'],
  [PingClientMessageSchema, 'config.targetId', 'config.target_id'],
  [BatchCreateMemoryRequestSchema, 'waitMs', 'wait_ms'],
  [BatchCreateMemoryRequestSchema, 'contentType', 'content_type'],
  [BatchDeleteMemoryRequestSchema, 'filterSelector.spaceId', 'filter_selector.space_id'],
  [BatchGetMemoryRequestSchema, 'memoryId', 'memory_id'],
])('$typeName: %s is %s', (desc, path, expected) => {
  expect(named(desc, path)).toBe(`${expected}: is bad`);
});

test('a violation that mentions another field uses its name on the wire', () => {
  expect(named(ListSpacesRequestSchema, 'publicRead', 'cannot be given together with ownerId')).toBe(
    'public_read: cannot be given together with owner_id',
  );
  expect(named(CreateMemoryRequestSchema, 'originalContent', 'is required unless originalContentB64 is given')).toBe(
    'original_content: is required',
  );
});

test('input of the caller is quoted unchanged', () => {
  const source = { text: 'ownerId = 1', path: 'spaceKeys[0].filter' };
  const { message, details } = inFieldNames(
    filterError({ source, offset: 0 }, 'expected a value but found "ownerId"'),
    RetrieveMemoryRequestSchema,
  );
  expect([message, details]).toEqual([
    'Invalid filter: Parse error at line 1, column 1',
    'space_keys[0].filter: expected a value but found "ownerId"',
  ]);
});

test('details fit into metadata and end at whole characters', () => {
  const details = `${'é'.repeat(700)}${'x'.repeat(1000)}${'\u{1f600}'.repeat(1000)}`;
  for (let length = 0; length < 12; length += 1) {
    const error = toGrpcError(new ServiceError('INVALID_ARGUMENT', 'm', { details: 'x'.repeat(length) + details }));
    const told = String(error.metadata.get('x-error-details')[0]);
    expect(told.length).toBeLessThan(8100);
    expect(`${'x'.repeat(length)}${details}`.startsWith(decodeURIComponent(told).replace(/…$/, ''))).toBe(true);
  }
  const half = toGrpcError(new ServiceError('INVALID_ARGUMENT', 'a\ud83d', { details: '\ud83d' }));
  expect([half.details, half.metadata.get('x-error-details')]).toEqual(['a\ufffd', ['%EF%BF%BD']]);
});
