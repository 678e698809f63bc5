/** A key as the browser of results knows it, or a typed character. */
export type Key =
  | 'up'
  | 'down'
  | 'left'
  | 'right'
  | 'pageUp'
  | 'pageDown'
  | 'home'
  | 'end'
  | 'enter'
  | 'escape'
  | 'backspace'
  | 'interrupt'
  | { readonly character: string };

/** What the terminal's library says about one piece of input. */
interface PressedKey {
  upArrow: boolean;
  downArrow: boolean;
  leftArrow: boolean;
  rightArrow: boolean;
  pageUp: boolean;
  pageDown: boolean;
  home: boolean;
  end: boolean;
  return: boolean;
  escape: boolean;
  backspace: boolean;
  delete: boolean;
  ctrl: boolean;
  meta: boolean;
  tab: boolean;
}

const NAMES: readonly (readonly [name: keyof PressedKey, key: Exclude<Key, object>])[] = [
  ['upArrow', 'up'],
  ['downArrow', 'down'],
  ['leftArrow', 'left'],
  ['rightArrow', 'right'],
  ['pageUp', 'pageUp'],
  ['pageDown', 'pageDown'],
  ['home', 'home'],
  ['end', 'end'],
  ['return', 'enter'],
  ['escape', 'escape'],
  ['backspace', 'backspace'],
  // The backspace key of most terminals.
  ['delete', 'backspace'],
];

const CONTROLS: Readonly<Record<string, Key>> = {
  '\r': 'enter',
  '\n': 'enter',
  '\u0003': 'interrupt',
  '\u0008': 'backspace',
  '\u007f': 'backspace',
};

/** Keys that come in quick succession arrive as one text: each counts. */
export function keysOf(text: string, pressed: PressedKey): Key[] {
  if (pressed.ctrl) return text === 'c' ? ['interrupt'] : [];
  const named = NAMES.find(([name]) => pressed[name]);
  if (named !== undefined) return [named[1]];
  if (pressed.meta || pressed.tab) return [];
  return [...text].flatMap((character): Key[] => {
    const control = CONTROLS[character];
    if (control !== undefined) return [control];
    return /\p{Cc}/u.test(character) ? [] : [{ character }];
  });
}
