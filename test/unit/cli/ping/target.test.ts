import { describe, expect, test } from 'vitest';
import { EmbedderService } from '../../../../src/shared/gen/service/v1/embedder_pb.ts';
import { LLMService } from '../../../../src/shared/gen/service/v1/llm_pb.ts';
import { PingService } from '../../../../src/shared/gen/service/v1/ping_pb.ts';
import { RerankerService } from '../../../../src/shared/gen/service/v1/reranker_pb.ts';
import type { Handlers } from '../../../support/client/grpc-server.fixture.ts';
import { useService } from '../service.fixture.ts';

const against = useService([EmbedderService, LLMService, PingService, RerankerService]);
const A = '01980000-0000-7000-8000-0000000000c1';
const B = '01980000-0000-7000-8000-0000000000c2';

describe('the target of a ping', () => {
  const registered: Handlers = {
    unary: {
      ListEmbedders: () => ({ embedders: [{ embedderId: A, displayName: 'Small' }] }),
      ListLLMs: () => ({ llms: [{ llmId: B, displayName: 'small' }] }),
      ListRerankers: () => ({
        rerankers: [
          { rerankerId: B, displayName: 'Twin' },
          { rerankerId: A, displayName: 'Twin' },
        ],
      }),
      PingOnce: () => ({ ok: true }),
    },
  };

  test.each([
    { name: 'small', targetId: B },
    { name: 'Small', targetId: A },
    { name: 'twin', targetId: undefined },
    { name: A.toUpperCase(), targetId: A },
  ])('$name', async ({ name, targetId }) => {
    const { server, svc } = await against(registered);
    const { code, stderr } = await svc(['ping', name]);
    if (targetId === undefined) {
      expect(code).toBe(64);
      expect(stderr).toBe(
        `svc: Several targets are named twin\n  ${B} reranker Twin, ${A} reranker Twin\n  Give the whole id of one of them\n`,
      );
    } else {
      expect(code).toBe(0);
      expect(server.calls.at(-1)).toMatchObject({ name: 'PingOnce', request: { targetId } });
    }
  });

  test('an unknown name lists the targets', async () => {
    const { svc } = await against(registered);
    expect(await svc(['ping', 'nosuch'])).toEqual({
      code: 66,
      stdout: '',
      stderr: [
        'svc: No embedder, LLM or reranker has the id or name nosuch',
        '  There are: Small (embedder), Twin (reranker), Twin (reranker), small (LLM)',
        '  List what can be pinged: svc embedders list, svc llms list, svc rerankers list\n',
      ].join('\n'),
    });
  });

  test('without a default embedder it says so', async () => {
    const { svc } = await against({ unary: { ListEmbedders: () => ({}) } });
    expect(await svc(['ping'])).toMatchObject({
      code: 66,
      stderr: expect.stringContaining('There is no default embedder'),
    });
  });
});
