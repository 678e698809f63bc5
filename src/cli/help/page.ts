/** One line of a list: a name as it is typed, and what it means. */
export interface Term {
  readonly term: string;
  readonly text: string;
}

/** Texts may hold `code` between backticks. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'terms'; readonly rows: readonly Term[] }
  /** Lines to copy: never wrapped. */
  | { readonly kind: 'code'; readonly lines: readonly string[] };

export interface Section {
  /** "" for what stands below the summary without a heading. */
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** What help says about something. The terminal, the man pages and the Markdown reference are made from the same page. */
export interface Page {
  /** As it is typed: `svc spaces create`; of a topic `svc help filters`. */
  readonly name: string;
  /** One line without a full stop. */
  readonly summary: string;
  /** Forms of the call; none for a topic. */
  readonly usage: readonly string[];
  readonly sections: readonly Section[];
}
