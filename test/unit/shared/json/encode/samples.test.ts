import type { DescMessage } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { CreateApiKeyResponseSchema } from '../../../../../src/shared/gen/service/v1/api_key_pb.ts';
import { EmbedderSchema } from '../../../../../src/shared/gen/service/v1/embedder_pb.ts';
import { CreateLLMResponseSchema } from '../../../../../src/shared/gen/service/v1/llm_pb.ts';
import {
  BatchMemoryResponseSchema,
  ListChunksResponseSchema,
  MemorySchema,
  ProcessingHistorySchema,
  RetrieveMemoryEventSchema,
} from '../../../../../src/shared/gen/service/v1/memory_pb.ts';
import { OcrDocumentResponseSchema } from '../../../../../src/shared/gen/service/v1/ocr_pb.ts';
import { PingServerMessageSchema } from '../../../../../src/shared/gen/service/v1/ping_pb.ts';
import { RerankerSchema } from '../../../../../src/shared/gen/service/v1/reranker_pb.ts';
import { SpaceSchema } from '../../../../../src/shared/gen/service/v1/space_pb.ts';
import {
  DiagnoseResponseSchema,
  InitializeSystemResponseSchema,
  SystemInfoSchema,
  SystemStatusSchema,
} from '../../../../../src/shared/gen/service/v1/system_pb.ts';
import { UserSchema } from '../../../../../src/shared/gen/service/v1/user_pb.ts';
import { decodeJson } from '../../../../../src/shared/json/decode.ts';
import { encodeJson } from '../../../../../src/shared/json/encode.ts';
import { parseJsonText } from '../../../../../src/shared/json/parse.ts';

const SAMPLES: [DescMessage, string][] = [
  [
    CreateApiKeyResponseSchema,
    '{"apiKeyMetadata":{"apiKeyId":"01980000-0000-7000-8000-0000000000a1","userId":"01980000-0000-7000-8000-000000000001","keyPrefix":"svc_y3y7","status":"ACTIVE","labels":{"purpose":"ci"},"restrictions":{"readOnly":true,"spaceIds":["01980000-0000-7000-8000-0000000000b1"]},"expiresAt":1798761600000,"lastUsedAt":1772530260000,"createdAt":1772530200000,"updatedAt":1772530200000,"createdById":"01980000-0000-7000-8000-000000000001","updatedById":"01980000-0000-7000-8000-000000000001"},"rawApiKey":"svc_y3y7aftalkaa6oogpioh3rculllkm7xj"}',
  ],
  [
    UserSchema,
    '{"userId":"01980000-0000-7000-8000-000000000002","email":"ada@example.org","displayName":"Ada","username":"ada","role":"USER","createdAt":1772530200000,"updatedAt":1772530200000}',
  ],
  [
    SpaceSchema,
    '{"spaceId":"01980000-0000-7000-8000-0000000000b1","name":"house","labels":{"team":"home"},"spaceEmbedders":[{"spaceId":"01980000-0000-7000-8000-0000000000b1","embedderId":"01980000-0000-7000-8000-0000000000c1","defaultRetrievalWeight":1.0,"createdAt":1772530200000,"updatedAt":1772530200000,"createdById":"01980000-0000-7000-8000-000000000001","updatedById":"01980000-0000-7000-8000-000000000001"}],"createdAt":1772530200000,"updatedAt":1772530200000,"ownerId":"01980000-0000-7000-8000-000000000001","createdById":"01980000-0000-7000-8000-000000000001","updatedById":"01980000-0000-7000-8000-000000000001","publicRead":false,"defaultChunkingConfig":{"recursive":{"chunkSize":512,"chunkOverlap":64,"separators":["\\n\\n","\\n"," ",""],"keepStrategy":"KEEP_END","separatorIsRegex":false,"lengthMeasurement":"CHARACTER_COUNT"}}}',
  ],
  [
    MemorySchema,
    '{"memoryId":"01980000-0000-7000-8000-0000000000f1","spaceId":"01980000-0000-7000-8000-0000000000b1","originalContent":"VGhlIGJvaWxlciB3YXMgc2VydmljZWQgb24gMyBNYXJjaC4=","originalContentLength":35,"originalContentSha256":"1d1c72ef7360fd3297e32970e052bb80126a014ea26e79ea86b03709807940ac","originalContentRef":"notes/boiler.txt","contentType":"text/plain","processingStatus":"COMPLETED","pageImageStatus":"PENDING","pageImageCount":0,"metadata":{"room":"cellar","tags":["heating"],"filename":"boiler.txt"},"createdAt":1772530200000,"updatedAt":1772530201500,"createdById":"01980000-0000-7000-8000-000000000001","updatedById":"01980000-0000-7000-8000-000000000001"}',
  ],
  [
    ProcessingHistorySchema,
    '{"latestJob":{"jobId":17,"jobType":"document_processor","status":"BACKGROUND_JOB_SUCCEEDED","attempts":1,"maxAttempts":5,"updatedAt":1772530201500},"attempts":[{"attemptId":21,"jobId":17,"startedAt":1772530200300,"finishedAt":1772530201500,"ok":true,"workerId":"host-1/4","progressCurrent":1,"progressTotal":1,"progressUnit":"chunks"}]}',
  ],
  [
    ListChunksResponseSchema,
    '{"chunks":[{"chunkId":"01980000-0000-7000-8000-0000000000f2","memoryId":"01980000-0000-7000-8000-0000000000f1","chunkSequenceNumber":0,"chunkText":"The boiler was serviced on 3 March.","vectorStatus":"COMPLETED","startOffset":0,"endOffset":35,"createdAt":1772530201400,"updatedAt":1772530201400,"createdById":"01980000-0000-7000-8000-000000000001","updatedById":"01980000-0000-7000-8000-000000000001","vectors":[{"embedderId":"01980000-0000-7000-8000-0000000000c1","values":[0.6,-0.8]}]}],"nextToken":null}',
  ],
  [
    BatchMemoryResponseSchema,
    '{"results":[{"success":true,"requestIndex":0,"memoryId":"01980000-0000-7000-8000-0000000000f1","deletedCount":1},{"success":false,"requestIndex":1,"memoryId":"01980000-0000-7000-8000-0000000000f9","deletedCount":0,"error":{"code":404,"message":"Memory not found: 01980000-0000-7000-8000-0000000000f9"}}],"totalDeleted":1}',
  ],
  [
    RetrieveMemoryEventSchema,
    '{"status":{"code":"FEATURE_DISABLED","message":"No summary: llm_id is not set","details":{"feature":"summarization","required_param":"llm_id"}}}',
  ],
  [
    RetrieveMemoryEventSchema,
    '{"resultSetBoundary":{"resultSetId":"01980000-0000-7000-8000-000000000099","kind":"BEGIN","stageName":"vector_search","expectedItems":1}}',
  ],
  [
    RetrieveMemoryEventSchema,
    '{"memoryDefinition":{"memoryId":"01980000-0000-7000-8000-0000000000f1","spaceId":"01980000-0000-7000-8000-0000000000b1","contentType":"text/plain","processingStatus":"COMPLETED","originalContentLength":35,"originalContentSha256":"1d1c72ef7360fd3297e32970e052bb80126a014ea26e79ea86b03709807940ac","pageImageStatus":"PENDING","pageImageCount":0,"metadata":{"room":"cellar"},"createdAt":1772530200000,"updatedAt":1772530201500,"createdById":"01980000-0000-7000-8000-000000000001","updatedById":"01980000-0000-7000-8000-000000000001"}}',
  ],
  [
    RetrieveMemoryEventSchema,
    '{"retrievedItem":{"chunk":{"chunkId":"01980000-0000-7000-8000-0000000000f2","memoryId":"01980000-0000-7000-8000-0000000000f1","chunkSequenceNumber":0,"chunkText":"The boiler was serviced on 3 March.","vectorStatus":"COMPLETED","startOffset":0,"endOffset":35,"createdAt":1772530201400,"updatedAt":1772530201400,"createdById":"01980000-0000-7000-8000-000000000001","updatedById":"01980000-0000-7000-8000-000000000001"},"memoryIndex":0,"relevanceScore":0.83,"resultSetId":"01980000-0000-7000-8000-000000000099"}}',
  ],
  [
    RetrieveMemoryEventSchema,
    '{"resultSetBoundary":{"resultSetId":"01980000-0000-7000-8000-000000000099","kind":"END","stageName":""}}',
  ],
  [
    RetrieveMemoryEventSchema,
    '{"abstractReply":{"text":"The boiler was serviced on 3 March [1].","relevanceScore":0,"resultSetId":"01980000-0000-7000-8000-000000000099"}}',
  ],
  [
    EmbedderSchema,
    '{"embedderId":"01980000-0000-7000-8000-0000000000c1","displayName":"Small text","description":"","providerType":"OPENAI","endpointUrl":"https://models.example.org/v1","apiPath":"/embeddings","modelIdentifier":"text-small","dimensionality":1536,"distributionType":"DENSE","maxSequenceLength":8192,"supportedModalities":["TEXT"],"labels":{"default":"true"},"version":"","monitoringEndpoint":"","ownerId":"01980000-0000-7000-8000-000000000001","createdAt":1772530200000,"updatedAt":1772530200000,"createdById":"01980000-0000-7000-8000-000000000001","updatedById":"01980000-0000-7000-8000-000000000001"}',
  ],
  [
    CreateLLMResponseSchema,
    '{"llm":{"llmId":"01980000-0000-7000-8000-0000000000d1","displayName":"Chat","description":"","providerType":"VLLM","endpointUrl":"http://llm.lan:8000/v1","apiPath":"/chat/completions","modelIdentifier":"chat-8b","supportedModalities":["TEXT"],"labels":{},"version":"","monitoringEndpoint":"","capabilities":{"supportsChat":true,"supportsCompletion":false,"supportsFunctionCalling":true,"supportsSystemMessages":true,"supportsStreaming":true,"supportsSamplingParameters":true},"defaultSamplingParams":{"topP":0.9},"maxContextLength":32768,"ownerId":"01980000-0000-7000-8000-000000000001","createdAt":1772530200000,"updatedAt":1772530200000,"createdById":"01980000-0000-7000-8000-000000000001","updatedById":"01980000-0000-7000-8000-000000000001"},"statuses":[{"code":"LLM_CAPABILITY_INFERRED","message":"supportsStreaming inferred from the model","details":{"capability":"supportsStreaming","value":"true"}}]}',
  ],
  [
    OcrDocumentResponseSchema,
    '{"detectedFormat":"PDF","pageCount":2,"pages":[{"pageIndex":0,"page":{"markdown":"# Report","layout":{"cells":[{"bbox":{"x1":118,"y1":96,"x2":870,"y2":160},"categoryLabel":"section-header","category":"SECTION_HEADER","text":"Report"}]},"timings":{"queueWaitMs":2,"renderMs":85,"ocrMs":640,"totalMs":727},"image":{"widthPx":1654,"heightPx":2339,"dpi":200}}},{"pageIndex":1,"status":{"code":13,"message":"OCR of this page failed"}}],"timings":{"wallTimeMs":731,"sumQueueWaitMs":2,"sumRenderMs":85,"sumOcrMs":640,"sumPageTotalMs":727}}',
  ],
  [
    PingServerMessageSchema,
    '{"notice":{"code":"COUNT_CLAMPED","message":"Probe count was reduced","details":{"requested":"1000","applied":"100"}}}',
  ],
  [
    PingServerMessageSchema,
    '{"summary":{"endpoint":{"targetType":"EMBEDDER","targetId":"01980000-0000-7000-8000-0000000000c1","resolvedEndpoint":"https://models.example.org/v1/embeddings","provider":"OPENAI","modelIdentifier":"text-small"},"requests":100,"responses":100,"ok":99,"timeouts":0,"errors":1,"rttMinMs":15.1,"rttAvgMs":19,"rttP50Ms":18.4,"rttP90Ms":24.8,"rttP99Ms":40.2,"rttMaxMs":41,"requestsPerSecond":1,"bytesPerSecond":20598,"appliedLimits":{"count":"100"}}}',
  ],
  [
    SystemInfoSchema,
    '{"version":"1.4.0","major":1,"minor":4,"patch":0,"dirty":false,"gitCommit":"3f9c2d1","buildTime":"2026-03-01T08:00:00Z","capabilities":{"ocr":"false","onnx":"false","database":"embedded"}}',
  ],
  [
    SystemStatusSchema,
    '{"state":"READY","uptimeMs":86400000,"schemaVersion":7,"database":"embedded","counts":{"users":2,"spaces":3,"memories":120},"jobs":{"PENDING":0,"RUNNING":1,"FAILED":2},"pools":{"main":{"idle":2,"used":1,"waiting":0}},"requests":{"RetrieveMemory":{"count":240,"errors":0,"p50Ms":8.1,"p99Ms":31.5}},"stages":{"embed":{"count":240,"errors":0,"p50Ms":3.2,"p99Ms":12.9},"vector_search":{"count":240,"errors":0,"p50Ms":2.4,"p99Ms":9.7}}}',
  ],
  [
    DiagnoseResponseSchema,
    '{"checks":[{"name":"extension_version","status":"OK","message":"vector 0.8.1","remedy":""},{"name":"tls_expiry","status":"WARN","message":"The certificate expires in 9 days","remedy":"Replace the files of --tls-cert-file and --tls-key-file, then restart"}]}',
  ],
  [
    RerankerSchema,
    '{"rerankerId":"01980000-0000-7000-8000-0000000000e1","displayName":"Rerank","description":"","providerType":"TEI","endpointUrl":"http://rerank.lan:8080","apiPath":"/rerank","modelIdentifier":"rerank-base","supportedModalities":["TEXT"],"labels":{},"version":"","monitoringEndpoint":"","ownerId":"01980000-0000-7000-8000-000000000001","createdAt":1772530200000,"updatedAt":1772530200000,"createdById":"01980000-0000-7000-8000-000000000001","updatedById":"01980000-0000-7000-8000-000000000001"}',
  ],
  [InitializeSystemResponseSchema, '{"alreadyInitialized":true,"message":"…"}'],
];

describe('published records, member for member', () => {
  test.each(SAMPLES.map((row) => [row[0].name, ...row] as const))('%s', (_name, desc, sample) => {
    const written = JSON.parse(encodeJson(desc, decodeJson(desc, parseJsonText(sample)))) as unknown;
    expect(written).toStrictEqual(JSON.parse(sample));
  });
});

describe('integers beyond 2^53 keep their digits', () => {
  test('a probe result', () => {
    const message = create(PingServerMessageSchema, {
      event: {
        case: 'result',
        value: {
          endpoint: { targetType: 1, targetId: 'c1', resolvedEndpoint: 'e', provider: 'OPENAI', modelIdentifier: 'm' },
          seq: 1,
          bytesSent: 118n,
          bytesReceived: 20480n,
          ok: true,
          httpStatus: 200,
          rttMs: 18.4,
          timing: {
            clientSendTimeUnixNanos: 1772530200123456789n,
            clientReceiveTimeUnixNanos: 1772530200141856789n,
          },
        },
      },
    });
    expect(encodeJson(PingServerMessageSchema, message)).toBe(
      '{"result":{"endpoint":{"targetType":"EMBEDDER","targetId":"c1","resolvedEndpoint":"e","provider":"OPENAI",' +
        '"modelIdentifier":"m"},"seq":1,"bytesSent":118,"bytesReceived":20480,"ok":true,"httpStatus":200,"rttMs":18.4,' +
        '"timing":{"clientSendTimeUnixNanos":1772530200123456789,"serverReceivedTimeUnixNanos":0,' +
        '"serverSendTimeUnixNanos":0,"clientReceiveTimeUnixNanos":1772530200141856789},"metadata":{}}}',
    );
  });
});
