import type { OperationKey } from '../../../src/shared/operations/table.ts';
import type { Person, Stage } from '../../support/stage.ts';
import { unique } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';
import { TARGET_KINDS, type TargetKind } from '../target-kinds.ts';
import type { Caller, Nobody } from './access.ts';
import type { Subject } from './row.ts';
import { startUpstream, type Upstream } from './upstream.fixture.ts';

interface People {
  /** The owner of everything that is private or public. */
  ada: Person;
  /** A USER who owns the like. */
  bob: Person;
  /** An ADMIN. */
  carl: Person;
  root: Person;
}

/** The spaces that stay for the whole matrix; all but the last two are the owner's. */
interface Spaces {
  private: string;
  public: string;
  elsewhere: string;
  bobs: string;
  roots: string;
}

type Owners<T> = Readonly<Record<keyof People, T>>;

/** People, keys and things that both wires share; everything in it was made by ROOT over REST. */
export class World {
  readonly stage: Stage;
  readonly people: People;
  readonly spaces: Spaces;
  /** A processed memory in each. */
  readonly memories: Readonly<Record<'private' | 'public', string>>;
  /** One of every kind and owner. */
  readonly targets: ReadonlyMap<TargetKind, Owners<string>>;
  readonly upstream: Upstream;
  readonly #unusable: Readonly<Record<Nobody, string | undefined>>;
  readonly #restricted = new Map<string, Promise<string>>();

  private constructor(
    parts: Pick<World, 'stage' | 'people' | 'spaces' | 'memories' | 'targets' | 'upstream'>,
    unusable: Readonly<Record<Nobody, string | undefined>>,
  ) {
    this.stage = parts.stage;
    this.people = parts.people;
    this.spaces = parts.spaces;
    this.memories = parts.memories;
    this.targets = parts.targets;
    this.upstream = parts.upstream;
    this.#unusable = unusable;
  }

  static async open(stage: Stage): Promise<World> {
    const [ada, bob, carl] = await Promise.all([stage.person(), stage.person(), stage.person('ADMIN')]);
    const people = { ada, bob, carl, root: stage.caller };
    const unusable = await makeUnusable(stage, ada);
    const upstream = await startUpstream();
    const spaces = await makeSpaces(stage, people);
    const [inPrivate, inPublic] = await Promise.all(
      [spaces.private, spaces.public].map((spaceId) => stage.memory({ spaceId })),
    );
    const memories = { private: inPrivate.memoryId as string, public: inPublic.memoryId as string };
    const targets = await makeTargets(stage, people, upstream);
    await stage.untilRefused('getUser', {}, 'UNAUTHENTICATED', unusable['expired key']);
    return new World({ stage, people, spaces, memories, targets, upstream }, unusable);
  }

  async close(): Promise<void> {
    await this.upstream.close();
  }

  /** Makes or reads something as ROOT. */
  ok(operation: OperationKey, request: Readonly<Record<string, unknown>>): Promise<Json> {
    return this.stage.ok(operation, request);
  }

  /** The key with which a caller comes to a subject, which is the keeper's. */
  async keyOf(caller: Caller | Nobody, subject: Subject = {}, keeper = this.people.ada): Promise<string | undefined> {
    const { bob, carl, root } = this.people;
    const { spaceId = this.spaces.private } = subject;
    switch (caller) {
      case 'owner':
        return keeper.key;
      case 'another USER':
        return bob.key;
      case 'ADMIN':
        return carl.key;
      case 'ROOT':
        return root.key;
      case 'read-only key':
        return this.#restrictedKey(keeper, { readOnly: true });
      case 'bound key':
        return this.#restrictedKey(keeper, { spaceIds: [spaceId] });
      case 'key bound elsewhere':
        return this.#restrictedKey(keeper, { spaceIds: [this.spaces.elsewhere] });
      case 'read-only ROOT':
        return this.#restrictedKey(root, { readOnly: true });
      case 'bound ROOT':
        return this.#restrictedKey(root, { spaceIds: [spaceId] });
      default:
        return this.#unusable[caller];
    }
  }

  #restrictedKey({ userId }: Person, restrictions: { readOnly: true } | { spaceIds: string[] }): Promise<string> {
    const name = JSON.stringify([userId, restrictions]);
    const key = this.#restricted.get(name) ?? this.stage.key({ userId, restrictions });
    this.#restricted.set(name, key);
    return key;
  }
}

async function makeUnusable(stage: Stage, { userId }: Person): Promise<Record<Nobody, string | undefined>> {
  const make = () => stage.ok('createApiKey', { userId });
  const [expired, deleted, inactive] = await Promise.all([stage.expiring('createApiKey', { userId }), make(), make()]);
  const gone = await stage.person();
  await stage.ok('deleteUser', { userId: gone.userId });
  await stage.ok('deleteApiKey', { apiKeyId: deleted.apiKeyMetadata.apiKeyId });
  await stage.ok('updateApiKey', { apiKeyId: inactive.apiKeyMetadata.apiKeyId, status: 'INACTIVE' });
  return {
    'no key': undefined,
    'unknown key': `svc_${'a'.repeat(32)}`,
    'deleted key': deleted.rawApiKey,
    'expired key': expired.rawApiKey,
    'inactive key': inactive.rawApiKey,
    'key of a deleted user': gone.key,
  };
}

async function makeSpaces(stage: Stage, { ada, bob, root }: People): Promise<Spaces> {
  // A space of its owner's own embedder: who may read the space reads through an embedder that is out of reach.
  const { embedderId } = await stage.ok('createEmbedder', {
    displayName: 'The owner’s own',
    providerType: 'BUILTIN',
    modelIdentifier: 'lexical-v1',
    dimensionality: 64,
    ownerId: ada.userId,
  });
  const make = async ({ userId }: Person, more: object = {}) =>
    (await stage.ok('createSpace', { name: unique('space'), ownerId: userId, embedderId, ...more })).spaceId as string;
  const [inPrivate, inPublic, elsewhere, bobs, roots] = await Promise.all([
    make(ada),
    make(ada, { publicRead: true }),
    make(ada),
    make(bob),
    make(root),
  ]);
  return { private: inPrivate, public: inPublic, elsewhere, bobs, roots };
}

async function makeTargets(stage: Stage, people: People, upstream: Upstream): Promise<Map<TargetKind, Owners<string>>> {
  return new Map(
    await Promise.all(
      TARGET_KINDS.map(async (kind) => {
        const make = async ({ userId }: Person) =>
          kind.idOf(await stage.ok(kind.create, { ...kind.body(upstream.newUrl()), ownerId: userId }));
        const { ada, bob, carl, root } = people;
        const [adas, bobs, carls, roots] = await Promise.all([make(ada), make(bob), make(carl), make(root)]);
        return [kind, { ada: adas, bob: bobs, carl: carls, root: roots }] as const;
      }),
    ),
  );
}
