import type { DescEnum } from '@bufbuild/protobuf';
import { getOption } from '@bufbuild/protobuf';
import { json_full_names } from '../gen/service/v1/options_pb.ts';

interface EnumNames {
  /** The name that JSON shows, by number. */
  readonly byNumber: ReadonlyMap<number, string>;
  /** Every name that is accepted, short and full. */
  readonly byName: ReadonlyMap<string, number>;
  /** What to say about a name that is not accepted: `must be one of A, B`. */
  readonly problem: string;
}

const cache = new WeakMap<DescEnum, EnumNames>();

/** The JSON names of an enum's values, worked out once. */
export function enumNames(desc: DescEnum): EnumNames {
  const known = cache.get(desc);
  if (known !== undefined) return known;
  const names = compile(desc);
  cache.set(desc, names);
  return names;
}

function compile(desc: DescEnum): EnumNames {
  const prefix = sharedPrefix(desc);
  const full = getOption(desc, json_full_names);
  const byNumber = new Map<number, string>();
  const byName = new Map<string, number>();
  for (const { name, number } of desc.values) {
    const short = name.slice(prefix.length);
    byNumber.set(number, full ? name : short);
    byName.set(name, number).set(short, number);
  }
  const allowed = [...byNumber].filter(([number]) => number !== 0).map(([, name]) => name);
  return { byNumber, byName, problem: `must be one of ${allowed.join(', ')}` };
}

/**
 * The prefix as value 0 (`…_UNSPECIFIED`) shows it, if every value has it. The `sharedPrefix` of the descriptor derives it
 * from the enum's name instead, and so finds none for LLMProviderType ("l_l_m_provider_type_").
 */
function sharedPrefix(desc: DescEnum): string {
  const zero = desc.values.find(({ number }) => number === 0)?.name ?? '';
  if (!zero.endsWith('_UNSPECIFIED')) return '';
  const prefix = zero.slice(0, -'UNSPECIFIED'.length);
  return desc.values.every(({ name }) => name.startsWith(prefix)) ? prefix : '';
}
