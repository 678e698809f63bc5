import { type ReactElement, type ReactNode, useLayoutEffect } from 'react';
import { aborted, firstOf } from '../../shared/async/abort.ts';
import { MemoryService, type RetrieveMemoryEvent } from '../../shared/gen/service/v1/memory_pb.ts';
import type { Client } from '../kit/client/client.ts';
import type { EventWriter } from '../kit/output/event-writer.ts';
import type { Io, Terminal } from '../kit/output/io.ts';
import { openScreen, type Screen } from '../kit/output/screen.tsx';
import { oneLine } from '../kit/text/printable.ts';
import { Browser } from './browser.ts';
import { BrowserView } from './browser-view.tsx';
import { type EntryReader, readerOf } from './entries.ts';
import { passEvents } from './events.ts';
import { type RetrieveViewOptions, retrieveLines } from './lines.ts';
import { pageOf } from './listed.tsx';
import { createFrames } from './parts.tsx';
import { entryLines, searchText } from './passage.ts';
import type { RetrieveRequest } from './request.ts';

interface BrowseContext {
  io: Io;
  terminal: Terminal;
  client: Client;
  signal: AbortSignal;
}

/** Shows the results as a list to browse until the user leaves it, then prints the ids that were copied. */
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

/** Without results the events are written as lines, with what to do next, instead of an empty list. */
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

type Output = Terminal['stdout'];

// The second buffer, which leaves what was on the screen before as it was; from its first cell.
const ENTER = '\u001b[?1049h\u001b[H';
const LEAVE = '\u001b[?1049l';

/**
 * A screen of its own that fills the terminal but for its last row and vanishes at its end, whatever ends it: Ink
 * unmounts its components also when the process exits.
 */
async function openFullScreen(terminal: Terminal, node: ReactNode): Promise<Screen> {
  const { stdout } = terminal;
  const framed = (picture: ReactNode): ReactElement => <FullScreen stdout={stdout}>{picture}</FullScreen>;
  stdout.write(ENTER);
  try {
    const screen = await openScreen({ ...terminal, stdout: withoutHeight(stdout) }, framed(node));
    return { ...screen, render: (picture) => screen.render(framed(picture)) };
  } catch (error) {
    stdout.write(LEAVE);
    throw error;
  }
}

function FullScreen({ stdout, children }: { stdout: Output; children: ReactNode }): ReactElement {
  useLayoutEffect(() => () => void stdout.write(LEAVE), [stdout]);
  return <>{children}</>;
}

/** Ink clears the scrollback, that of the first buffer too, when a picture is as high as the terminal has become. */
function withoutHeight(stdout: Output): Output {
  return new Proxy(stdout, {
    get: (target, name) => {
      if (name === 'rows') return Number.POSITIVE_INFINITY;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** Puts one line of text into the clipboard of the terminal, and returns what went there. */
function copyText(stdout: Pick<NodeJS.WriteStream, 'write'>, text: string): string {
  // What is pasted must not end a line: a shell would run it.
  const line = oneLine(text);
  // OSC 52 reaches the terminal also over ssh. One that does not know it shows nothing.
  stdout.write(`\u001b]52;c;${Buffer.from(line).toString('base64')}\u0007`);
  return line;
}
