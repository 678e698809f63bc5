import type { Ending } from '../kit/output/event-writer.ts';
import type { TextLine } from './card.ts';
import { type Entry, memoryIdOf, type RetrievalProgress } from './entries.ts';
import type { Key } from './keys.ts';

/** What can be listed: everything but "nothing found". */
export type ListedEntry = Exclude<Entry, { kind: 'nothing' }>;

/** An entry that was opened. Without lines its text is still on its way. */
export interface OpenEntry {
  readonly entry: ListedEntry;
  /** Lines for a width; undefined while the text is being fetched. */
  readonly linesOf: ((width: number) => readonly TextLine[]) | undefined;
  /** Why the text could not be fetched. */
  readonly problem: string | undefined;
  /** The first line that is shown; undefined before the place of the chunk is known. */
  readonly top: number | undefined;
}

export interface BrowserState {
  readonly entries: readonly ListedEntry[];
  readonly progress: RetrievalProgress;
  /** Undefined while the stream goes on. */
  readonly ending: { readonly how: Ending; readonly ms: number } | undefined;
  /** Only entries with this text are listed. */
  readonly filter: string;
  /** Characters go to the filter. */
  readonly isTyping: boolean;
  /** Place in the list as filtered. */
  readonly selected: number;
  readonly open: OpenEntry | undefined;
  readonly showsKeys: boolean;
  /** Said in the last row until the next key. */
  readonly remark: string;
}

interface BrowserActions {
  /** Fetches or makes the lines of an entry. */
  load(entry: ListedEntry): Promise<(width: number) => readonly TextLine[]>;
  copy(id: string): void;
  leave(): void;
  interrupt(): void;
  /** Something has to be drawn. */
  changed(): void;
  /** Rows for a text or a list, entries in a list, columns for a text. */
  size(): { rows: number; entries: number; columns: number };
  searchText(entry: ListedEntry): string;
}

/** The entries that the filter leaves. */
export function matchingEntries(
  { entries, filter }: Pick<BrowserState, 'entries' | 'filter'>,
  searchText: (entry: ListedEntry) => string,
): readonly ListedEntry[] {
  if (filter === '') return entries;
  const wanted = filter.toLowerCase();
  return entries.filter((entry) => searchText(entry).toLowerCase().includes(wanted));
}

/** A list of results that answers to keys. It draws nothing: that is done with its state. */
export class Browser {
  readonly #actions: BrowserActions;
  #state: BrowserState;

  constructor(progress: RetrievalProgress, actions: BrowserActions) {
    this.#actions = actions;
    this.#state = {
      entries: [],
      progress,
      ending: undefined,
      filter: '',
      isTyping: false,
      selected: 0,
      open: undefined,
      showsKeys: false,
      remark: '',
    };
  }

  get state(): BrowserState {
    return this.#state;
  }

  /** The stream has gone on, with entries or without. */
  update(
    change: Pick<BrowserState, 'progress'> & Partial<Pick<BrowserState, 'ending'>>,
    entries: readonly Entry[] = [],
  ): void {
    const more = entries.filter((entry) => entry.kind !== 'nothing');
    this.#set({ ...change, ...(more.length > 0 ? { entries: [...this.#state.entries, ...more] } : {}) });
    this.#actions.changed();
  }

  press(key: Key): void {
    this.#set({ remark: '' });
    const { isTyping, showsKeys, open } = this.#state;
    if (key === 'interrupt') this.#actions.interrupt();
    else if (isTyping) this.#pressWhileTyping(key);
    else if (isCharacter(key, 'q')) this.#actions.leave();
    else if (showsKeys) this.#set({ showsKeys: false });
    else if (isCharacter(key, '?')) this.#set({ showsKeys: true });
    else if (isCharacter(key, 'c')) this.#copySelected();
    else if (open === undefined) this.#pressInList(key);
    else this.#pressInText(key, open);
    this.#actions.changed();
  }

  #pressWhileTyping(key: Key): void {
    const { filter, selected } = this.#state;
    if (key === 'enter') this.#set({ isTyping: false });
    else if (key === 'escape') this.#filterBy('', { isTyping: false });
    else if (key === 'backspace') this.#filterBy([...filter].slice(0, -1).join(''));
    else if (typeof key === 'object') this.#filterBy(filter + key.character);
    else this.#moveTo(movedFrom(selected, key, this.#actions.size().entries) ?? selected);
  }

  #pressInList(key: Key): void {
    const { filter, selected } = this.#state;
    const place = movedFrom(selected, key, this.#actions.size().entries);
    if (place !== undefined) this.#moveTo(place);
    else if (key === 'enter' || key === 'right') this.#openSelected();
    else if (key === 'escape' && filter !== '') this.#filterBy('');
    else if (isCharacter(key, '/')) this.#set({ isTyping: true });
  }

  #pressInText(key: Key, open: OpenEntry): void {
    if (key === 'escape' || key === 'left') this.#set({ open: undefined });
    if (key === 'escape' || key === 'left' || open.linesOf === undefined) return;
    const { rows, columns } = this.#actions.size();
    const lines = open.linesOf(columns);
    const top = movedFrom(topOf(open, lines, rows), key, rows);
    if (top !== undefined) this.#set({ open: { ...open, top: clampTop(top, lines, rows) } });
  }

  #openSelected(): void {
    const entry = this.#selectedEntry();
    if (entry === undefined) return;
    const opened: OpenEntry = { entry, linesOf: undefined, problem: undefined, top: undefined };
    this.#set({ open: opened });
    const show = (change: Partial<OpenEntry>): void => {
      // Meanwhile it may have been closed, or another one opened.
      if (this.#state.open !== opened) return;
      this.#set({ open: { ...opened, ...change } });
      this.#actions.changed();
    };
    this.#actions.load(entry).then(
      (linesOf) => show({ linesOf }),
      (error: unknown) => show({ problem: error instanceof Error ? error.message : String(error) }),
    );
  }

  #copySelected(): void {
    const entry = this.#state.open?.entry ?? this.#selectedEntry();
    const id = entry === undefined ? undefined : memoryIdOf(entry);
    if (id !== undefined) this.#actions.copy(id);
    this.#set({ remark: id === undefined ? 'Only a result has an id to copy' : `Copied ${id}` });
  }

  #selectedEntry(): ListedEntry | undefined {
    return matchingEntries(this.#state, this.#actions.searchText)[this.#state.selected];
  }

  #filterBy(filter: string, change: Partial<BrowserState> = {}): void {
    this.#set({ ...change, filter, selected: 0 });
  }

  #moveTo(place: number): void {
    const last = matchingEntries(this.#state, this.#actions.searchText).length - 1;
    this.#set({ selected: Math.max(0, Math.min(last, place)) });
  }

  #set(change: Partial<BrowserState>): void {
    this.#state = { ...this.#state, ...change };
  }
}

/** The first line to show: at first the chunk near the top, with two lines of what is in front of it. */
export function topOf({ top }: OpenEntry, lines: readonly TextLine[], rows: number): number {
  const found = lines.findIndex(({ isFound }) => isFound);
  return clampTop(top ?? found - 2, lines, rows);
}

function clampTop(top: number, lines: readonly TextLine[], rows: number): number {
  return Math.max(0, Math.min(lines.length - rows, top));
}

/** Where a key of movement leads from a place; undefined when it is none. */
function movedFrom(place: number, key: Key, page: number): number | undefined {
  if (key === 'up' || isCharacter(key, 'k')) return place - 1;
  if (key === 'down' || isCharacter(key, 'j')) return place + 1;
  if (key === 'pageUp') return place - page;
  if (key === 'pageDown') return place + page;
  if (key === 'home') return 0;
  return key === 'end' ? Number.MAX_SAFE_INTEGER : undefined;
}

function isCharacter(key: Key, character: string): boolean {
  return typeof key === 'object' && key.character === character;
}
