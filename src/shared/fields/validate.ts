import { create, type DescField, type DescMessage, getOption, type MessageShape, ScalarType } from '@bufbuild/protobuf';
import { isScalarZeroValue } from '@bufbuild/protobuf/reflect';
import type { Violation } from '../errors.ts';
import { type Rules, RulesSchema, rules } from '../gen/service/v1/options_pb.ts';
import { hasImplicitPresence, unwrappedField } from '../json/options.ts';
import { MAX_VIOLATIONS, memberPath } from '../json/problems.ts';
import { rangeProblem, sizeProblem } from './bounds.ts';
import {
  type Check,
  checkTimestamp,
  mapKeyProblem,
  mapValueRules,
  objectCheck,
  type Report,
  scalarCheck,
} from './checks.ts';

interface ValidateOptions {
  /** JSON names of top-level lists whose items are judged one by one elsewhere: only their number is checked here. */
  itemsElsewhere?: readonly string[];
}

type Fields = Record<string, unknown>;
interface MemberCheck {
  readonly field: DescField;
  readonly check: Check;
  /** Judges the field when it is not set, or holds the default that says so. */
  readonly whenUnset: string | undefined;
  /** A list without its items. */
  readonly count: Check;
}

const NO_RULES = create(RulesSchema);

const compiled = new WeakMap<DescMessage, MemberCheck[]>();

/**
 * Everything in a message that breaks the `rules` of its fields, as JSON paths with their problems; empty when it is sound.
 * UUIDs are lowered and clamped numbers moved in place. Which member of a oneof must be given is for the caller to judge.
 */
export function validateMessage<Desc extends DescMessage>(
  desc: Desc,
  message: MessageShape<Desc>,
  options: ValidateOptions = {},
): Violation[] {
  const violations: Violation[] = [];
  const report: Report = (path, problem, reason) => {
    if (violations.length >= MAX_VIOLATIONS) return;
    violations.push(reason === undefined ? { path, problem } : { path, problem, reason });
  };
  checkMessage(checksOf(desc), message as unknown as Fields, '', report, options);
  return violations;
}

function checkMessage(
  members: readonly MemberCheck[],
  message: Fields,
  path: string,
  report: Report,
  { itemsElsewhere = [] }: ValidateOptions = {},
): void {
  for (const { field, check, whenUnset, count } of members) {
    const holder = field.oneof === undefined ? message : chosen(message, field, field.oneof.localName);
    if (holder === undefined) continue;
    const key = field.oneof === undefined ? field.localName : 'value';
    const value = holder[key];
    const where = memberPath(path, field.jsonName);
    if (isUnset(field, value)) {
      if (whenUnset !== undefined) report(where, whenUnset);
    } else if (itemsElsewhere.includes(field.jsonName)) {
      count(value, where, report);
    } else {
      const checked = check(value, where, report);
      if (checked !== value) holder[key] = checked;
    }
  }
}

/** The oneof's `{case, value}` when the field is the member in use. */
function chosen(message: Fields, field: DescField, oneof: string): Fields | undefined {
  const member = message[oneof] as Fields & { case?: string };
  return member.case === field.localName ? member : undefined;
}

function checksOf(desc: DescMessage): MemberCheck[] {
  const known = compiled.get(desc);
  if (known !== undefined) return known;
  const members: MemberCheck[] = [];
  // Registered before it is filled, so that a message that contains itself ends.
  compiled.set(desc, members);
  for (const field of desc.fields) {
    const rule = getOption(field, rules);
    const whenUnset = unsetProblem(field, rule);
    members.push({ field, check: fieldCheck(field, rule), whenUnset, count: countCheck(rule) });
  }
  return members;
}

function fieldCheck(field: DescField, rule: Rules): Check {
  switch (field.fieldKind) {
    case 'list':
      return listCheck(rule, itemCheck(field, rule));
    case 'map':
      return mapCheck(rule, itemCheck(field, mapValueRules(rule, NO_RULES)));
    default:
      return itemCheck(field, rule);
  }
}

function itemCheck(field: DescField, rule: Rules): Check {
  const desc = field.message;
  if (desc === undefined) return scalarCheck(field, rule);
  if (desc.typeName === 'google.protobuf.Timestamp') return checkTimestamp;
  if (desc.typeName === 'google.protobuf.Struct') return objectCheck(rule);
  const inner = unwrappedField(desc);
  if (inner !== undefined) return wrapperCheck(inner, fieldCheck(inner, rule));
  const members = checksOf(desc);
  return (value, path, report) => {
    checkMessage(members, value as Fields, path, report);
    return value;
  };
}

/** JSON shows no wrapper, and so the rules of its field hold for what it wraps. */
function wrapperCheck(inner: DescField, check: Check): Check {
  return (value, path, report) => {
    const message = value as Fields;
    const content = message[inner.localName];
    if (!isUnset(inner, content)) message[inner.localName] = check(content, path, report);
    return value;
  };
}

function countCheck(rule: Rules): Check {
  const bounds = { min: rule.minItems, max: rule.maxItems };
  return (value, path, report) => {
    const problem = sizeProblem((value as unknown[]).length, bounds, 'item');
    if (problem !== undefined) report(path, problem);
    return value;
  };
}

function listCheck(rule: Rules, item: Check): Check {
  const bounds = { min: rule.minItems, max: rule.maxItems };
  return (value, path, report) => {
    const items = value as unknown[];
    const problem = sizeProblem(items.length, bounds, 'item');
    if (problem === undefined) return items.map((entry, index) => item(entry, `${path}[${index}]`, report));
    // What is too long is not looked at further.
    report(path, problem);
    return items;
  };
}

function mapCheck(rule: Rules, item: Check): Check {
  const bounds = { min: rule.minItems, max: rule.maxItems };
  return (value, path, report) => {
    const entries = Object.entries(value as Fields);
    const problem = sizeProblem(entries.length, bounds, 'entry');
    if (problem !== undefined) report(path, problem);
    else for (const [key, entry] of entries) checkEntry(key, entry, path, report);
    return value;
  };

  function checkEntry(key: string, entry: unknown, path: string, report: Report): void {
    const problem = mapKeyProblem(rule, key);
    // A bad key is told at its map, for it may be too long or impossible to print.
    if (problem === undefined) item(entry, memberPath(path, key), report);
    else report(path, problem);
  }
}

/** Whether a field holds no value, or the default that cannot be told from none. */
function isUnset(field: DescField, value: unknown): boolean {
  if (value === undefined) return true;
  switch (field.fieldKind) {
    case 'list':
      return (value as unknown[]).length === 0;
    case 'map':
      return Object.keys(value as object).length === 0;
    case 'message':
      return false;
    case 'enum':
      return hasImplicitPresence(field) && value === 0;
    case 'scalar':
      return hasImplicitPresence(field) && isScalarZeroValue(field.scalar, value);
  }
}

/**
 * What to say of a field without a value; `undefined` when it may lack one. Bounds that exclude the default speak first,
 * being true both of a default that was given and of a value that was left out. A required number whose bounds allow 0 is
 * judged by the JSON reader, which still sees what was given.
 */
function unsetProblem(field: DescField, rule: Rules): string | undefined {
  const required = rule.required ? 'is required' : undefined;
  if (field.fieldKind === 'list' || field.fieldKind === 'map') {
    return sizeProblem(0, { min: rule.minItems, max: rule.maxItems }, 'item') ?? required;
  }
  if (field.fieldKind !== 'scalar' || !hasImplicitPresence(field) || !rule.required) return required;
  switch (field.scalar) {
    case ScalarType.STRING:
      return sizeProblem(0, { min: rule.minLen, max: rule.maxLen }, 'character') ?? required;
    case ScalarType.BYTES:
      return sizeProblem(0, { min: rule.minLen, max: rule.maxLen }, 'byte') ?? required;
    case ScalarType.BOOL:
      return undefined;
    default:
      return rangeProblem(0, rule);
  }
}
