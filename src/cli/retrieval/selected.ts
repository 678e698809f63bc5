import type { RetrieveMemoryEvent } from '../../shared/gen/service/v1/memory_pb.ts';
import type { EventWriter } from '../kit/output/event-writer.ts';
import type { Io, Selection } from '../kit/output/io.ts';
import { writeSelection } from '../kit/output/records.ts';
import { explainTable } from '../render/explain-table.ts';
import { noteText } from '../render/retrieve-lines.ts';
import { type Entry, type ResultEntry, readerOf, sourcesOf } from './entries.ts';
import { resultsJson, SOURCE_FIELDS } from './result-members.ts';

export interface SelectedOptions {
  io: Io;
  selection: Selection;
  /** The question: the line of a result is that of the sentence which has most of its words. */
  message: string;
}

/** What a retrieval found, once all of it is here. */
interface Found {
  results: readonly ResultEntry[];
  /** Undefined when no summary came. */
  summary: string | undefined;
}

/** Names of the members of an answer. */
export const ANSWER_FIELDS: readonly string[] = ['answer', 'sources', 'results'];

/** Writes the results as one array, with the members that are wanted of each. */
export function selectedResults(options: SelectedOptions): EventWriter<RetrieveMemoryEvent> {
  const { io, selection } = options;
  return collecting(options, async ({ results, summary }) => {
    // Nobody asked for it with a flag: a post processor of the server made it.
    if (summary !== undefined)
      await io.stderr.write('note: there is a summary too, which --json does not write; -o json does\n');
    await writeSelection(io, selection, resultsJson(results, selection.fields));
  });
}

/** Writes an answer as one object, with the members that are wanted of it; a source has those of a result that are short. */
export function selectedAnswer(options: SelectedOptions): EventWriter<RetrieveMemoryEvent> {
  const { io, selection } = options;
  return collecting(options, async ({ results, summary }) => {
    const sources = summary === undefined ? [] : sourcesOf(summary, results);
    const members: Readonly<Record<string, string>> = {
      answer: JSON.stringify(summary ?? null),
      sources: resultsJson(sources, SOURCE_FIELDS),
      results: resultsJson(results, SOURCE_FIELDS),
    };
    const picked = selection.fields.map((name) => `${JSON.stringify(name)}:${members[name] ?? 'null'}`);
    await writeSelection(io, selection, `{${picked.join(',')}}`);
  });
}

/** Remarks go to stderr as they come. A stream that does not come to its end gives nothing: a part would look whole. */
function collecting(
  { io, message }: SelectedOptions,
  write: (found: Found) => Promise<void>,
): EventWriter<RetrieveMemoryEvent> {
  const reader = readerOf({ message, answers: false });
  const results: ResultEntry[] = [];
  let summary: string | undefined;
  const take = async (entry: Entry): Promise<void> => {
    if (entry.kind === 'result') results.push(entry);
    if (entry.kind === 'summary') summary = entry.text;
    if (entry.kind === 'note') await io.stderr.write(`${noteText(entry.status)}\n`);
    if (entry.kind === 'explain') await io.stderr.write(explainTable(entry.details, { width: io.width, color: false }));
  };
  return {
    event: async (event) => {
      for (const entry of reader.read(event)) await take(entry);
    },
    end: async (ending = 'complete') => {
      if (ending === 'complete') await write({ results, summary });
    },
  };
}
