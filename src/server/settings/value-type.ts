export type Parsed<T> = { value: T } | { problem: string };

/** Where texts come from: only flags can be given several times, only variables have to pack a list into one text. */
export type TextOrigin = 'flag' | 'environment' | 'property';

/** How a setting's text becomes a value and back. */
export interface ValueType<T> {
  /** What help shows after the flag, e.g. `<port>`; `[true|false]` when the flag may stand bare. */
  readonly placeholder: string;
  /** A flag without a value means `true`. */
  readonly bare: boolean;
  /** The flag may be given several times and all of them count; otherwise the last one wins. */
  readonly repeatable: boolean;
  /** An empty text is a value of its own instead of an error (flag) or unset (variable). */
  readonly acceptsBlank: boolean;
  /** `texts` holds at least one text. A problem is a phrase that follows the flag's name, and never quotes a secret. */
  parse(texts: readonly string[], origin: TextOrigin): Parsed<T>;
  print(value: T): string;
}

interface ScalarOptions<T> {
  placeholder: string;
  parse: (text: string) => Parsed<T>;
  print?: (value: T) => string;
  bare?: boolean;
  acceptsBlank?: boolean;
}

export function scalar<T>({ placeholder, parse, print = String, bare, acceptsBlank }: ScalarOptions<T>): ValueType<T> {
  return {
    placeholder,
    bare: bare ?? false,
    repeatable: false,
    acceptsBlank: acceptsBlank ?? false,
    parse: (texts) => parse(texts.at(-1) ?? ''),
    print,
  };
}

export const bool: ValueType<boolean> = scalar({
  placeholder: '[true|false]',
  bare: true,
  parse: (text) => {
    const word = text.trim();
    if (word === 'true' || word === 'false') return { value: word === 'true' };
    return { problem: `must be true or false, got ${JSON.stringify(text)}` };
  },
});

interface Bounds {
  min: number;
  max: number;
}

/** An integer in decimal digits; nothing like `8e3`, `0x50` or `8080.0`. */
export function integer(placeholder: string, { min, max }: Bounds): ValueType<number> {
  return scalar({
    placeholder,
    parse: (text) => {
      const value = /^-?\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
      if (value >= min && value <= max) return { value };
      return { problem: `must be an integer from ${min} to ${max}, got ${JSON.stringify(text)}` };
    },
  });
}

/** A number in decimal digits with an optional fraction. */
export function decimal(placeholder: string, { min, max }: Bounds): ValueType<number> {
  return scalar({
    placeholder,
    parse: (text) => {
      const value = /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
      if (value >= min && value <= max) return { value };
      return { problem: `must be a number from ${min} to ${max}, got ${JSON.stringify(text)}` };
    },
  });
}

export function choice<const W extends string>(words: readonly W[]): ValueType<W> {
  return scalar({
    placeholder: `<${words.join('|')}>`,
    parse: (text) => {
      const value = words.find((word) => word === text.trim());
      if (value !== undefined) return { value };
      return { problem: `must be one of ${words.join(', ')}, got ${JSON.stringify(text)}` };
    },
  });
}

/** Any text, kept as it is: spaces may belong to a password or a path. */
export function text(placeholder: string): ValueType<string> {
  return scalar({ placeholder, parse: (value) => ({ value }) });
}

/** A secret that has to travel in an HTTP header, hence visible ASCII only. The problem does not quote it. */
export function headerSecret(placeholder: string): ValueType<string> {
  return scalar({
    placeholder,
    parse: (value) =>
      /^[\x21-\x7e]+$/.test(value)
        ? { value }
        : { problem: 'contains a character that an HTTP header cannot carry; it must be visible ASCII without spaces' },
  });
}

interface ListOptions {
  /** Also cut the value of a flag at commas; off for paths, which may hold commas. Variables are always cut. */
  commasInFlag: boolean;
  /** Returns what is wrong with one item, undefined when nothing is. */
  check?: (item: string) => string | undefined;
  /** The form in which an item that is right is kept. */
  canonical?: (item: string) => string;
}

export function list(
  placeholder: string,
  { commasInFlag, check, canonical }: ListOptions,
): ValueType<readonly string[]> {
  return {
    placeholder,
    bare: false,
    repeatable: true,
    acceptsBlank: false,
    parse: (texts, origin) => {
      const split = commasInFlag || origin !== 'flag';
      const items = texts.flatMap((part) => (split ? part.split(',') : [part])).map((item) => item.trim());
      const problems = items.flatMap((item) => (item === '' ? 'contains an empty item' : (check?.(item) ?? [])));
      if (problems.length > 0) return { problem: problems.join(', ') };
      return { value: [...new Set(canonical === undefined ? items : items.map(canonical))] };
    },
    print: (items) => items.join(','),
  };
}
