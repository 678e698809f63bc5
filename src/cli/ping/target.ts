import { EXIT } from '../../shared/exit-codes.ts';
import { isUuid } from '../../shared/fields/formats.ts';
import { EmbedderService } from '../../shared/gen/service/v1/embedder_pb.ts';
import { TARGET_KINDS, TARGET_NOUNS } from '../../shared/target-kinds.ts';
import type { Client } from '../kit/client/client.ts';
import { CommandError } from '../kit/errors.ts';
import { called, type Named, only } from '../kit/naming/names.ts';
import { listTargets } from '../kit/naming/targets.ts';
import { oneLine } from '../kit/text/printable.ts';

interface NamedTarget extends Named {
  /** As one reads it in a sentence. */
  kind: string;
}

/** More names than these say nothing in an error. */
const MOST_NAMES = 5;

/** The id of what is to be pinged: by id or the beginning of it, by display name, or the default embedder. */
export async function resolveTarget(client: Client, wanted: string | undefined): Promise<string> {
  if (wanted === undefined) return defaultEmbedder(client);
  if (isUuid(wanted)) return wanted.toLowerCase();
  const targets = await allTargets(client);
  const found = called(targets, wanted).map(({ kind, id, names }) => ({ id, names: [`${kind} ${names[0]}`] }));
  const one = only(found, wanted, { many: 'targets' });
  if (one === undefined) throw unknown(wanted, targets);
  return one.id;
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
  const lists = await Promise.all(
    TARGET_NOUNS.map(async (noun) => {
      const { word: kind } = TARGET_KINDS[noun];
      return (await listTargets(client, noun)).map((target) => ({ ...target, kind }));
    }),
  );
  return lists.flat();
}

function unknown(wanted: string, targets: readonly NamedTarget[]): CommandError {
  const names = targets.slice(0, MOST_NAMES).map(({ kind, names: [name = ''] }) => `${oneLine(name)} (${kind})`);
  const rest = targets.length > names.length ? [`${targets.length - names.length} more`] : [];
  return new CommandError(`No embedder, LLM or reranker has the id or name ${wanted}`, {
    code: 'NOT_FOUND',
    exit: EXIT.noInput,
    details: names.length === 0 ? 'none is registered' : `There are: ${[...names, ...rest].join(', ')}`,
    next: 'List what can be pinged: svc embedders list, svc llms list, svc rerankers list',
  });
}
