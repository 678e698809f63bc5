import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { create, ScalarType } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { statusFromHttp } from '../../../../../src/shared/error-details.ts';
import { PurgeBackgroundJobsRequestSchema } from '../../../../../src/shared/gen/service/v1/admin_pb.ts';
import {
  CreateApiKeyResponseSchema,
  UpdateApiKeyRequestSchema,
} from '../../../../../src/shared/gen/service/v1/api_key_pb.ts';
import { CreateEmbedderRequestSchema } from '../../../../../src/shared/gen/service/v1/embedder_pb.ts';
import { CreateLLMResponseSchema, UpdateLLMRequestSchema } from '../../../../../src/shared/gen/service/v1/llm_pb.ts';
import {
  BatchMemoryResponseSchema,
  CreateMemoryRequestSchema,
  ListChunksResponseSchema,
  ListMemoriesResponseSchema,
  RetrieveMemoryEventSchema,
  RetrieveMemoryRequestSchema,
  UpdateMemoryRequestSchema,
} from '../../../../../src/shared/gen/service/v1/memory_pb.ts';
import { OcrDocumentResponseSchema } from '../../../../../src/shared/gen/service/v1/ocr_pb.ts';
import { JsonForm } from '../../../../../src/shared/gen/service/v1/options_pb.ts';
import { PingServerMessageSchema } from '../../../../../src/shared/gen/service/v1/ping_pb.ts';
import {
  CreateSpaceRequestSchema,
  UpdateSpaceRequestSchema,
} from '../../../../../src/shared/gen/service/v1/space_pb.ts';
import { SystemStatusSchema } from '../../../../../src/shared/gen/service/v1/system_pb.ts';
import { decodeJson } from '../../../../../src/shared/json/decode.ts';
import { encodeJson } from '../../../../../src/shared/json/encode.ts';
import { hasImplicitPresence, jsonForm } from '../../../../../src/shared/json/options.ts';
import { parseJsonText } from '../../../../../src/shared/json/parse.ts';
import { MAX_EPOCH_MS, MIN_EPOCH_MS, timestampFromMs } from '../../../../../src/shared/time.ts';
import { codePoint } from '../../../../support/code-point.ts';

const text = fc
  .oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: codePoint }), fc.constant('__proto__'))
  .map((value) => value.replaceAll('\0', ''));
const double = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const json = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'small' }, text, double, fc.boolean(), fc.constant(null), tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.array(fc.tuple(text, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries)),
}));

function scalar(type: ScalarType): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return text;
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes));
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.INT32:
      return fc.integer();
    case ScalarType.INT64:
      return fc.maxSafeInteger().map(BigInt);
    case ScalarType.FLOAT:
      return fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
    case ScalarType.DOUBLE:
      return double;
    default:
      throw new Error(`no arbitrary for ${ScalarType[type]}`);
  }
}

function item(field: DescField): fc.Arbitrary<unknown> {
  if (field.enum !== undefined) return fc.constantFrom(...field.enum.values.map(({ number }) => number));
  if (field.message === undefined) return scalar(field.scalar);
  if (jsonForm(field) === JsonForm.HTTP_STATUS) {
    return fc.tuple(fc.constantFrom(400, 404, 413, 429, 504), text).map(([code, words]) => statusFromHttp(code, words));
  }
  if (field.message.typeName === 'google.protobuf.Struct') return json.object;
  if (field.message.typeName !== 'google.protobuf.Timestamp') return message(field.message);
  const unit = jsonForm(field) === JsonForm.ISO_TIME ? { min: -62_135_596_800_000 } : { min: MIN_EPOCH_MS };
  return fc.integer({ ...unit, max: MAX_EPOCH_MS }).map(timestampFromMs);
}

function value(field: DescField): fc.Arbitrary<unknown> {
  if (field.fieldKind === 'list') return fc.array(item(field), { maxLength: 3 });
  if (field.fieldKind === 'map') {
    return fc.array(fc.tuple(text, item(field)), { maxLength: 3 }).map((entries) => Object.fromEntries(entries));
  }
  const needed = field.fieldKind !== 'message' && hasImplicitPresence(field);
  return needed ? item(field) : fc.option(item(field), { nil: undefined });
}

function message(desc: DescMessage): fc.Arbitrary<unknown> {
  const members: Record<string, fc.Arbitrary<unknown>> = {};
  for (const member of desc.members) {
    members[member.localName] =
      member.kind === 'field'
        ? value(member)
        : fc.oneof(
            fc.constant({ case: undefined }),
            ...member.fields.map((field) => item(field).map((chosen) => ({ case: field.localName, value: chosen }))),
          );
  }
  return fc.record(members).map((fields) => {
    const made = create(desc) as unknown as Record<string, unknown>;
    for (const [name, content] of Object.entries(fields)) if (content !== undefined) made[name] = content;
    return made;
  });
}

describe('encoded messages decode to themselves', () => {
  test.each([
    CreateMemoryRequestSchema,
    UpdateMemoryRequestSchema,
    ListMemoriesResponseSchema,
    ListChunksResponseSchema,
    BatchMemoryResponseSchema,
    RetrieveMemoryRequestSchema,
    RetrieveMemoryEventSchema,
    CreateSpaceRequestSchema,
    UpdateSpaceRequestSchema,
    CreateApiKeyResponseSchema,
    UpdateApiKeyRequestSchema,
    CreateEmbedderRequestSchema,
    CreateLLMResponseSchema,
    UpdateLLMRequestSchema,
    PurgeBackgroundJobsRequestSchema,
    PingServerMessageSchema,
    SystemStatusSchema,
    OcrDocumentResponseSchema,
  ] as DescMessage[])('$name', (desc) => {
    fc.assert(
      fc.property(message(desc), (original) => {
        const written = encodeJson(desc, original as never);
        const read = decodeJson(desc, parseJsonText(written));
        expect(read).toEqual(original);
        expect(encodeJson(desc, read)).toBe(written);
      }),
      { numRuns: 60 },
    );
  });
});
