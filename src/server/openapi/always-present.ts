import type { DescField } from '@bufbuild/protobuf';
import { CreateApiKeyResponseSchema } from '../../shared/gen/service/v1/api_key_pb.ts';
import { CreateLLMResponseSchema, LLMSchema } from '../../shared/gen/service/v1/llm_pb.ts';
import { MemorySchema } from '../../shared/gen/service/v1/memory_pb.ts';
import { OcrDocumentResponseSchema, OcrPageSchema } from '../../shared/gen/service/v1/ocr_pb.ts';
import { PingResultSchema, PingSummarySchema } from '../../shared/gen/service/v1/ping_pb.ts';
import { SpaceSchema } from '../../shared/gen/service/v1/space_pb.ts';

/** Members that are messages and are never left out of a response, which their descriptors cannot say. */
const NEVER_LEFT_OUT: ReadonlySet<DescField> = new Set<DescField>([
  CreateApiKeyResponseSchema.field.apiKeyMetadata,
  CreateLLMResponseSchema.field.llm,
  LLMSchema.field.capabilities,
  MemorySchema.field.metadata,
  OcrDocumentResponseSchema.field.timings,
  OcrPageSchema.field.timings,
  PingResultSchema.field.endpoint,
  PingResultSchema.field.timing,
  PingSummarySchema.field.endpoint,
  SpaceSchema.field.defaultChunkingConfig,
]);

/** Whether a response always holds this member although it is a message. */
export function isNeverLeftOut(field: DescField): boolean {
  return NEVER_LEFT_OUT.has(field) || isAuditTime(field);
}

/** Whatever was created knows when, and when it changed last. */
function isAuditTime({ name, parent }: DescField): boolean {
  return name === 'created_at' || (name === 'updated_at' && parent.fields.some((other) => other.name === 'created_at'));
}
