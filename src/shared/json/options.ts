import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { getOption } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import { immutable, JsonForm, json, json_unwrap, rules } from '../gen/service/v1/options_pb.ts';

const forms = new WeakMap<DescField, JsonForm>();

/** How the field leaves the ordinary JSON mapping; UNSPECIFIED when it does not. Kept, for each look decodes the option. */
export function jsonForm(field: DescField): JsonForm {
  const form = forms.get(field) ?? getOption(field, json);
  forms.set(field, form);
  return form;
}

/** The one field that JSON shows in place of the message, when the message is such a wrapper. */
export function unwrappedField(desc: DescMessage): DescField | undefined {
  return getOption(desc, json_unwrap) ? desc.fields[0] : undefined;
}

/** JSON names that an update refuses as immutable. */
export function immutableNames(desc: DescMessage): ReadonlySet<string> {
  return new Set(getOption(desc, immutable));
}

/** The second JSON name of a bytes field that is given as text or as base64. */
export function base64Name(field: DescField): string | undefined {
  return jsonForm(field) === JsonForm.TEXT_OR_BASE64 ? `${field.jsonName}B64` : undefined;
}

/** Whether JSON leaves the list out when it is empty: because the reader refuses that, or it means the same. */
export function isLeftOutWhenEmpty(field: DescField): boolean {
  return getOption(field, rules).refuseEmpty || jsonForm(field) === JsonForm.OMIT_WHEN_EMPTY;
}

/** Whether the default value of the field cannot be told from a field that was left out. */
export function hasImplicitPresence(field: DescField): boolean {
  return field.presence === FeatureSet_FieldPresence.IMPLICIT;
}
