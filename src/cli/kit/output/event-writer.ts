import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { encodeJson } from '../../../shared/json/encode.ts';
import { ndjsonLine } from '../../../shared/json/event-frames.ts';
import { indentJson } from '../text/json-text.ts';
import type { Io } from './io.ts';

/** How a stream came to its end: by itself, by Ctrl-C and the like, or by a failure. */
export type Ending = 'complete' | 'stopped' | 'broken';

/** Takes the events of a stream one by one. `end` is called once, also after a failure. */
export interface EventWriter<T> {
  event(event: T): Promise<void>;
  /** `complete` when left out. */
  end(ending?: Ending): Promise<void>;
}

/** Writes events in the form that was decided; `people` shows them to people. */
export function eventWriter<Desc extends DescMessage>(
  io: Io,
  desc: Desc,
  people: EventWriter<MessageShape<Desc>>,
): EventWriter<MessageShape<Desc>> {
  if (io.events === 'lines' || io.events === 'tui') return people;
  if (io.events === 'ndjson') {
    return { event: (event) => io.stdout.write(ndjsonLine(desc, event)), end: async () => {} };
  }
  const items: string[] = [];
  return {
    event: async (event) => {
      items.push(indentJson(encodeJson(desc, event), '  '));
    },
    end: async (ending = 'complete') => {
      // A failure before the first event is an error without a result.
      if (items.length > 0) await io.stdout.write(`[\n  ${items.join(',\n  ')}\n]\n`);
      else if (ending === 'complete') await io.stdout.write('[]\n');
    },
  };
}
