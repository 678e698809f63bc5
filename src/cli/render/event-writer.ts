import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { encodeJson } from '../../shared/json/encode.ts';
import { ndjsonLine } from '../../shared/json/ndjson.ts';
import type { Io } from '../io.ts';
import { indentJson } from './indent-json.ts';

/** Takes the events of a stream one by one. `end` is called once, also after a failure. */
export interface EventWriter<T> {
  event(event: T): Promise<void>;
  end(): Promise<void>;
}

/** Writes events in the form that was decided; `lines` shows them to people. */
export function eventWriter<Desc extends DescMessage>(
  io: Io,
  desc: Desc,
  lines: EventWriter<MessageShape<Desc>>,
): EventWriter<MessageShape<Desc>> {
  if (io.events === 'lines' || io.events === 'tui') return lines;
  if (io.events === 'ndjson') {
    return { event: (event) => io.stdout.write(ndjsonLine(desc, event)), end: async () => {} };
  }
  const items: string[] = [];
  return {
    event: async (event) => {
      items.push(indentJson(encodeJson(desc, event), '  '));
    },
    end: () => io.stdout.write(items.length === 0 ? '[]\n' : `[\n  ${items.join(',\n  ')}\n]\n`),
  };
}
