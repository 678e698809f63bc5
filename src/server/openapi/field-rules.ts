import { type DescField, getOption } from '@bufbuild/protobuf';
import { type Rules, rules } from '../../shared/gen/service/v1/options_pb.ts';

const read = new WeakMap<DescField, Rules>();

/** The rules of a field, read once: an option is decoded at every look, and that took most of the time here. */
export function rulesOf(field: DescField): Rules {
  const known = read.get(field) ?? getOption(field, rules);
  read.set(field, known);
  return known;
}
