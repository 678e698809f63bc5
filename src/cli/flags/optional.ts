type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Only the members that have a value: a request says nothing about a flag that was not given. */
export function given<T extends object>(members: T): Given<T> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Given<T>;
}
