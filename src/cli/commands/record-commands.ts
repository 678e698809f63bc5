import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { Client } from '../client/client.ts';
import { type Command, type Positional, required } from '../command.ts';
import { command } from '../define-command.ts';
import type { Completion } from '../flags/flag.ts';
import { confirmDelete, FORCE_FLAG, requireAsker } from '../input/confirm.ts';
import type { Deletion } from '../naming/deletion.ts';
import { type View, writeRecord } from '../render/records.ts';
import { jsonFieldsOf } from '../selection/selectable.ts';

/** A kind of record. */
export interface RecordNoun {
  /** As it is called, and what a shell completes its ids from: `embedders`. */
  readonly noun: Completion;
  /** In a sentence: `embedder`, `LLM`, `API key`. */
  readonly name: string;
  /** With its article: `an embedder`. */
  readonly one: string;
  /** For the examples. */
  readonly exampleId: string;
  /** What it goes by besides its id, for the help: `Name`. */
  readonly goesBy: string;
  /** Its id, however it is named. A whole id costs no call. */
  resolve(client: Client, wanted: string): Promise<string>;
  /** What it names when it is to be deleted, which takes more than a name that is alike. */
  deletion(client: Client, wanted: string): Promise<Deletion>;
}

export function idArgument({ noun, name, goesBy }: RecordNoun): Positional<string> {
  return { ...required('id', `${goesBy} or id of the ${name}`), completes: noun };
}

export interface GetOptions<Desc extends DescMessage> {
  summary?: string;
  view: View<Desc>;
  get(client: Client, id: string): Promise<MessageShape<Desc>>;
}

export function getCommand<Desc extends DescMessage>(
  record: RecordNoun,
  { summary = `Show ${record.one}`, view, get }: GetOptions<Desc>,
): Command {
  const example = `${record.noun} get ${record.exampleId}`;
  return command({
    name: 'get',
    isPaged: true,
    jsonFields: jsonFieldsOf(view),
    summary,
    args: { id: idArgument(record) },
    flags: {},
    examples: [example, `${example} -o json`, `${example} --plain`],
    async run({ io, client }, { args }) {
      const server = await client();
      await writeRecord(io, view, await get(server, await record.resolve(server, args.id)));
      return undefined;
    },
  });
}

export interface DeleteOptions {
  summary: string;
  /** What goes with it, for the question: ` with all its keys`. */
  along?: string;
  /** Left out, each of them belongs to somebody. */
  isOwned?: boolean;
  /** The third one; the others are those of every record. */
  example: string;
  delete(client: Client, id: string): Promise<unknown>;
}

export function deleteCommand(record: RecordNoun, options: DeleteOptions): Command {
  const { noun, name, exampleId } = record;
  const { summary, along = '', example, isOwned = true } = options;
  return command({
    name: 'delete',
    summary,
    notes: `A name has to be exact${isOwned ? ', and like the beginning of an id it stands for what is yours alone' : ''}; a whole id names any ${name}.`,
    args: { id: idArgument(record) },
    flags: { force: FORCE_FLAG },
    examples: [`${noun} delete ${exampleId}`, `${noun} delete ${exampleId} -f`, example],
    async run(context, { args, flags }) {
      requireAsker(context, `the ${name} ${args.id}${along}`, flags.force);
      const client = await context.client();
      const { id, described } = await record.deletion(client, args.id);
      if (!flags.force) await confirmDelete(context, `the ${name} ${await described()}${along}`, flags.force);
      await options.delete(client, id);
      await context.io.stderr.write(`Deleted ${name} ${id}\n`);
      return undefined;
    },
  });
}
