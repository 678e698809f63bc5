import { type Chapter, shown } from '../line.ts';

const KEYS = 'contract/identity/api-keys.scenarios.ts';
const USERS = 'contract/identity/users.scenarios.ts';
const MATRIX = 'contract/permissions/permissions.test.ts: operations by caller, over %s';
const STORIES = 'contract/permissions/permissions.test.ts: several resources and changes, over %s';
const LIMITS = 'contract/rate-limits.test.ts';
const WIRES = 'unit/server/transport/calls/rate-limits.test.ts';

export const ACCESS: Chapter = {
  title: 'Keys, users, permissions and rate limits',
  lines: [
    shown(
      'A raw key is svc_ and 32 characters of base32; only its hash is stored, and the hash of either mode is found',
      `${KEYS}: create gives the raw key once, and it works at once`,
      'store/identity/api-keys.test.ts: shows the raw key once and stores only its hash',
      'store/identity/api-keys.test.ts: accepts keys of either hash, and no other text',
    ),
    shown(
      'The last use of a key is written at most once a minute, and holds up no request',
      'store/identity/api-keys.test.ts: the last use is written beside the request, and again only after a minute',
      'store/identity/api-keys.test.ts: a failing write of the last use fails no request',
    ),
    shown(
      'An expired key is refused; it can be listed, updated and deleted, but not extended',
      `${KEYS}: an expired key is refused, and can be listed, updated and deleted, but not extended`,
    ),
    shown(
      'Keys can be restricted to reading and to spaces; restrictions are checked when given and never change',
      `${KEYS}: restrictions are checked when given and never change`,
      `${KEYS}: a restricted key is listed with its restrictions, and is refused at once when it is deleted`,
    ),
    shown(
      'A read-only key may read, list and retrieve alone',
      `${KEYS}: a read-only key reads and lists, and writes nothing`,
      'contract/retrieval/retrieval.scenarios.ts: a caller who may read a space may search it',
      'store/identity/api-keys.test.ts: a read-only key may read and list and nothing else; a space-bound one reaches its spaces only',
      MATRIX,
    ),
    shown(
      'A space-bound key reaches its spaces, and shared targets for reading, alone',
      `${KEYS}: a space-bound key sees its space and nothing else`,
      MATRIX,
      STORIES,
    ),
    shown('Users have every _OWN permission, administrators and root all; each operation for every caller', MATRIX),
    shown(
      'There is one root, which cannot be assigned, demoted or deleted',
      'contract/system/system.scenarios.ts: the first key is labeled, and stays the only ROOT one',
      `${USERS}: the root user is described as documented`,
      `${USERS}: update: UPDATE_USER_OWN for oneself, UPDATE_USER_ANY for roles and other users, the role of root never`,
      `${USERS}: delete: not while the user owns anything, and never root`,
    ),
    shown(
      'A parameter that names another user needs the _ANY permission',
      `${KEYS}: keys of others need the _ANY permission`,
      'contract/spaces/spaces.scenarios.ts: an owner can be given with CREATE_SPACE_ANY; an admin reaches every space',
      'contract/targets/targets.scenarios.ts: an owner can be given with the _ANY permission, and must exist',
      'contract/spaces/lists.scenarios.ts: LIST_SPACE_ANY lists the spaces of other users, and every user lists public ones',
    ),
    shown(
      'Targets of root and administrators are shared with all users, to be read, listed, pinged and used, and not changed',
      'contract/targets/reading.scenarios.ts: targets of root and admins are shared, those of users are not',
      'contract/targets/ping.scenarios.ts: a target must exist, match the type hint, and be readable by the caller',
      MATRIX,
    ),
    shown(
      'A space uses its embedders on its own behalf; rerankers and LLMs are checked against the caller',
      'contract/retrieval/retrieval.scenarios.ts: a caller who may read a space may search it',
      'store/retrieval/chat.test.ts: those of another user are denied, and the results are served',
    ),
    shown(
      'Users: e-mail addresses are unique case-insensitively, user names case-sensitively; a new one is USER and has no key',
      `${USERS}: create, then read by id and by email in any case`,
      `${USERS}: a taken id, email or username is ALREADY_EXISTS`,
      'store/identity/users.test.ts: e-mail addresses are unique case-insensitively, usernames case-sensitively',
      'store/identity/users.test.ts: a user is USER by default and keeps a given id',
    ),
    shown(
      'Users: the fields have bounds, and the address never changes',
      `${USERS}: bad fields are all listed`,
      `${USERS}: update: bad, immutable and taken values are refused`,
      'unit/shared/fields/formats.test.ts: user names',
    ),
    shown(
      'Users: deleting a user deletes its keys, and is refused while the user owns other resources',
      `${USERS}: delete: once, and the keys are refused at once`,
      `${USERS}: delete: not while the user owns anything, and never root`,
      'store/identity/users-delete.test.ts: every owned resource is named in the error and prevents the deletion',
    ),
    shown(
      'An init token, where one is set, is needed for init, and reaches no log',
      'contract/system/init.test.ts: refuses any other, and logs neither it nor the key',
      'store/system/initialize.test.ts: refuses a missing or wrong init token, and creates nothing',
    ),
    shown(
      'The embedded database gets a default embedder from init',
      'contract/system/init.test.ts: the embedded database gets a default embedder, an external one does not',
    ),
    shown(
      'Rate limits: a request, a stream and a batch count one; unauthenticated calls count for their address',
      `${WIRES}: a stream counts 1 and has the rate limit headers, before the body is read`,
      `${LIMITS}: a batch counts as one request, whatever it holds`,
      `${WIRES}: calls without a usable key count for their address, on both wires together`,
      `${WIRES}: outside of /v1 nothing is limited`,
    ),
    shown(
      'Rate limits: 600 in 60 seconds by default; 0 turns them off, and then there are no headers',
      'unit/server/settings/load.test.ts: are those of the documentation',
      'unit/server/service/rate-limit/rate-limiter.test.ts: 0 turns the limit off, and changed limits restart the counters',
      `${WIRES}: with the limit off the headers are left out`,
    ),
    shown(
      'Rate limits: a refused request has Retry-After, over gRPC in trailing metadata',
      `${LIMITS}: the limit of the flags applies to a key, on both wires together`,
      `${WIRES}: every response has the rate limit headers of the key, whatever its status`,
    ),
    shown(
      'Rate limits: servers on one database count together, and each by itself while it is unavailable',
      `${LIMITS}: servers on one database count together, also those that start later`,
      'unit/server/service/rate-limit/rate-limiter.test.ts: while the database is unavailable the server counts alone, and adds its counts later',
      'store/rate-limits.test.ts: concurrent servers lose no count',
    ),
    shown(
      'A license may set the limits; a flag or variable overrides it, and an invalid one leaves the limits unchanged',
      'process/serve/license.test.ts: a reload applies the limit of the file and restarts the counters; flags override the file',
      'process/serve/license.test.ts: an invalid license at the start is logged, and the defaults apply',
      'unit/server/service/license/license.test.ts: an invalid file leaves the old one in effect; without a file the defaults apply again',
      'contract/system/admin.scenarios.ts: reload-license reports the license in effect',
    ),
  ],
};
