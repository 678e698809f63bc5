import type { ReactElement } from 'react';
import { aborted, firstOf } from '../../../shared/async/abort.ts';
import { MemoryService, type RetrieveMemoryEvent } from '../../../shared/gen/service/v1/memory_pb.ts';
import type { Client } from '../../kit/client/client.ts';
import type { EventWriter } from '../../kit/output/event-writer.ts';
import type { Io, Terminal } from '../../kit/output/io.ts';
import { Browser } from '../../retrieval/browser.ts';
import { type EntryReader, readerOf } from '../../retrieval/entries.ts';
import { passEvents } from '../../retrieval/pass-events.ts';
import type { RetrieveRequest } from '../../retrieval/request.ts';
import { entryLines, searchText } from '../entry-lines.ts';
import { type RetrieveViewOptions, retrieveLines } from '../retrieve-lines.ts';
import { copyText } from './clipboard.ts';
import { createFrames } from './frames.ts';
import { openFullScreen } from './parts/full-screen.tsx';
import { BrowserView } from './retrieve-browser-view.tsx';
import { pageOf } from './retrieve-page.ts';

export interface BrowseContext {
  io: Io;
  terminal: Terminal;
  client: Client;
  signal: AbortSignal;
}

/** Lets one browse the results until one leaves. The ids that were copied are printed after that. */
export async function browseResults(
  context: BrowseContext,
  request: RetrieveRequest,
  options: RetrieveViewOptions,
): Promise<void> {
  const { io, client, signal } = context;
  const leaving = new AbortController();
  const ended = firstOf(signal, leaving.signal);
  const list = await openList(context, options, { leave: () => leaving.abort(), ended });
  try {
    const events = client.stream(MemoryService.method.retrieveMemory, request, { signal: ended });
    const failure = await passEvents(events, list.writer, ended).then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    // The list stays after a failure too: what has come can be read.
    if (list.results() > 0) await Promise.race([aborted(ended), list.broken]);
    signal.throwIfAborted();
    if (failure !== undefined && !isOwn(failure.error, leaving.signal)) throw failure.error;
  } finally {
    await list.close();
    for (const id of list.copied) await io.stdout.write(`${id}\n`);
  }
  if (list.results() === 0 && !leaving.signal.aborted) await tellNothing(io, options, list.events);
}

interface List {
  writer: EventWriter<RetrieveMemoryEvent>;
  /** What came before the first result. */
  events: readonly RetrieveMemoryEvent[];
  results(): number;
  copied: ReadonlySet<string>;
  /** Rejects when drawing failed. */
  broken: Promise<unknown>;
  close(): Promise<void>;
}

async function openList(
  { io, terminal, client }: BrowseContext,
  options: RetrieveViewOptions,
  { leave, ended }: { leave: () => void; ended: AbortSignal },
): Promise<List> {
  const { stdout } = terminal;
  const reader = readerOf(options.plan);
  const since = io.now();
  const events: RetrieveMemoryEvent[] = [];
  const copied = new Set<string>();
  const browser = new Browser(reader.progress, {
    load: (entry) => entryLines(entry, client, ended),
    copy: (id) => copied.add(copyText(stdout, id)),
    leave,
    interrupt: io.interrupt,
    changed: () => frames.request(),
    size: () => pageOf(stdout),
    searchText,
  });
  const picture = (): ReactElement => (
    <BrowserView
      state={browser.state}
      press={(key) => browser.press(key)}
      page={pageOf(stdout)}
      {...{ options, since }}
      now={io.now}
    />
  );
  const screen = await openFullScreen(terminal, picture());
  const frames = createFrames(() => screen.render(picture()));
  stdout.on('resize', frames.request);
  return {
    events,
    copied,
    broken: screen.ended,
    results: () => reader.progress.results,
    writer: writerInto(browser, { reader, events, since, now: io.now }),
    close: async () => {
      stdout.off('resize', frames.request);
      frames.stop();
      await screen.close();
    },
  };
}

interface Reading {
  reader: EntryReader;
  /** Gets what comes before the first result. */
  events: RetrieveMemoryEvent[];
  /** Epoch milliseconds at which the retrieval began. */
  since: number;
  now: () => number;
}

function writerInto(browser: Browser, { reader, events, since, now }: Reading): List['writer'] {
  return {
    event: async (event) => {
      if (reader.progress.results === 0) events.push(event);
      const entries = reader.read(event);
      browser.update({ progress: reader.progress }, entries);
    },
    end: async (how = 'complete') => browser.update({ progress: reader.progress, ending: { how, ms: now() - since } }),
  };
}

/** An empty list would be a riddle: what came is told in lines, with what to do next. */
async function tellNothing(
  io: Io,
  options: RetrieveViewOptions,
  events: readonly RetrieveMemoryEvent[],
): Promise<void> {
  const lines = retrieveLines(io, options);
  for (const event of events) await lines.event(event);
}

function isOwn(error: unknown, signal: AbortSignal): boolean {
  return signal.aborted && error === signal.reason;
}
