import type { DescMethod, DescService } from '@bufbuild/protobuf';
import { AdminService } from '../../shared/gen/service/v1/admin_pb.ts';
import { ApiKeyService } from '../../shared/gen/service/v1/api_key_pb.ts';
import { EmbedderService } from '../../shared/gen/service/v1/embedder_pb.ts';
import { LLMService } from '../../shared/gen/service/v1/llm_pb.ts';
import { MemoryService } from '../../shared/gen/service/v1/memory_pb.ts';
import { OcrService } from '../../shared/gen/service/v1/ocr_pb.ts';
import { PingService } from '../../shared/gen/service/v1/ping_pb.ts';
import { RerankerService } from '../../shared/gen/service/v1/reranker_pb.ts';
import { SpaceService } from '../../shared/gen/service/v1/space_pb.ts';
import { SystemService } from '../../shared/gen/service/v1/system_pb.ts';
import { UserService } from '../../shared/gen/service/v1/user_pb.ts';
import { serviceProse } from './prose.ts';
import type { Part } from './schema.ts';

/** The areas of the document, in the order in which a new user needs them. */
const SERVICES: readonly (readonly [DescService, string])[] = [
  [SystemService, 'System'],
  [SpaceService, 'Spaces'],
  [MemoryService, 'Memories'],
  [EmbedderService, 'Embedders'],
  [RerankerService, 'Rerankers'],
  [LLMService, 'LLMs'],
  [PingService, 'Ping'],
  [OcrService, 'OCR'],
  [ApiKeyService, 'API keys'],
  [UserService, 'Users'],
  [AdminService, 'General'],
];

export const PROXY_AREA = 'Provider proxy';
export const OPERATIONAL_AREA = 'Operational';

export const TAGS: readonly Part[] = [
  ...SERVICES.map(([service, name]) => ({ name, description: serviceProse(service) })),
  {
    name: PROXY_AREA,
    description: 'Call the provider behind an embedder, reranker or LLM with its stored credential.',
  },
  { name: OPERATIONAL_AREA, description: 'Health, metrics and this document. These paths have no version.' },
];

export function areaOf(method: DescMethod): string {
  return SERVICES.find(([service]) => service === method.parent)?.[1] ?? method.parent.name;
}
