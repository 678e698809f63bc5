import type { DescMessage } from '@bufbuild/protobuf';
import type { Command, CommandBody, PositionalSet } from './command.ts';
import { usageError } from './errors.ts';
import { type Flag, type FlagSet, inGroup } from './flags/flag.ts';
import { text } from './flags/kinds.ts';
import type { Io, Selection } from './output/io.ts';
import { didYouMean } from './text/suggest.ts';
import { watchable } from './watch.ts';

/** Infers the types of arguments and flags from the record. */
export function command<const A extends PositionalSet, const F extends FlagSet>(record: Command<A, F>): Command {
  return withGeneralFlags(record as unknown as Command);
}

/** The same for a command that stands alone behind `svc`. */
export function loneCommand<const A extends PositionalSet, const F extends FlagSet>(
  body: CommandBody<A, F>,
): CommandBody {
  return withGeneralFlags(body as unknown as CommandBody);
}

function withGeneralFlags<C extends CommandBody>(record: C): C {
  const general = record.isWatchable === true ? watchable(record) : record;
  return record.jsonFields === undefined ? general : selectable(general, record.jsonFields);
}

/** Names of the members that the JSON of a message has. */
export function jsonFieldsOf({ desc }: { desc: DescMessage }): readonly string[] {
  return desc.fields.map(({ jsonName }) => jsonName);
}

/** The bare flag reads as "". */
const JSON_FLAG: Flag<string | undefined> = {
  term: '--json [fields]',
  description: 'JSON with only these members, separated by commas; without a value it lists them',
  read: (texts) => texts.at(-1),
};
const FLAGS = inGroup('JSON', {
  json: JSON_FLAG,
  jq: text('--jq <expression>', 'What a jq expression makes of that JSON; strings are written without quotes'),
});

/** The same command with `--json` and `--jq`, which write some members of what it shows. */
function selectable<C extends CommandBody>(record: C, fields: readonly string[]): C {
  return {
    ...record,
    flags: { ...record.flags, ...FLAGS },
    run(context, { args, flags: { json, jq, ...flags } }) {
      const selection = selectionOf({ json: json as string | undefined, jq: jq as string | undefined }, fields);
      if (selection === undefined) return record.run(context, { args, flags });
      if (context.globals.output !== undefined) throw usageError('Give --json or -o, not both');
      const io: Io = { ...context.io, records: 'json', isData: true, selection };
      return record.run({ ...context, io }, { args, flags });
    },
  };
}

function selectionOf(
  { json, jq }: { json: string | undefined; jq: string | undefined },
  known: readonly string[],
): Selection | undefined {
  if (json === undefined && jq === undefined) return undefined;
  if (json === undefined) throw usageError('--jq needs --json', { details: `There are: ${known.join(', ')}` });
  const fields = [...new Set(json.split(',').map((field) => field.trim()))].filter((field) => field !== '');
  if (fields.length === 0) throw usageError('--json needs fields, separated by commas', { details: known.join(', ') });
  const unknown = fields.find((field) => !known.includes(field));
  if (unknown === undefined) return { fields, jq };
  const meant = didYouMean(unknown, known);
  throw usageError(`There is no field ${JSON.stringify(unknown)}`, {
    details: `${meant === undefined ? '' : `${meant} `}There are: ${known.join(', ')}`,
  });
}
