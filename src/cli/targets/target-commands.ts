import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { Client } from '../kit/client/client.ts';
import type { Command } from '../kit/command.ts';
import { command, jsonFieldsOf } from '../kit/define-command.ts';
import { type Flag, type FlagSet, type FlagValues, given, needed } from '../kit/flags/flag.ts';
import { pairs, text } from '../kit/flags/kinds.ts';
import { resolveUser } from '../kit/naming/people.ts';
import type { Io } from '../kit/output/io.ts';
import { type View, writeList, writeRecord } from '../kit/output/records.ts';
import {
  deleteCommand,
  getCommand,
  idArgument,
  LABEL_UPDATE_FLAGS,
  labelChange,
  type RecordNoun,
} from '../kit/record-commands.ts';
import { oneLine } from '../kit/text/printable.ts';
import { TARGET_FLAGS, targetFields } from './flags.ts';

type Fields = Awaited<ReturnType<typeof targetFields>>;
type Needed = 'displayName' | 'modelIdentifier';

/** Flags that `create` cannot do without, for any provider. */
const ALWAYS_NEEDED = ['provider', 'name', 'model'] as const;

/** What a new target of any kind is made of. */
type NewTarget<P> = Omit<Fields, Needed> & {
  displayName: string;
  modelIdentifier: string;
  providerType: P;
  labels?: Record<string, string>;
  ownerId?: string;
};

type TargetChange = Fields & ReturnType<typeof labelChange>;

interface TargetFilter<P> {
  providerType?: P;
  ownerId?: string;
  label?: Record<string, string>;
}

/** Flags of one kind, and the members of its requests that they stand for. */
interface OwnFlags<T> {
  readonly flags: FlagSet;
  fields(values: Readonly<Record<string, unknown>>, io: Io): Promise<T>;
}

/** Keeps what the flags become and forgets which they are, so that the shared commands need not know. */
export function ownFlags<const F extends FlagSet, T>(
  flags: F,
  fields: (values: FlagValues<F>, io: Io) => Promise<T>,
): OwnFlags<T> {
  return { flags, fields: (values, io) => fields(values as FlagValues<F>, io) };
}

interface TargetCalls<Desc extends DescMessage, P, T> {
  create(
    client: Client,
    target: NewTarget<P> & T,
    id: string | undefined,
  ): Promise<{ record: MessageShape<Desc> | undefined; notes: readonly string[] }>;
  get(client: Client, id: string): Promise<MessageShape<Desc>>;
  list(client: Client, filter: TargetFilter<P>): Promise<readonly MessageShape<Desc>[]>;
  update(client: Client, id: string, change: TargetChange & T): Promise<MessageShape<Desc>>;
  delete(client: Client, id: string): Promise<unknown>;
}

/** One kind of inference target: what only it has, everything else is shared. */
interface TargetKind<Desc extends DescMessage, P, T> extends RecordNoun {
  readonly view: View<Desc>;
  idOf(record: MessageShape<Desc>): string;
  readonly provider: Flag<P | undefined>;
  /** Flags that `create` needs besides provider, name and model. */
  needs(provider: P): readonly string[];
  /** All that it needs, in a sentence for the help. */
  readonly needsText: string;
  readonly own: OwnFlags<T>;
  readonly labelHint?: string;
  readonly deleteSummary: string;
  readonly updateNotes?: string;
  readonly examples: Readonly<Record<'create' | 'list' | 'update', readonly [string, string, string]>> & {
    readonly delete: string;
  };
  readonly calls: TargetCalls<Desc, P, T>;
}

/** The five commands of a kind. */
export function targetCommands<Desc extends DescMessage, P, T>(kind: TargetKind<Desc, P, T>): readonly Command[] {
  const { view, calls } = kind;
  return [
    createCommand(kind),
    listCommand(kind),
    getCommand(kind, { view, get: calls.get }),
    updateCommand(kind),
    deleteCommand(kind, { summary: kind.deleteSummary, example: kind.examples.delete, delete: calls.delete }),
  ];
}

const OWNER = { ...text('--owner <name|id>', 'Owner (default: you)'), completes: 'users' } as const;

function createCommand<Desc extends DescMessage, P, T>(kind: TargetKind<Desc, P, T>): Command {
  const { provider, own, one, view, calls, labelHint = '' } = kind;
  const flags = {
    provider,
    ...TARGET_FLAGS,
    ...own.flags,
    label: pairs('--label <key=value>', `Label (repeatable)${labelHint}`),
    owner: OWNER,
    id: text('--id <uuid>', 'Id to give it (default: a new one)'),
  };
  return command({
    name: 'create',
    summary: `Register ${one}`,
    notes: `${kind.needsText} The endpoint is not called; svc ping does that.`,
    args: {},
    flags,
    examples: kind.examples.create,
    async run(context, { flags: values }) {
      const { io, client } = context;
      const more = values.provider === undefined ? [] : kind.needs(values.provider);
      // All at once, in the order of the help; the second call only tells the types.
      needed<FlagSet, string>(flags, values, [...ALWAYS_NEEDED, ...more]);
      const first = needed(flags, values, ALWAYS_NEEDED);
      const server = await client();
      const ownerId = values.owner === undefined ? undefined : await resolveUser(server, values.owner);
      const target = {
        ...(await targetFields(context, values)),
        displayName: first.name,
        modelIdentifier: first.model,
        providerType: first.provider,
        ...given({ labels: values.label, ownerId }),
        ...(await own.fields(values, io)),
      };
      const { record, notes } = await calls.create(server, target, values.id);
      if (record !== undefined) await writeRecord(io, view, record);
      for (const note of notes) await io.stderr.write(`note: ${oneLine(note)}\n`);
      if (record !== undefined && isForPerson(io)) {
        await io.stderr.write(`Test it: svc ping ${oneLine(kind.idOf(record))}\n`);
      }
      return undefined;
    },
  });
}

function isForPerson({ stdoutIsTerminal, isData }: Io): boolean {
  return stdoutIsTerminal && !isData;
}

function listCommand<Desc extends DescMessage, P, T>(kind: TargetKind<Desc, P, T>): Command {
  const { noun, name, view, calls } = kind;
  return command({
    name: 'list',
    isPaged: true,
    jsonFields: jsonFieldsOf(view),
    summary: `List ${name}s, yours and the shared ones, newest first`,
    args: {},
    flags: {
      provider: { ...kind.provider, description: 'Only of this provider' },
      owner: { ...OWNER, description: 'Only of this user' },
      label: pairs('--label <key=value>', 'Only with this label (repeatable)'),
    },
    examples: kind.examples.list,
    async run({ io, client }, { flags }) {
      const server = await client();
      const ownerId = flags.owner === undefined ? undefined : await resolveUser(server, flags.owner);
      const filter = given({ providerType: flags.provider, ownerId, label: flags.label });
      const found = await calls.list(server, filter);
      const isFiltered = Object.keys(filter).length > 0;
      const empty = isFiltered
        ? `No ${name} matches. All of them: svc ${noun} list`
        : `No ${name}s yet. Register one: svc ${noun} create --help`;
      await writeList(io, view, found, empty);
      return undefined;
    },
  });
}

function updateCommand<Desc extends DescMessage, P, T>(kind: TargetKind<Desc, P, T>): Command {
  const { one, view, calls, own, updateNotes } = kind;
  return command({
    name: 'update',
    summary: `Change ${one}`,
    ...given({ notes: updateNotes }),
    args: { id: idArgument(kind) },
    flags: { ...TARGET_FLAGS, ...own.flags, ...LABEL_UPDATE_FLAGS },
    examples: kind.examples.update,
    async run(context, { args, flags }) {
      const { io, client } = context;
      const change = {
        ...(await targetFields(context, flags)),
        ...labelChange(flags),
        ...(await own.fields(flags, io)),
      };
      const server = await client();
      await writeRecord(io, view, await calls.update(server, await kind.resolve(server, args.id), change));
      return undefined;
    },
  });
}
