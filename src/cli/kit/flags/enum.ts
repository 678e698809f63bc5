import type { DescEnum, EnumShape } from '@bufbuild/protobuf';
import { enumNames } from '../../../shared/json/enum-names.ts';
import type { Flag } from './flag.ts';
import { choice } from './kinds.ts';

type Choice<T> = Flag<T> & { readonly choices: readonly string[] };

/** A value of an enum of the contract, by the name that JSON shows; of all its values, or of those in `only`. */
export function enumChoice<Desc extends DescEnum>(
  term: string,
  description: string,
  desc: Desc,
  only?: readonly EnumShape<Desc>[],
): Choice<EnumShape<Desc> | undefined> {
  const { byNumber, byName } = enumNames(desc);
  const offered: readonly number[] = only ?? [...byNumber.keys()].filter((number) => number !== 0);
  const names = offered.flatMap((number) => byNumber.get(number) ?? []);
  const flag = choice(term, description, names);
  return {
    term,
    description,
    choices: names,
    read: (texts) => {
      const name = flag.read(texts);
      return name === undefined ? undefined : (byName.get(name) as EnumShape<Desc>);
    },
  };
}

/** The same, repeatable. */
export function enumChoices<Desc extends DescEnum>(
  term: string,
  description: string,
  desc: Desc,
): Choice<readonly EnumShape<Desc>[]> {
  const one = enumChoice(term, description, desc);
  return { ...one, read: (texts) => texts.flatMap((text) => one.read([text]) ?? []) };
}
