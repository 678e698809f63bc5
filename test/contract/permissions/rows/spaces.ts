import { unique } from '../../../support/stage.ts';
import { TARGET_KINDS } from '../../target-kinds.ts';
import { ACCESS } from '../access.ts';
import type { Row, Subject } from '../row.ts';
import { freshSpace, standingSpace, standingTarget } from '../subjects.ts';
import type { World } from '../world.fixture.ts';

const lookAtSpace = (world: World, { spaceId }: Subject) => world.ok('getSpace', { spaceId });
const countSpaces = async (world: World) =>
  (await world.ok('listSpaces', { ownerId: world.people.ada.userId, maxResults: 1000 })).spaces.length as number;

/** A space is its owner's own: `ownerId`. */
export const SPACE_ROWS: readonly Row[] = [
  {
    operation: 'createSpace',
    needs: ['CREATE_SPACE'],
    access: ACCESS.createSelf,
    subject: async ({ stage }) => ({ embedderId: await stage.embedder() }),
    request: ({ embedderId }) => ({ name: unique('made'), embedderId }),
  },
  {
    operation: 'createSpace',
    form: 'for an owner',
    needs: ['CREATE_SPACE'],
    access: ACCESS.createFor,
    subject: async ({ stage, people }) => ({ embedderId: await stage.embedder(), ownerId: people.ada.userId }),
    request: ({ embedderId, ownerId }) => ({ name: unique('made'), embedderId, ownerId }),
    names: 'ownerId',
    look: countSpaces,
  },
  {
    operation: 'createSpace',
    form: 'upon an embedder',
    needs: ['READ_EMBEDDER'],
    access: ACCESS.attachTarget,
    subject: (world, place) => standingTarget(world, TARGET_KINDS[0], place),
    request: ({ embedderId }) => ({ name: unique('made'), spaceEmbedders: [{ embedderId }] }),
    names: 'embedderId',
    look: countSpaces,
  },
  {
    operation: 'getSpace',
    needs: ['READ_SPACE'],
    access: ACCESS.readInSpace,
    subject: standingSpace,
    request: ({ spaceId }) => ({ spaceId }),
    names: 'spaceId',
  },
  {
    operation: 'updateSpace',
    needs: ['UPDATE_SPACE'],
    access: ACCESS.writeInSpace,
    subject: freshSpace,
    request: ({ spaceId }) => ({ spaceId, name: unique('renamed') }),
    names: 'spaceId',
    look: lookAtSpace,
  },
  {
    operation: 'deleteSpace',
    needs: ['DELETE_SPACE'],
    access: ACCESS.writeInSpace,
    subject: freshSpace,
    spends: true,
    request: ({ spaceId }) => ({ spaceId }),
    names: 'spaceId',
    look: lookAtSpace,
  },
];
