import { isUuid } from '../../shared/fields/formats.ts';
import { EmbedderService } from '../../shared/gen/service/v1/embedder_pb.ts';
import { LLMService } from '../../shared/gen/service/v1/llm_pb.ts';
import { RerankerService } from '../../shared/gen/service/v1/reranker_pb.ts';

import type { Client } from '../client/client.ts';
import { CommandError, EXIT, usageError } from '../failure.ts';
import { oneLine } from '../render/printable.ts';

interface NamedTarget {
  kind: 'embedder' | 'LLM' | 'reranker';
  id: string;
  name: string;
}

/** More names than these say nothing in an error. */
const MOST_NAMES = 5;

/** The id of what is to be pinged: by id, by display name, or the default embedder. */
export async function resolveTarget(client: Client, nameOrId: string | undefined): Promise<string> {
  if (nameOrId === undefined) return defaultEmbedder(client);
  if (isUuid(nameOrId)) return nameOrId.toLowerCase();
  const targets = await allTargets(client);
  const [first, second, ...more] = called(targets, nameOrId);
  if (first === undefined) throw unknown(nameOrId, targets);
  if (second === undefined) return first.id;
  throw usageError(`Several targets are named ${nameOrId}`, {
    details: [first, second, ...more].map(({ kind, id }) => `${kind} ${id}`).join(', '),
    next: 'Name one of them by its id',
  });
}

/** The oldest embedder with the label that marks the default; lists are newest first. */
async function defaultEmbedder(client: Client): Promise<string> {
  const { embedders } = await client.call(EmbedderService.method.listEmbedders, { label: { default: 'true' } });
  const oldest = embedders.at(-1);
  if (oldest !== undefined) return oldest.embedderId;
  throw new CommandError('There is no default embedder', {
    code: 'NOT_FOUND',
    exit: EXIT.noInput,
    next: 'Name a target by its id or name: svc embedders list',
  });
}

async function allTargets(client: Client): Promise<NamedTarget[]> {
  const [{ embedders }, { llms }, { rerankers }] = await Promise.all([
    client.call(EmbedderService.method.listEmbedders, {}),
    client.call(LLMService.method.listLLMs, {}),
    client.call(RerankerService.method.listRerankers, {}),
  ]);
  return [
    ...embedders.map(({ embedderId: id, displayName: name }) => ({ kind: 'embedder' as const, id, name })),
    ...llms.map(({ llmId: id, displayName: name }) => ({ kind: 'LLM' as const, id, name })),
    ...rerankers.map(({ rerankerId: id, displayName: name }) => ({ kind: 'reranker' as const, id, name })),
  ];
}

/** Letter by letter first; only where that finds nothing, whatever the case. */
function called(targets: readonly NamedTarget[], wanted: string): NamedTarget[] {
  const exact = targets.filter(({ name }) => name === wanted);
  if (exact.length > 0) return exact;
  return targets.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
}

function unknown(wanted: string, targets: readonly NamedTarget[]): CommandError {
  const names = targets.slice(0, MOST_NAMES).map(({ kind, name }) => `${oneLine(name)} (${kind})`);
  const rest = targets.length > names.length ? [`${targets.length - names.length} more`] : [];
  return new CommandError(`No embedder, LLM or reranker has the id or name ${wanted}`, {
    code: 'NOT_FOUND',
    exit: EXIT.noInput,
    details: names.length === 0 ? 'none is registered' : `There are: ${[...names, ...rest].join(', ')}`,
    next: 'List what can be pinged: svc embedders list, svc llms list, svc rerankers list',
  });
}
