import { type RoleName, SHARING_ROLES } from '../../shared/identity.ts';
import type { Queryable, Statement, StatementOptions } from './db.ts';
import { labelFilterJson } from './list-query.ts';

/** What both insert and update write for every kind of inference target. */
interface CommonContent {
  /** Id of the embedder, LLM or reranker. */
  id: string;
  displayName: string;
  description: string;
  /** "" for targets inside the server. */
  endpointUrl: string;
  apiPath: string;
  modelIdentifier: string;
  supportedModalities: string[];
  labels: Record<string, string>;
  version: string;
  monitoringEndpoint: string;
  /** JSON as the service wrote it, secrets sealed; null without credentials. */
  credentials: unknown;
  credentialFingerprint: string;
  /** Equal for two targets of one table with the same endpoint, model and credentials. */
  targetFingerprint: string;
}

/** What an update may write; `Own` are the properties that only this kind of target has. */
export type TargetContent<Own = unknown> = CommonContent & Own;

export type NewTarget<Own = unknown> = TargetContent<Own> & {
  ownerId: string;
  providerType: string;
  createdById: string;
};

export type TargetRow<Own = unknown> = NewTarget<Own> & {
  /** Decides whether the target is shared. */
  ownerRole: RoleName;
  /** Epoch milliseconds. */
  createdAt: number;
  updatedAt: number;
  updatedById: string;
};

export interface TargetListFilter {
  /** All targets, the shared ones only, or the shared ones and those of one user. */
  visible: 'all' | 'shared' | { ownerId: string };
  ownerId: string | undefined;
  providerType: string | undefined;
  labels: Record<string, string>;
}

/** The statements of a table of inference targets. Those that return rows return every property of a `TargetRow`. */
export interface TargetStatements {
  /** `$1` to `$4` are id, owner, provider and creator; the content follows. */
  insert: Statement;
  /**
   * `$1` and `$2` are the ids of the target and of the user who changes it; the content follows. `updated_at` always grows,
   * since the clients of a target are cached under it.
   */
  update: Statement;
  /** By `$1`, an array of ids. */
  selectMany: Statement;
  /** By `$1`, an id. */
  selectForUpdate: Statement;
  /** `$1` are the roles whose targets are shared, `$2` the user whose own are included, `$3` an owner, `$4` a provider, `$5` labels. */
  selectList: Statement;
  /** By `$1`, an id. */
  delete: Statement;
}

/** The operations on a table of inference targets. */
export interface TargetStore<Own> {
  /** Throws ALREADY_EXISTS for a duplicate id, and for a target of the owner with the same fingerprint. */
  insert(q: Queryable, target: NewTarget<Own>, options?: StatementOptions): Promise<TargetRow<Own> | undefined>;
  /** Throws ALREADY_EXISTS when the owner has another target with the same fingerprint. */
  update(
    q: Queryable,
    content: TargetContent<Own>,
    updatedById: string,
    options?: StatementOptions,
  ): Promise<TargetRow<Own> | undefined>;
  /** In no particular order; ids that do not exist are left out. */
  select(q: Queryable, ids: readonly string[], options?: StatementOptions): Promise<TargetRow<Own>[]>;
  /** Locks the target until the transaction ends: it cannot be changed or attached to a space. */
  selectForUpdate(q: Queryable, id: string, options?: StatementOptions): Promise<TargetRow<Own> | undefined>;
  /** Newest first. */
  selectList(q: Queryable, filter: TargetListFilter, options?: StatementOptions): Promise<TargetRow<Own>[]>;
  delete(q: Queryable, id: string, options?: StatementOptions): Promise<void>;
}

/** `ownValues` returns the values of the columns that only this table has, in the order of its statements. */
export function createTargetStore<Own>(
  statements: TargetStatements,
  ownValues: (own: Own) => unknown[],
): TargetStore<Own> {
  type Row = TargetRow<Own>;
  const values = (content: TargetContent<Own>) => [...commonValues(content), ...ownValues(content)];
  return {
    async insert(q, target, options) {
      const { id, ownerId, providerType, createdById } = target;
      const parameters = [id, ownerId, providerType, createdById, ...values(target)];
      const [row] = await q.query<Row>(statements.insert, parameters, options);
      return row;
    },
    async update(q, content, updatedById, options) {
      const [row] = await q.query<Row>(statements.update, [content.id, updatedById, ...values(content)], options);
      return row;
    },
    select: (q, ids, options) => q.query<Row>(statements.selectMany, [ids], options),
    async selectForUpdate(q, id, options) {
      const [row] = await q.query<Row>(statements.selectForUpdate, [id], options);
      return row;
    },
    selectList: (q, filter, options) => q.query<Row>(statements.selectList, listValues(filter), options),
    async delete(q, id, options) {
      await q.execute(statements.delete, [id], options);
    },
  };
}

/** In the order in which every table of targets writes its columns, from `display_name` to `target_fingerprint`. */
function commonValues(content: CommonContent): unknown[] {
  return [
    content.displayName,
    content.description,
    content.endpointUrl,
    content.apiPath,
    content.modelIdentifier,
    content.supportedModalities,
    JSON.stringify(content.labels),
    content.version,
    content.monitoringEndpoint,
    jsonOrNull(content.credentials),
    content.credentialFingerprint,
    content.targetFingerprint,
  ];
}

/** A JSON column's value as a parameter. */
export function jsonOrNull(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

function listValues({ visible, ownerId, providerType, labels }: TargetListFilter): unknown[] {
  return [
    visible === 'all' ? null : SHARING_ROLES,
    typeof visible === 'string' ? null : visible.ownerId,
    ownerId ?? null,
    providerType ?? null,
    labelFilterJson(labels),
  ];
}
