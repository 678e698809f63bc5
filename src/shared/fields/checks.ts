import type { DescField } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { NOT_A_UUID, type ViolationReason } from '../errors.ts';
import type { Rules } from '../gen/service/v1/options_pb.ts';
import { Format } from '../gen/service/v1/options_pb.ts';
import { enumNames } from '../json/enum-names.ts';
import { checkPlainJson } from '../json/plain-json.ts';
import { textProblem } from '../json/scalars.ts';
import { codePointLength } from '../text.ts';
import { MAX_EPOCH_MS, MIN_EPOCH_MS, timestampToMs } from '../time.ts';
import { rangeProblem, sizeProblem } from './bounds.ts';
import { formatProblem } from './formats.ts';

/** Receives a problem and its JSON path. */
export type Report = (path: string, problem: string, reason?: ViolationReason) => void;
/** Checks a value that is set and returns it, normalized where the rules say so. */
export type Check = (value: unknown, path: string, report: Report) => unknown;

/** The check of a single scalar or enum value. */
export function scalarCheck(field: DescField, rule: Rules): Check {
  if (field.enum !== undefined) {
    const { byNumber, problem } = enumNames(field.enum);
    return judge((value) => (byNumber.has(value as number) ? undefined : problem));
  }
  switch (field.scalar) {
    case ScalarType.STRING:
      return textCheck(rule);
    case ScalarType.BOOL:
      return (value) => value;
    case ScalarType.BYTES:
      return judge((value) =>
        sizeProblem((value as Uint8Array).length, { min: rule.minLen, max: rule.maxLen }, 'byte'),
      );
    default:
      return numberCheck(rule);
  }
}

function judge(problemOf: (value: unknown) => string | undefined): Check {
  return (value, path, report) => {
    const problem = problemOf(value);
    if (problem !== undefined) report(path, problem);
    return value;
  };
}

function textCheck(rule: Rules): Check {
  const size = { min: rule.minLen, max: rule.maxLen };
  const { format, allowNul } = rule;
  return (value, path, report) => {
    const text = value as string;
    const problem = textProblem(text, { allowNul }) ?? sizeProblem(codePointLength(text), size, 'character');
    if (problem !== undefined) report(path, problem);
    else {
      const misformed = formatProblem(format, text);
      if (misformed !== undefined) report(path, misformed, format === Format.UUID ? NOT_A_UUID.reason : undefined);
    }
    return format === Format.UUID ? text.toLowerCase() : text;
  };
}

function numberCheck(rule: Rules): Check {
  const { min, max } = rule;
  return (value, path, report) => {
    const number = Number(value);
    if (rule.clamp && Number.isFinite(number)) {
      const moved = Math.max(min ?? number, Math.min(max ?? number, number));
      if (moved !== number) return typeof value === 'bigint' ? BigInt(moved) : moved;
    }
    const problem = rangeProblem(number, rule);
    if (problem !== undefined) report(path, problem);
    return value;
  };
}

/** A Timestamp from the binary wire may hold anything. */
export const checkTimestamp: Check = judge((value) => {
  const { nanos } = value as Timestamp;
  const ms = timestampToMs(value as Timestamp);
  const fits = ms >= MIN_EPOCH_MS && ms <= MAX_EPOCH_MS && nanos >= 0 && nanos < 1e9;
  return fits ? undefined : 'must be a time in the years 1 to 9999';
});

/** The check of a free-form object: its texts and numbers, how many members it has and how large it is as JSON. */
export function objectCheck(rule: Rules): Check {
  const count = { min: rule.minItems, max: rule.maxItems };
  return (value, path, report) => {
    const tooMany = sizeProblem(Object.keys(value as object).length, count, 'member');
    if (tooMany !== undefined) report(path, tooMany);
    // Only a sound object is sized: JSON.stringify recurses as deep as its input does.
    else if (checkPlainJson(value, path, report, rule) && rule.maxJsonBytes !== undefined) {
      const bytes = Buffer.byteLength(JSON.stringify(value));
      if (bytes > rule.maxJsonBytes) report(path, `must take at most ${rule.maxJsonBytes} bytes as JSON`);
    }
    return value;
  };
}

/** Label keys and values have lengths of their own, and so have the keys of no other map. */
export function mapKeyProblem(rule: Rules, key: string): string | undefined {
  const problem = textProblem(key, rule);
  if (problem !== undefined || rule.format !== Format.LABELS) return problem;
  return sizeProblem(codePointLength(key), LABEL_KEY, 'character')?.replace('must', 'a key must');
}

const LABEL_KEY = { min: 1, max: 255 };

/** The rules of a map's values: those of labels, or none. */
export function mapValueRules(rule: Rules, none: Rules): Rules {
  const { format, allowNul } = rule;
  return format === Format.LABELS ? { ...none, allowNul, maxLen: 255 } : { ...none, allowNul };
}
