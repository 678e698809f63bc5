export interface Page<T> {
  items: readonly T[];
  nextToken: string | undefined;
}

/** Gets how many items are still wanted and the token of the page. */
export type FetchPage<T> = (wanted: number, nextToken: string | undefined) => Promise<Page<T>>;

/** The items of all pages, at most `limit`; `onCut` is called at the end when there are more. */
export async function* pages<T>(fetch: FetchPage<T>, limit: number, onCut: () => void = () => {}): AsyncGenerator<T> {
  let left = limit;
  let token: string | undefined;
  while (left > 0) {
    const { items, nextToken } = await fetch(left, token);
    yield* items.slice(0, left);
    left -= items.length;
    if (nextToken === undefined) return;
    token = nextToken;
  }
  onCut();
}
