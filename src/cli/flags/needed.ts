import { usageError } from '../failure.ts';
import { type FlagSet, type FlagValues, flagName } from './flag.ts';

type Present<T> = { readonly [K in keyof T]: Exclude<T[K], undefined> };

/** The values of flags that a command cannot do without. All that are missing are named at once. */
export function needed<F extends FlagSet, const K extends keyof F & string>(
  set: F,
  values: FlagValues<F>,
  keys: readonly K[],
): Present<Pick<FlagValues<F>, K>> {
  const missing = keys.filter((key) => values[key] === undefined).map((key) => `--${flagName(set[key]?.term ?? key)}`);
  const last = missing.pop();
  if (last === undefined) return values as Present<Pick<FlagValues<F>, K>>;
  throw usageError(missing.length === 0 ? `${last} is required` : `${missing.join(', ')} and ${last} are required`);
}
