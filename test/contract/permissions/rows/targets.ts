import { unique } from '../../../support/stage.ts';
import { TARGET_KINDS, type TargetKind } from '../../target-kinds.ts';
import { ACCESS } from '../access.ts';
import { sendRest } from '../rest-forms.ts';
import type { Row, Subject } from '../row.ts';
import { freshTarget, standingTarget } from '../subjects.ts';
import type { World } from '../world.fixture.ts';

/** An inference target is its owner's own: `ownerId`. */
function rowsOf(kind: TargetKind): Row[] {
  const byId = (subject: Subject) => ({ [kind.id]: subject[kind.id] });
  const lookAtTarget = (world: World, subject: Subject) => world.ok(kind.get, byId(subject));
  return [
    {
      operation: kind.create,
      needs: [`CREATE_${kind.resource}`],
      access: ACCESS.createFor,
      subject: ({ people, upstream }) => ({ ownerId: people.ada.userId, base: upstream.newUrl() }),
      request: ({ ownerId, base = '' }) => ({ ...kind.body(`${base}/${unique('u')}`), ownerId }),
      names: 'ownerId',
    },
    {
      operation: kind.get,
      needs: [`READ_${kind.resource}`],
      access: ACCESS.readTarget,
      subject: (world, place) => standingTarget(world, kind, place),
      request: byId,
      names: kind.id,
    },
    {
      operation: kind.update,
      needs: [`UPDATE_${kind.resource}`],
      access: ACCESS.changeTarget,
      subject: (world, place) => freshTarget(world, kind, place),
      request: (subject) => ({ ...byId(subject), displayName: unique('renamed') }),
      names: kind.id,
      look: lookAtTarget,
    },
    {
      operation: kind.delete,
      needs: [`DELETE_${kind.resource}`],
      access: ACCESS.changeTarget,
      subject: (world, place) => freshTarget(world, kind, place),
      spends: true,
      request: byId,
      names: kind.id,
      look: lookAtTarget,
    },
  ];
}

function pingRowsOf(kind: TargetKind): Row[] {
  const common = {
    needs: [`PING_${kind.resource}`],
    access: ACCESS.pingTarget,
    subject: (world: World, place: 'private' | 'public' | 'shared') => {
      const { [kind.id]: targetId = '' } = standingTarget(world, kind, place);
      return { targetId };
    },
    names: 'targetId',
    look: async ({ upstream }: World) => upstream.requests(),
  };
  return [
    {
      ...common,
      operation: 'ping',
      form: kind.resource,
      request: ({ targetId }) => ({ targetId, count: 1, intervalMs: 10 }),
    },
    {
      ...common,
      operation: 'pingOnce',
      form: kind.resource,
      request: ({ targetId }) => ({ targetId, targetTypeHint: kind.resource }),
    },
  ];
}

/** The proxy needs to read the target besides. What is refused never reaches the target. */
function proxyRowOf(kind: TargetKind): Row {
  return {
    operation: 'proxy',
    form: kind.members,
    needs: ['PROXY_INFERENCE_TARGET', `READ_${kind.resource}`],
    access: ACCESS.changeTarget,
    subject: (world, place) => standingTarget(world, kind, place),
    request: (subject) => subject,
    send: ({ stage }, subject, key) =>
      sendRest(stage.server.rest, `/v1/proxy/${kind.members}/${subject[kind.id]}/models`, key),
    names: kind.id,
    look: async ({ upstream }) => upstream.requests(),
  };
}

export const TARGET_ROWS: readonly Row[] = TARGET_KINDS.flatMap(rowsOf);
export const PING_ROWS: readonly Row[] = TARGET_KINDS.flatMap(pingRowsOf);
export const PROXY_ROWS: readonly Row[] = TARGET_KINDS.map(proxyRowOf);
