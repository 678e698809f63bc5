export interface Page<T> {
  items: readonly T[];
  nextToken: string | undefined;
}

/** The items of all pages, at most `limit`. `fetch` gets how many are still wanted and the token of the page. */
export async function* pages<T>(
  fetch: (wanted: number, nextToken: string | undefined) => Promise<Page<T>>,
  limit: number,
): AsyncGenerator<T> {
  let left = limit;
  let token: string | undefined;
  while (left > 0) {
    const { items, nextToken } = await fetch(left, token);
    yield* items.slice(0, left);
    left -= items.length;
    if (nextToken === undefined) return;
    token = nextToken;
  }
}
