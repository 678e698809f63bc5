import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { type Client, type FetchPage, pages } from './client/client.ts';
import { type Command, type Positional, required } from './command.ts';
import { command, jsonFieldsOf } from './define-command.ts';
import { usageError } from './errors.ts';
import { type Completion, type FlagValues, filling } from './flags/flag.ts';
import { integer, pairs, toggle } from './flags/kinds.ts';
import { confirmDelete, FORCE_FLAG, requireAsker } from './input/prompt.ts';
import type { Deletion } from './naming/names.ts';
import type { Io } from './output/io.ts';
import { type View, writeList, writeRecord } from './output/records.ts';

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

interface GetOptions<Desc extends DescMessage> {
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

interface DeleteOptions {
  summary: string;
  /** What goes with it, for the question: ` with all its keys`. */
  along?: string;
  /** Left out, each of them has an owner. */
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

interface PagedListOptions {
  limit: Limit;
  /** What to do next when there is nothing. */
  whenEmpty: string;
}

/** Writes the records of all pages up to the limit, and says so when the default limit has cut the list. */
export async function writePagedList<Desc extends DescMessage>(
  io: Io,
  view: View<Desc>,
  fetch: FetchPage<MessageShape<Desc>>,
  { limit, whenEmpty }: PagedListOptions,
): Promise<void> {
  let isCut = false;
  const records = pages(fetch, limit.most, () => {
    isCut = true;
  });
  await writeList(io, view, records, whenEmpty);
  if (isCut && limit.isDefault)
    await io.stderr.write(`These are the first ${limit.most}. To list all of them: --all\n`);
}

const DEFAULT_LIMIT = 50;

/** How much of a paged list is wanted. */
export const LIMIT_FLAGS = {
  limit: filling(
    integer('--limit <n>', `The most records to list (default ${DEFAULT_LIMIT})`, { min: 1 }),
    'maxResults',
  ),
  all: toggle('--all', 'List everything'),
};

interface Limit {
  most: number;
  /** It was not given. */
  isDefault: boolean;
}

export function limitOf({ limit, all }: { limit: number | undefined; all: boolean }): Limit {
  if (all && limit !== undefined) throw usageError('Give --limit or --all, not both');
  return { most: all ? Number.POSITIVE_INFINITY : (limit ?? DEFAULT_LIMIT), isDefault: !all && limit === undefined };
}

const replacement = pairs('--replace-labels <key=value>', 'Replace all labels (repeatable; "" removes all)');

/** How an update changes labels. */
export const LABEL_UPDATE_FLAGS = {
  replaceLabels: {
    ...replacement,
    read: (texts) => (texts.length === 1 && texts[0] === '' ? {} : replacement.read(texts)),
  } satisfies typeof replacement,
  mergeLabels: pairs('--merge-labels <key=value>', 'Labels to add or overwrite (repeatable)'),
};

interface LabelChange {
  labelUpdate?: { case: 'replaceLabels' | 'mergeLabels'; value: { labels: Record<string, string> } };
}

/** The member of an update request that the flags ask for; empty when neither was given. */
export function labelChange({ replaceLabels, mergeLabels }: FlagValues<typeof LABEL_UPDATE_FLAGS>): LabelChange {
  if (replaceLabels !== undefined && mergeLabels !== undefined) {
    throw usageError('Give --replace-labels or --merge-labels, not both');
  }
  if (replaceLabels !== undefined) return { labelUpdate: { case: 'replaceLabels', value: { labels: replaceLabels } } };
  if (mergeLabels !== undefined) return { labelUpdate: { case: 'mergeLabels', value: { labels: mergeLabels } } };
  return {};
}
