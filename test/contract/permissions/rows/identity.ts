import { unique } from '../../../support/stage.ts';
import { ACCESS } from '../access.ts';
import type { Row, Subject } from '../row.ts';
import { freshApiKey, freshUser, standingSpace } from '../subjects.ts';
import type { World } from '../world.fixture.ts';

/** The owner as the user that a request names. */
const owner = ({ people }: World): Subject => ({ userId: people.ada.userId });
const lookAtKey = (world: World, { apiKeyId }: Subject) => world.ok('getApiKey', { apiKeyId });
const lookAtUser = (world: World, { userId }: Subject) => world.ok('getUser', { userId });
const countKeys = async (world: World) =>
  (await world.ok('listApiKeys', { userId: world.people.ada.userId })).keys.length as number;

/** A key is its user's own: `userId`. */
export const API_KEY_ROWS: readonly Row[] = [
  {
    operation: 'createApiKey',
    needs: ['CREATE_APIKEY'],
    access: ACCESS.createSelf,
    subject: () => ({}),
    request: () => ({ labels: { made: 'by the matrix' } }),
  },
  {
    operation: 'createApiKey',
    form: 'for a user',
    needs: ['CREATE_APIKEY'],
    access: ACCESS.createFor,
    subject: async (world) => {
      // Restricted keys are made on the way: they must not be counted as an effect.
      await Promise.all(
        (['read-only key', 'bound key', 'key bound elsewhere'] as const).map((name) => world.keyOf(name)),
      );
      return owner(world);
    },
    request: ({ userId }) => ({ userId }),
    names: 'userId',
    look: countKeys,
  },
  {
    operation: 'createApiKey',
    form: 'bound to a space',
    needs: ['READ_SPACE'],
    access: ACCESS.bindToSpace,
    subject: standingSpace,
    request: ({ spaceId }) => ({ restrictions: { spaceIds: [spaceId] } }),
    names: 'spaceId',
  },
  {
    operation: 'getApiKey',
    needs: ['READ_APIKEY'],
    access: ACCESS.readOwn,
    subject: freshApiKey,
    request: ({ apiKeyId }) => ({ apiKeyId }),
    names: 'apiKeyId',
  },
  {
    operation: 'listApiKeys',
    form: 'of a user',
    needs: ['LIST_APIKEY'],
    access: ACCESS.readOwn,
    subject: owner,
    request: ({ userId }) => ({ userId }),
    names: 'userId',
  },
  {
    operation: 'updateApiKey',
    needs: ['UPDATE_APIKEY'],
    access: ACCESS.writeOwn,
    subject: freshApiKey,
    request: ({ apiKeyId }) => ({ apiKeyId, status: 'INACTIVE' }),
    names: 'apiKeyId',
    look: lookAtKey,
  },
  {
    operation: 'deleteApiKey',
    needs: ['DELETE_APIKEY'],
    access: ACCESS.writeOwn,
    subject: freshApiKey,
    spends: true,
    request: ({ apiKeyId }) => ({ apiKeyId }),
    names: 'apiKeyId',
    look: lookAtKey,
  },
];

/** A user is its own: `userId`. */
export const USER_ROWS: readonly Row[] = [
  {
    operation: 'createUser',
    needs: ['CREATE_USER'],
    access: ACCESS.administer,
    subject: () => ({}),
    request: () => ({ email: `${unique('made')}@example.org`, displayName: 'Made by the matrix' }),
  },
  {
    operation: 'getUser',
    form: 'oneself',
    needs: ['READ_USER'],
    access: ACCESS.readSelf,
    subject: () => ({}),
    request: () => ({}),
  },
  {
    operation: 'getUser',
    form: 'by id',
    needs: ['READ_USER'],
    access: ACCESS.readOwn,
    subject: owner,
    request: ({ userId }) => ({ userId }),
    names: 'userId',
  },
  {
    operation: 'getUser',
    form: 'by email',
    needs: ['READ_USER'],
    access: ACCESS.readOwn,
    subject: async (world) => ({ email: (await world.ok('getUser', { ...owner(world) })).email }),
    request: ({ email = '' }) => ({ email: email.includes('@') ? email : `${email}@example.org` }),
    names: 'email',
  },
  {
    operation: 'updateUser',
    needs: ['UPDATE_USER'],
    access: ACCESS.writeOwn,
    subject: owner,
    request: ({ userId }) => ({ userId, displayName: unique('Ada') }),
    names: 'userId',
    look: lookAtUser,
  },
  {
    operation: 'updateUser',
    form: 'of a role',
    needs: ['UPDATE_USER'],
    access: ACCESS.administer,
    subject: owner,
    request: ({ userId }) => ({ userId, role: 'USER' }),
    look: lookAtUser,
  },
  {
    operation: 'deleteUser',
    needs: ['DELETE_USER'],
    access: ACCESS.writeOwn,
    subject: freshUser,
    keeper: ({ userId = '', key = '' }) => ({ userId, key }),
    spends: true,
    request: ({ userId }) => ({ userId }),
    names: 'userId',
    look: lookAtUser,
  },
];
