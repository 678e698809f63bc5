import { type Chapter, shown } from '../line.ts';

const KEYS = 'contract/identity/api-keys.scenarios.ts';
const USERS = 'contract/identity/users.scenarios.ts';
const MATRIX = 'contract/permissions/permissions.test.ts: who may, over %s';
const STORIES = 'contract/permissions/permissions.test.ts: several things and changes, over %s';
const LIMITS = 'contract/rate-limits.test.ts';
const WIRES = 'unit/server/transport/rate-limits.test.ts';

export const ACCESS: Chapter = {
  title: 'Keys, users, permissions and rate limits',
  lines: [
    shown(
      'A raw key is svc_ and 32 characters of base32; only its hash is stored, and the hash of either mode is found',
      `${KEYS}: create gives the raw key once, and it works at once`,
      'store/identity/api-keys.test.ts: shows the raw key once and stores only its hash',
      'store/identity/api-keys.test.ts: finds keys of either hash, and no other text',
    ),
    shown(
      'The last use of a key is written at most once a minute, and holds up no request',
      'store/identity/api-keys.test.ts: the last use is written beside the request, and again only after a minute',
      'store/identity/api-keys.test.ts: a failing write of the last use fails no request',
    ),
    shown(
      'An expired key stops, stays as it is stored, can be listed, updated and deleted, and not be extended',
      `${KEYS}: an expired key stops, and stays to be listed, updated and deleted, but not extended`,
    ),
    shown(
      'Keys can be restricted to reading and to spaces; restrictions are checked when given and never change',
      `${KEYS}: restrictions are checked when given and never change`,
      `${KEYS}: a restricted key is listed with its restrictions, and stops at once when it is deleted`,
    ),
    shown(
      'A read-only key reads, lists and retrieves, and does nothing else',
      `${KEYS}: a read-only key reads and lists, and writes nothing`,
      'contract/retrieval/retrieval.scenarios.ts: who may read a space may search it',
      'store/identity/api-keys.test.ts: a read-only key may read and list and nothing else; a space-bound one reaches its spaces only',
      MATRIX,
    ),
    shown(
      'A space-bound key reaches its spaces and shared targets to read, and nothing else',
      `${KEYS}: a space-bound key sees its space and nothing else`,
      MATRIX,
      STORIES,
    ),
    shown('Users have every _OWN permission, administrators and root all; each operation for every caller', MATRIX),
    shown(
      'There is one root, which cannot be assigned, demoted or deleted',
      'contract/system/system.scenarios.ts: the first key is labeled, and stays the only ROOT one',
      `${USERS}: the root user is described as documented`,
      `${USERS}: update: oneself with the own form, a role and others with the wide one, the role of root never`,
      `${USERS}: delete: not while the user owns anything, and never root`,
    ),
    shown(
      'A parameter that names somebody else needs the _ANY form',
      `${KEYS}: keys of others need the _ANY permission`,
      'contract/spaces/spaces.scenarios.ts: an owner may be named by those who may; an admin reaches every space',
      'contract/targets/targets.scenarios.ts: an owner may be named by those who may, and must exist',
      'contract/spaces/lists.scenarios.ts: others are listed by those who may, and public ones by everybody',
    ),
    shown(
      'Targets of root and administrators are shared with all users, to be read, listed, pinged and used, and not changed',
      'contract/targets/reading.scenarios.ts: targets of root and admins are shared, those of users are not',
      'contract/targets/ping.scenarios.ts: a target must exist, be of the type hinted at, and be in reach',
      MATRIX,
    ),
    shown(
      'A space uses its embedders on its own behalf; rerankers and LLMs are checked against the caller',
      'contract/retrieval/retrieval.scenarios.ts: who may read a space may search it',
      "store/retrieval/chat.test.ts: somebody else's are denied, and the results are served",
    ),
    shown(
      'Users: addresses are unique without case, user names as they are; a new one is USER and has no key',
      `${USERS}: create, then read by id and by email in any case`,
      `${USERS}: a taken id, email or username is told as such`,
      'store/identity/users.test.ts: e-mail addresses are unique without case, usernames as they are',
      'store/identity/users.test.ts: a user is USER unless told and keeps the id that was given',
    ),
    shown(
      'Users: the fields have bounds, and the address never changes',
      `${USERS}: bad fields are all listed`,
      `${USERS}: update: bad, immutable and taken values are refused`,
      'unit/shared/fields/formats.test.ts: user names',
    ),
    shown(
      'Users: deleting takes the keys along, and is refused while the user owns anything',
      `${USERS}: delete: once, and the keys go at once`,
      `${USERS}: delete: not while the user owns anything, and never root`,
      'store/identity/users-delete.test.ts: everything that a user can own is named, and keeps it',
    ),
    shown(
      'An init token, where one is set, is needed for init, and reaches no log',
      'contract/system/init.test.ts: the right one is needed, and neither it nor the key reaches the log',
      'store/system/initialize.test.ts: refuses a missing or wrong init token, and then makes nothing',
    ),
    shown(
      'The embedded database gets a default embedder from init',
      'contract/system/init.test.ts: the embedded database gets a default embedder, an external one does not',
    ),
    shown(
      'Rate limits: a request, a stream and a batch count one; strangers and failed keys count for their address',
      `${WIRES}: a stream counts 1 and says where the key stands, before the body is read`,
      `${LIMITS}: a batch counts as one request, whatever it holds`,
      `${WIRES}: calls without a usable key count for their address, on both wires together`,
      `${WIRES}: outside of /v1 nothing is limited`,
    ),
    shown(
      'Rate limits: 600 in 60 seconds unless told; 0 switches them off, and then there are no headers',
      'unit/server/settings/load.test.ts: are those of the documentation',
      'unit/server/service/rate-limit/rate-limiter.test.ts: 0 switches the limit off, and other limits restart the counters',
      `${WIRES}: with the limit off the headers are left out`,
    ),
    shown(
      'Rate limits: whoever is over hears when to come again, over gRPC in trailing metadata',
      `${LIMITS}: the limit of the flags holds for a key, on both wires together`,
      `${WIRES}: every answer says where the key stands, whatever it answers`,
    ),
    shown(
      'Rate limits: servers on one database count together, and go on alone without it',
      `${LIMITS}: servers on one database count together, also those that come later`,
      'unit/server/service/rate-limit/rate-limiter.test.ts: while the database is away the limit goes on here, and what was counted is told later',
      'store/rate-limits.test.ts: servers that add at once lose nothing',
    ),
    shown(
      'A license may set the limits; a flag or variable beats it, and a bad one leaves what was in force',
      'process/serve/license.test.ts: a reload puts the limit of the file in force and counts anew, flags beat the file',
      'process/serve/license.test.ts: a bad license at the start is told to the log, and the defaults hold',
      'unit/server/service/license/license.test.ts: a bad file leaves the old one in force; without a file the defaults hold again',
      'contract/system/admin.scenarios.ts: reload-license tells what is in force',
    ),
  ],
};
