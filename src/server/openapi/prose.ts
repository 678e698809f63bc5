import type { DescEnum, DescEnumValue, DescField, DescMessage, DescMethod, DescService } from '@bufbuild/protobuf';
import { COMMENTS } from '../../shared/gen/comments.ts';

/** The comment of a field in REST words: its sibling fields are named as JSON names them. "" when it has none. */
export function fieldProse(field: DescField): string {
  return jsonWords(COMMENTS[`${field.parent.typeName}.${field.name}`] ?? '', field.parent);
}

export function messageProse(desc: DescMessage): string {
  return jsonWords(COMMENTS[desc.typeName] ?? '', desc);
}

/** What an operation does, and its first sentence without the full stop. */
export function methodProse(method: DescMethod): { summary: string; description: string } {
  const description = jsonWords(COMMENTS[`${method.parent.typeName}.${method.name}`] ?? '', method.input);
  return { summary: /^.*?(?=[.:;](?:\s|$)|$)/.exec(description)?.[0] ?? '', description };
}

export function serviceProse(service: DescService): string {
  return COMMENTS[service.typeName] ?? '';
}

export function enumProse(desc: DescEnum): string {
  return COMMENTS[desc.typeName] ?? '';
}

export function enumValueProse(value: DescEnumValue): string {
  return COMMENTS[`${value.parent.typeName}.${value.name}`] ?? '';
}

/** Only names of fields nearby are replaced: a comment may also list values that are written in snake_case. */
function jsonWords(text: string, desc: DescMessage): string {
  return text.replace(/\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b/g, (word) => {
    return desc.fields.find((field) => field.name === word)?.jsonName ?? word;
  });
}
