import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { ServiceError, violationsText } from '../../../shared/errors.ts';
import { unwrappedField } from '../../../shared/json/options.ts';
import { OPERATIONS } from '../../../shared/operations/table.ts';

/**
 * An error with the names that fields have over gRPC: `spaceEmbedders[0].embedderId` becomes
 * `space_embedders[0].embedder_id`. Names that come from the caller, such as label keys and members of metadata, stay
 * as they are.
 */
export function inFieldNames(error: ServiceError, request: DescMessage): ServiceError {
  const { code, message, resource, retryAfterSeconds, cause } = error;
  if (error.violations === undefined) return error;
  const violations = error.violations.map((violation) => {
    const path = fieldPath(request, violation.path);
    const problem = violation.isQuoting === true ? violation.problem : inWords(violation.problem, path);
    return { ...violation, path, problem };
  });
  const details = violationsText(violations);
  return new ServiceError(code, message, { details, violations, resource, retryAfterSeconds, cause });
}

/** Paths of the items of a list begin below the item, so the first name may also be a field of an item. */
function fieldPath(request: DescMessage, path: string): string {
  const [first = '', ...others] = path.split('.');
  const start = fieldOf(request, first) ?? itemField(request, first) ?? NAMES.get(nameOf(first));
  if (start === undefined) return path;
  const named = [renamed(first, start)];
  let field: DescField | undefined = start;
  for (const [at, segment] of others.entries()) {
    const inner: DescField | undefined = field.message === undefined ? undefined : unwrappedField(field.message);
    if (inner !== undefined) {
      named.push(inner.name);
      field = inner;
    }
    const next: DescField | undefined =
      field.fieldKind === 'map' || field.message === undefined ? undefined : fieldOf(field.message, segment);
    if (next === undefined) return [...named, ...others.slice(at)].join('.');
    named.push(renamed(segment, next));
    field = next;
  }
  return named.join('.');
}

function fieldOf(desc: DescMessage, segment: string): DescField | undefined {
  return desc.fields.find(({ jsonName }) => jsonName === nameOf(segment));
}

function itemField(desc: DescMessage, segment: string): DescField | undefined {
  const items = desc.fields.flatMap((field) => (field.fieldKind === 'list' && field.message ? [field.message] : []));
  return items.map((item) => fieldOf(item, segment)).find((found) => found !== undefined);
}

/** Without its index. */
function nameOf(segment: string): string {
  return segment.replace(/\[\d+\]$/, '');
}

function renamed(segment: string, field: DescField): string {
  return `${field.name}${segment.slice(nameOf(segment).length)}`;
}

/** A problem may name other fields. `originalContentB64` is a name that only JSON has. */
function inWords(problem: string, path: string): string {
  const words = problem.replace(/\b[a-z]+(?:[A-Z][a-z0-9]*)+\b/g, (word) => NAMES.get(word)?.name ?? word);
  return path === 'original_content' ? words.replace(' unless originalContentB64 is given', '') : words;
}

/**
 * Every field of a request by its JSON name. Fields with the same JSON name also have the same name in the proto files.
 */
const NAMES: ReadonlyMap<string, DescField> = new Map(
  reachable(Object.values(OPERATIONS).map(({ rpc }) => rpc.input)).flatMap((desc) =>
    desc.fields.map((field) => [field.jsonName, field] as const),
  ),
);

function reachable(requests: readonly DescMessage[]): DescMessage[] {
  const found = new Set<DescMessage>();
  const add = (desc: DescMessage) => {
    if (found.has(desc)) return;
    found.add(desc);
    for (const { message } of desc.fields) if (message !== undefined) add(message);
  };
  for (const request of requests) add(request);
  return [...found];
}
