import { notFound } from '../../../shared/errors.ts';
import { isUuid } from '../../../shared/fields/formats.ts';
import type { CallContext } from '../../context.ts';
import type { TargetClients } from '../../providers/clients.ts';
import type { EmbedderClient, EmbedderRecord } from '../../providers/embedders/types.ts';
import type { LlmClient, LlmRecord } from '../../providers/llms/types.ts';
import type { RerankerClient, RerankerRecord } from '../../providers/rerankers/types.ts';
import type { TargetClient, TargetRecord } from '../../providers/target.ts';
import type { Queryable } from '../../store/db.ts';
import type { EmbedderOwn } from '../../store/embedders.ts';
import type { LlmOwn } from '../../store/llms.ts';
import type { RerankerOwn } from '../../store/rerankers.ts';
import type { TargetRow } from '../../store/targets.ts';
import { requireTarget } from '../permission.ts';
import { embedderKind, type SecretsKey, type TargetKind } from './kinds.ts';

/** What a target is opened for, as permissions name it. */
type TargetUse = 'READ' | 'PING';

/** A target whose row was read. */
export interface OpenTarget<Own, Record extends TargetRecord, Client extends TargetClient> {
  row: TargetRow<Own>;
  /** The form in which it is called. */
  record: Record;
  /** What calls it. Throws UNIMPLEMENTED for a provider that this build cannot call. */
  client(): Client;
}

export type OpenEmbedder = OpenTarget<EmbedderOwn, EmbedderRecord, EmbedderClient>;
export type OpenLlm = OpenTarget<LlmOwn, LlmRecord, LlmClient>;
export type OpenReranker = OpenTarget<RerankerOwn, RerankerRecord, RerankerClient>;

/** The one way from an embedder, LLM or reranker to what calls it: id, row, permission, record, client. */
export interface TargetOpener {
  /** One that exists and that the caller may use. Throws NOT_FOUND, then PERMISSION_DENIED. */
  open<Own, Record extends TargetRecord, Client extends TargetClient>(
    kind: TargetKind<Own, Record, Client>,
    id: string,
    use: TargetUse,
    context: CallContext,
  ): Promise<OpenTarget<Own, Record, Client>>;
  /** The same, undefined when there is none. */
  openIfThere<Own, Record extends TargetRecord, Client extends TargetClient>(
    kind: TargetKind<Own, Record, Client>,
    id: string,
    use: TargetUse,
    context: CallContext,
  ): Promise<OpenTarget<Own, Record, Client> | undefined>;
  /** Opens a row that the caller has read, and for which it has checked permission. */
  ofRow<Own, Record extends TargetRecord, Client extends TargetClient>(
    kind: TargetKind<Own, Record, Client>,
    row: TargetRow<Own>,
  ): OpenTarget<Own, Record, Client>;
  /**
   * These embedders as they are now, in the order of the ids. Throws NOT_FOUND. Permissions are not checked: a space
   * uses its embedders on its own behalf.
   */
  embedders(ids: readonly string[], signal: AbortSignal): Promise<OpenEmbedder[]>;
}

interface TargetOpenerDeps {
  pool: Queryable;
  secretsKey: SecretsKey;
  clients: TargetClients;
}

export function createTargetOpener({ pool, secretsKey, clients }: TargetOpenerDeps): TargetOpener {
  const ofRow: TargetOpener['ofRow'] = (kind, row) => {
    const record = kind.record(row, secretsKey);
    return { row, record, client: () => kind.client(clients, record) };
  };
  return {
    ofRow,
    open: async (kind, id, use, context) => ofRow(kind, await readTarget(pool, kind, id, use, context)),
    async openIfThere(kind, id, use, context) {
      const row = await readIfThere(pool, kind, id, use, context);
      return row === undefined ? undefined : ofRow(kind, row);
    },
    async embedders(ids, signal) {
      const rows = new Map((await embedderKind.store.select(pool, ids, { signal })).map((row) => [row.id, row]));
      return ids.map((id) => {
        const row = rows.get(id);
        if (row === undefined) throw notFound(embedderKind.title, id);
        return ofRow(embedderKind, row);
      });
    },
  };
}

/** The row of a target that the caller may use. Throws NOT_FOUND, then PERMISSION_DENIED. */
export async function readTarget<Own>(
  pool: Queryable,
  kind: TargetKind<Own>,
  id: string,
  use: TargetUse,
  context: CallContext,
): Promise<TargetRow<Own>> {
  const row = await readIfThere(pool, kind, id, use, context);
  if (row === undefined) throw notFound(kind.title, id);
  return row;
}

async function readIfThere<Own>(
  pool: Queryable,
  kind: TargetKind<Own>,
  id: string,
  use: TargetUse,
  context: CallContext,
): Promise<TargetRow<Own> | undefined> {
  // Ids from requests are checked by then; a module of post processors may ask for any string (service/post-processors).
  if (!isUuid(id)) return undefined;
  const [row] = await kind.store.select(pool, [id], { signal: context.signal });
  if (row !== undefined) requireTarget(context, `${use}_${kind.resource}`, row);
  return row;
}
