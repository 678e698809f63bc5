import { SHARING_ROLES } from '../../shared/identity.ts';
import type { CallOptions, Queryable } from './db.ts';
import { labelFilterJson } from './label-filter.ts';
import { statement } from './statement.ts';
import type { NewTarget, TargetContent, TargetListFilter, TargetRow } from './target-rows.ts';
import { type TargetTable, targetSql } from './target-sql.ts';

/** What can be done with a table of inference targets. */
export interface TargetStore<Own> {
  /** Throws ALREADY_EXISTS for a taken id and for a second target of the owner that is the same. */
  insert(q: Queryable, target: NewTarget<Own>, options?: CallOptions): Promise<TargetRow<Own> | undefined>;
  /** Throws ALREADY_EXISTS when the owner has another target that is the same. */
  update(
    q: Queryable,
    content: TargetContent<Own>,
    updatedById: string,
    options?: CallOptions,
  ): Promise<TargetRow<Own> | undefined>;
  /** In no particular order; ids that do not exist are left out. */
  select(q: Queryable, ids: readonly string[], options?: CallOptions): Promise<TargetRow<Own>[]>;
  /** Locks the target until the transaction ends: meanwhile nobody can change it, or begin to use it. */
  selectForUpdate(q: Queryable, id: string, options?: CallOptions): Promise<TargetRow<Own> | undefined>;
  /** Newest first. */
  selectList(q: Queryable, filter: TargetListFilter, options?: CallOptions): Promise<TargetRow<Own>[]>;
  delete(q: Queryable, id: string, options?: CallOptions): Promise<void>;
}

export function createTargetStore<Own>(table: TargetTable): TargetStore<Own> {
  type Row = TargetRow<Own>;
  const { values } = targetSql(table);
  const statements = statementsOf(table);
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
    select: (q, ids, options) => q.query<Row>(statements.select, [ids], options),
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

function statementsOf(table: TargetTable) {
  const { name } = table;
  const { id, columns, from, names, parameters, assignments } = targetSql(table);
  const written = `select ${columns} from t join app_user u on u.user_id = t.owner_id`;
  return {
    insert: statement({
      name: `${name}s.insert`,
      purpose: `Adds one ${name}`,
      text: `with t as (
          insert into ${name} (${id}, owner_id, provider_type, created_at, updated_at, created_by_id, updated_by_id, ${names})
          values ($1, $2, $3, now(), now(), $4, $4, ${parameters(5)})
          returning *
        ) ${written}`,
    }),
    /** Never the same time twice: clients of a target are kept by the time of its last change. */
    update: statement({
      name: `${name}s.update`,
      purpose: `Changes one ${name}`,
      text: `with t as (
          update ${name} set updated_at = greatest(now(), updated_at + interval '1 millisecond'), updated_by_id = $2,
            ${assignments(3)}
          where ${id} = $1
          returning *
        ) ${written}`,
    }),
    select: statement({
      name: `${name}s.select_many`,
      purpose: `Each ${name} with one of these ids, and its owner`,
      text: `select ${columns} ${from} where t.${id} = any($1::uuid[])`,
    }),
    selectForUpdate: statement({
      name: `${name}s.select_for_update`,
      purpose: `One ${name} by its id, locked until it is changed`,
      text: `select ${columns} ${from} where t.${id} = $1 for update of t`,
    }),
    selectList: statement({
      name: `${name}s.select_list`,
      purpose: `Each ${name} that a caller may see, newest first`,
      text: `select ${columns} ${from}
        where ($1::text[] is null or u.role = any($1) or t.owner_id = $2)
          and ($3::uuid is null or t.owner_id = $3)
          and ($4::text is null or t.provider_type = $4)
          and t.labels @> $5::jsonb
        order by t.created_at desc, t.${id} desc`,
    }),
    delete: statement({
      name: `${name}s.delete`,
      purpose: `Removes one ${name}`,
      text: `delete from ${name} where ${id} = $1`,
    }),
  };
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
