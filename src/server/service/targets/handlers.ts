import { create } from '@bufbuild/protobuf';
import { type Empty, EmptySchema } from '@bufbuild/protobuf/wkt';
import { notFound } from '../../../shared/errors.ts';
import { Modality } from '../../../shared/gen/service/v1/common_pb.ts';
import { timestampFromMs } from '../../../shared/time.ts';
import type { CallContext } from '../../context.ts';
import type { AddressPolicy } from '../../providers/addresses.ts';
import type { Db, Queryable } from '../../store/db.ts';
import type { TargetListFilter, TargetRow } from '../../store/targets.ts';
import { callerOf, requireMay, visibleTargets } from '../permission.ts';
import type { SecretsKey, TargetKind } from './kinds.ts';
import { readTarget } from './open-target.ts';

/** What the handlers of embedders, LLMs and rerankers need alike. */
export interface TargetDeps {
  db: Db;
  /** Seals inline secrets. */
  secretsKey: SecretsKey;
  policy: AddressPolicy;
}

interface TargetDeletion {
  /** Throws when the record, which is locked, is still needed. */
  check?(tx: Queryable): Promise<void>;
  /** Removes what belongs to the record, in its transaction. */
  deleted?(tx: Queryable): Promise<void>;
}

/** What is read and deleted alike in every kind; `message` shows a row to its readers. */
export function targetHandlers<Own, Message>(db: Db, kind: TargetKind<Own>, message: (row: TargetRow<Own>) => Message) {
  return {
    /** Throws NOT_FOUND, and PERMISSION_DENIED for a target that is neither the caller's nor shared. */
    async get(id: string, context: CallContext): Promise<Message> {
      return message(await readTarget(db.main, kind, id, 'READ', context));
    },

    /** What the caller can see of the targets that the filter names, newest first. */
    async list(filter: Omit<TargetListFilter, 'visible'>, context: CallContext): Promise<Message[]> {
      const visible = visibleTargets(callerOf(context));
      const rows = await kind.store.selectList(db.main, { ...filter, visible }, { signal: context.signal });
      return rows.map(message);
    },

    async delete(id: string, context: CallContext, { check, deleted }: TargetDeletion = {}): Promise<Empty> {
      await db.main.withTx(
        async (tx) => {
          const target = await kind.store.selectForUpdate(tx, id);
          if (target === undefined) throw notFound(kind.title, id);
          requireMay(context, `DELETE_${kind.resource}`, target.ownerId);
          await check?.(tx);
          await kind.store.delete(tx, id);
          await deleted?.(tx);
        },
        { signal: context.signal },
      );
      return create(EmptySchema);
    },
  };
}

/**
 * The members that the messages of all targets have in common. Credentials and what is derived from them are not shown.
 */
export function targetMembers(row: TargetRow) {
  return {
    displayName: row.displayName,
    description: row.description,
    endpointUrl: row.endpointUrl,
    apiPath: row.apiPath,
    modelIdentifier: row.modelIdentifier,
    supportedModalities: row.supportedModalities.map(modalityOf),
    labels: row.labels,
    version: row.version,
    monitoringEndpoint: row.monitoringEndpoint,
    ownerId: row.ownerId,
    createdAt: timestampFromMs(row.createdAt),
    updatedAt: timestampFromMs(row.updatedAt),
    createdById: row.createdById,
    updatedById: row.updatedById,
  };
}

function modalityOf(name: string): Modality {
  return Modality[name as keyof typeof Modality];
}
