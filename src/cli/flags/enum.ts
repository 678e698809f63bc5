import type { DescEnum, EnumShape } from '@bufbuild/protobuf';
import { enumNames } from '../../shared/json/enum-names.ts';
import type { Flag } from './flag.ts';
import { choice } from './kinds.ts';

/** A value of an enum of the contract, by the name that JSON shows. */
export function enumChoice<Desc extends DescEnum>(
  term: string,
  description: string,
  desc: Desc,
): Flag<EnumShape<Desc> | undefined> & { readonly choices: readonly string[] } {
  const { byNumber, byName } = enumNames(desc);
  const names = [...byNumber].filter(([number]) => number !== 0).map(([, name]) => name);
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
