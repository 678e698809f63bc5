/** What a caller may expect of an operation. */
export type Outcome = 'OK' | 'UNAUTHENTICATED' | 'PERMISSION_DENIED' | 'NOT_FOUND';

/** Callers without a usable key. */
export const NOBODIES = [
  'no key',
  'unknown key',
  'deleted key',
  'expired key',
  'inactive key',
  'key of a deleted user',
] as const;
export type Nobody = (typeof NOBODIES)[number];

/**
 * Callers with a usable key, in the order of the columns below. The first three keys are the owner's. A bound key is
 * bound to the space that the call is about, or to any other one where it is about none.
 */
export const CALLERS = [
  'read-only key',
  'bound key',
  'key bound elsewhere',
  'owner',
  'another USER',
  'ADMIN',
  'ROOT',
  'read-only ROOT',
  'bound ROOT',
] as const;
export type Caller = (typeof CALLERS)[number];

/** Whose the resource is: a USER's own, in a public space of that USER, or an inference target that ROOT shares. */
export const PLACES = ['private', 'public', 'shared'] as const;
export type Place = (typeof PLACES)[number];

/**
 * Who may do one kind of thing: `ok`, `no` (forbidden) or `--` (not found), a line for every place where the thing can
 * be, and one for an id that does not exist. In the place `shared` the owner is ROOT, and the owner of the other places
 * is a USER like any other.
 */
export type Access = Readonly<Partial<Record<Place | 'unknown', string>> & { nobody?: Outcome }>;

const WORDS: Readonly<Record<string, Outcome>> = { ok: 'OK', no: 'PERMISSION_DENIED', '--': 'NOT_FOUND' };

export function outcomesOf(line: string): Map<Caller, Outcome> {
  const words = line.trim().split(/\s+/);
  if (words.length !== CALLERS.length) throw new Error(`${words.length} columns: ${line}`);
  return new Map(
    CALLERS.map((caller, column) => {
      const outcome = WORDS[words[column] ?? ''];
      if (outcome === undefined) throw new Error(`${words[column]} is no outcome`);
      return [caller, outcome];
    }),
  );
}

/**
 * Written from what the interface promises, and from nothing in the server. An id that does not exist is not found
 * before anybody is refused, except by a bound key, which learns nothing about what is not in its spaces, and by a
 * read-only key that would make something new.
 */
export const ACCESS = {
  /*           read-only  bound  elsewhere  owner  another  ADMIN  ROOT  read-only ROOT  bound ROOT */
  readInSpace: {
    private: '   ok        ok     no         ok     no       ok     ok    ok              ok',
    public: '    ok        ok     no         ok     ok       ok     ok    ok              ok',
    unknown: '   --        --     --         --     --       --     --    --              --',
  },
  writeInSpace: {
    private: '   no        ok     no         ok     no       ok     ok    no              ok',
    public: '    no        ok     no         ok     no       ok     ok    no              ok',
    unknown: '   --        --     --         --     --       --     --    --              --',
  },
  /** What a user owns outside of spaces, and the user itself. */
  readOwn: {
    private: '   ok        no     no         ok     no       ok     ok    ok              no',
    unknown: '   --        no     no         --     --       --     --    --              no',
  },
  writeOwn: {
    private: '   no        no     no         ok     no       ok     ok    no              no',
    unknown: '   --        no     no         --     --       --     --    --              no',
  },
  /** For the user that `ownerId` or `userId` names. */
  createFor: {
    private: '   no        no     no         ok     no       ok     ok    no              no',
    unknown: '   no        no     no         --     --       --     --    no              no',
  },
  /** On what the caller itself is or has, so that nobody is another. */
  readSelf: {
    private: '   ok        no     no         ok     ok       ok     ok    ok              no',
  },
  createSelf: {
    private: '   no        no     no         ok     ok       ok     ok    no              no',
  },
  readTarget: {
    private: '   ok        no     no         ok     no       ok     ok    ok              no',
    shared: '    ok        ok     ok         ok     ok       ok     ok    ok              ok',
    unknown: '   --        --     --         --     --       --     --    --              --',
  },
  pingTarget: {
    private: '   no        no     no         ok     no       ok     ok    no              no',
    shared: '    no        no     no         ok     ok       ok     ok    no              no',
    unknown: '   --        no     no         --     --       --     --    --              no',
  },
  /** Changing, deleting and proxying: what is shared is not there to be changed. */
  changeTarget: {
    private: '   no        no     no         ok     no       ok     ok    no              no',
    shared: '    no        no     no         no     no       ok     ok    no              no',
    unknown: '   --        no     no         --     --       --     --    --              no',
  },
  /** A new space upon an embedder. */
  attachTarget: {
    private: '   no        no     no         ok     no       ok     ok    no              no',
    shared: '    no        no     no         ok     ok       ok     ok    no              no',
    unknown: '   no        no     no         --     --       --     --    no              no',
  },
  /** A new key that is bound to a space, which its maker must be able to read. */
  bindToSpace: {
    private: '   no        no     no         ok     no       ok     ok    no              no',
    public: '    no        no     no         ok     ok       ok     ok    no              no',
    unknown: '   no        no     no         --     --       --     --    no              no',
  },
  /** A new user, a role, the server itself. */
  administer: {
    private: '   no        no     no         no     no       ok     ok    no              no',
  },
  readServer: {
    private: '   no        no     no         no     no       ok     ok    ok              no',
  },
  everybody: {
    private: '   ok        ok     ok         ok     ok       ok     ok    ok              ok',
    nobody: 'OK',
  },
} as const satisfies Record<string, Access>;
