import { Role, RoleSchema, type User, UserSchema, UserService } from '../../shared/gen/service/v1/user_pb.ts';
import type { FetchPage } from '../kit/client/client.ts';
import { type Command, optional } from '../kit/command.ts';
import { command, jsonFieldsOf } from '../kit/define-command.ts';
import { usageError } from '../kit/errors.ts';
import { enumChoice } from '../kit/flags/enum.ts';
import { given, needed } from '../kit/flags/flag.ts';
import { text } from '../kit/flags/kinds.ts';
import { resolveUser, userDeletion } from '../kit/naming/people.ts';
import { enumText, idColumn, timeColumn } from '../kit/output/columns.ts';
import { type View, writeRecord } from '../kit/output/records.ts';
import {
  deleteCommand,
  idArgument,
  LIMIT_FLAGS,
  limitOf,
  type RecordNoun,
  writePagedList,
} from '../kit/record-commands.ts';
import { oneLine } from '../kit/text/printable.ts';

const userView: View<typeof UserSchema> = {
  desc: UserSchema,
  columns: [
    idColumn('ID', ({ userId }) => userId),
    { header: 'EMAIL', value: ({ email }) => email, isTitle: true },
    { header: 'ROLE', value: ({ role }) => enumText(RoleSchema, role), whole: true },
    { header: 'NAME', value: ({ displayName }) => displayName },
    { header: 'USERNAME', value: ({ username }) => username ?? '', spare: true },
    timeColumn('CREATED', ({ createdAt }) => createdAt),
  ],
  fields: [
    { header: 'id', value: ({ userId }) => userId },
    { header: 'email', value: ({ email }) => email },
    { header: 'name', value: ({ displayName }) => displayName },
    { header: 'username', value: ({ username }) => username ?? '' },
    { header: 'role', value: ({ role }) => enumText(RoleSchema, role) },
    timeColumn('created', ({ createdAt }) => createdAt),
    timeColumn('updated', ({ updatedAt }) => updatedAt),
  ],
};

const { createUser, getUser, listUsers, updateUser, deleteUser } = UserService.method;
const MOST_PER_PAGE = 1000;
const USER: RecordNoun = {
  noun: 'users',
  name: 'user',
  one: 'a user',
  exampleId: '01980000-0000-7000-8000-000000000002',
  goesBy: 'E-mail address, user name',
  resolve: resolveUser,
  deletion: userDeletion,
};
/** There is one ROOT; the role cannot be given. */
const ROLES = [Role.USER, Role.ADMIN];

const CREATE_FLAGS = {
  email: text('--email <address>', 'E-mail address, unique'),
  displayName: text('--display-name <name>', 'Name to show'),
  username: text('--username <name>', 'Unique; letters, digits, dot, underscore and hyphen'),
  role: enumChoice('--role <role>', 'What the user may do (default USER)', RoleSchema, ROLES),
  id: text('--id <uuid>', 'Id to give it (default: a new one)'),
};

const create = command({
  name: 'create',
  summary: 'Make a user',
  notes: 'Needs --email and --display-name. A new user has no key: make one with svc apikeys create --user.',
  args: {},
  flags: CREATE_FLAGS,
  examples: [
    'users create --email ada@example.org --display-name Ada',
    'users create --email grace@example.org --display-name "Grace Hopper" --username grace --role ADMIN',
    'users create --email ci@example.org --display-name CI -o ndjson | jq -r .userId | xargs svc apikeys create --user',
  ],
  async run({ io, client }, { flags }) {
    const { email, displayName } = needed(CREATE_FLAGS, flags, ['email', 'displayName']);
    const { username, role, id } = flags;
    const user = await (await client()).call(createUser, {
      email,
      displayName,
      ...given({ username, role, userId: id }),
    });
    await writeRecord(io, userView, user);
    if (io.stdoutIsTerminal && !io.isData) {
      await io.stderr.write(`It has no key yet. Make one: svc apikeys create --user ${oneLine(user.userId)}\n`);
    }
    return undefined;
  },
});

const list = command({
  name: 'list',
  isPaged: true,
  jsonFields: jsonFieldsOf(userView),
  summary: 'List users, newest first; without the right to list others only yourself',
  args: {},
  flags: LIMIT_FLAGS,
  examples: [
    'users list',
    'users list --all -o json',
    'users list --all -o ndjson | jq -r \'select(.role == "ADMIN").email\'',
  ],
  async run({ io, client }, { flags }) {
    const limit = limitOf(flags);
    const server = await client();
    const fetch: FetchPage<User> = async (wanted, nextToken) => {
      const maxResults = Math.min(wanted, MOST_PER_PAGE);
      const response = await server.call(listUsers, { maxResults, ...given({ nextToken }) });
      return { items: response.users, nextToken: response.nextToken };
    };
    await writePagedList(io, userView, fetch, { limit, whenEmpty: 'No users yet. Make one: svc users create --help' });
    return undefined;
  },
});

const get = command({
  name: 'get',
  isPaged: true,
  jsonFields: jsonFieldsOf(userView),
  summary: 'Show a user, or yourself',
  args: {
    id: { ...optional('id', 'E-mail address, user name or id of the user (default: you)'), completes: 'users' },
  },
  flags: { email: text('--email <address>', 'Find the user by this address') },
  examples: ['users get', `users get ${USER.exampleId}`, 'users get --email ada@example.org -o json'],
  async run({ io, client }, { args, flags }) {
    if (args.id !== undefined && flags.email !== undefined) throw usageError('Give an id or --email, not both');
    const server = await client();
    const userId = args.id === undefined ? undefined : await resolveUser(server, args.id);
    const user = await server.call(getUser, given({ userId, email: flags.email }));
    await writeRecord(io, userView, user);
    return undefined;
  },
});

const update = command({
  name: 'update',
  summary: 'Change names or role of a user',
  args: { id: idArgument(USER) },
  flags: {
    displayName: CREATE_FLAGS.displayName,
    username: CREATE_FLAGS.username,
    role: enumChoice('--role <role>', 'What the user may do', RoleSchema, ROLES),
  },
  examples: [
    `users update ${USER.exampleId} --display-name "Ada Lovelace"`,
    `users update ${USER.exampleId} --username ada`,
    `users update ${USER.exampleId} --role ADMIN`,
  ],
  async run({ io, client }, { args, flags }) {
    const server = await client();
    const userId = await resolveUser(server, args.id);
    const user = await server.call(updateUser, { userId, ...given(flags) });
    await writeRecord(io, userView, user);
    return undefined;
  },
});

const remove = deleteCommand(USER, {
  summary: 'Delete a user who owns nothing, with all its keys',
  along: ' with all its keys',
  isOwned: false,
  example: 'users get --email ada@example.org -o ndjson | jq -r .userId | xargs svc users delete -f',
  delete: (client, id) => client.call(deleteUser, { userId: id }),
});

export const users: readonly Command[] = [create, list, get, update, remove];
