import type { Ending } from '../render/event-writer.ts';
import type { TextLine } from '../render/retrieve-card.ts';
import { type Entry, memoryIdOf, type Progress } from './entries.ts';
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
  readonly progress: Progress;
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

export interface BrowserActions {
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

export interface Browser {
  readonly state: BrowserState;
  press(key: Key): void;
  update(change: Pick<BrowserState, 'progress'> & Partial<Pick<BrowserState, 'ending'>>, entry?: Entry): void;
}

/** The entries that the filter leaves. */
export function listed(
  { entries, filter }: Pick<BrowserState, 'entries' | 'filter'>,
  searchText: (entry: ListedEntry) => string,
): readonly ListedEntry[] {
  if (filter === '') return entries;
  const wanted = filter.toLowerCase();
  return entries.filter((entry) => searchText(entry).toLowerCase().includes(wanted));
}

/** A list of results that answers to keys. It draws nothing: that is done with its state. */
export function createBrowser(progress: Progress, actions: BrowserActions): Browser {
  let state: BrowserState = {
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
  const set = (change: Partial<BrowserState>): void => {
    state = { ...state, ...change };
  };

  const moveTo = (place: number): void => {
    const last = listed(state, actions.searchText).length - 1;
    set({ selected: Math.max(0, Math.min(last, place)) });
  };
  const filterBy = (filter: string): void => {
    set({ filter });
    moveTo(0);
  };

  const openSelected = (): void => {
    const entry = listed(state, actions.searchText)[state.selected];
    if (entry === undefined) return;
    const opened: OpenEntry = { entry, linesOf: undefined, problem: undefined, top: undefined };
    set({ open: opened });
    const show = (change: Partial<OpenEntry>): void => {
      // Meanwhile it may have been closed, or another one opened.
      if (state.open !== opened) return;
      set({ open: { ...opened, ...change } });
      actions.changed();
    };
    actions.load(entry).then(
      (linesOf) => show({ linesOf }),
      (error: unknown) => show({ problem: error instanceof Error ? error.message : String(error) }),
    );
  };

  const copySelected = (): void => {
    const entry = state.open?.entry ?? listed(state, actions.searchText)[state.selected];
    const id = entry === undefined ? undefined : memoryIdOf(entry);
    if (id !== undefined) actions.copy(id);
    set({ remark: id === undefined ? 'Only a result has an id to copy' : `Copied ${id}` });
  };

  const pressAnywhere = (key: Key): boolean => {
    if (key === 'interrupt') actions.interrupt();
    else if (isCharacter(key, 'q')) actions.leave();
    else if (isCharacter(key, 'c')) copySelected();
    else if (isCharacter(key, '?')) set({ showsKeys: true });
    else return false;
    return true;
  };

  const pressWhileTyping = (key: Key): void => {
    if (key === 'interrupt') actions.interrupt();
    else if (key === 'enter') set({ isTyping: false });
    else if (key === 'escape') {
      set({ isTyping: false });
      filterBy('');
    } else if (key === 'backspace') filterBy([...state.filter].slice(0, -1).join(''));
    else if (typeof key === 'object') filterBy(state.filter + key.character);
    else moveTo(movedFrom(state.selected, key, actions.size().entries) ?? state.selected);
  };

  const pressInList = (key: Key): void => {
    const place = movedFrom(state.selected, key, actions.size().entries);
    if (place !== undefined) moveTo(place);
    else if (key === 'enter' || key === 'right') openSelected();
    else if (key === 'escape' && state.filter !== '') filterBy('');
    else if (isCharacter(key, '/')) set({ isTyping: true });
  };

  const pressInText = (key: Key, open: OpenEntry): void => {
    if (key === 'escape' || key === 'left') set({ open: undefined });
    else if (open.linesOf !== undefined) scroll(key, open, open.linesOf);
  };

  const scroll = (key: Key, open: OpenEntry, linesOf: NonNullable<OpenEntry['linesOf']>): void => {
    const { rows, columns } = actions.size();
    const lines = linesOf(columns);
    const top = movedFrom(topOf(open, lines, rows), key, rows);
    if (top !== undefined) set({ open: { ...open, top: clampTop(top, lines, rows) } });
  };

  return {
    get state() {
      return state;
    },
    press: (key) => {
      set({ remark: '' });
      if (state.isTyping) pressWhileTyping(key);
      else if (state.showsKeys && key !== 'interrupt' && !isCharacter(key, 'q')) set({ showsKeys: false });
      else if (!pressAnywhere(key)) {
        if (state.open === undefined) pressInList(key);
        else pressInText(key, state.open);
      }
      actions.changed();
    },
    update: (change, entry) => {
      set(change);
      if (entry !== undefined && entry.kind !== 'nothing') set({ entries: [...state.entries, entry] });
      actions.changed();
    },
  };
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
