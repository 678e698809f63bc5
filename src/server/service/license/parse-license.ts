import { SETTINGS } from '../../settings/table.ts';
import type { ValueType } from '../../settings/value-type.ts';
import { readVersionedJson, unknownKey } from '../../settings/versioned-json.ts';
import type { RateLimits } from '../rate-limit/rate-limiter.ts';

/** A license file that cannot be used. The message is a phrase that follows the file's name. */
export class LicenseProblem extends Error {
  override readonly name = 'LicenseProblem';
}

/** The bounds are those of the settings that a license stands in for. */
const MEMBERS: Record<keyof RateLimits, ValueType<number>> = {
  max: SETTINGS['rate-limit-max'].type,
  windowSeconds: SETTINGS['rate-limit-window-s'].type,
};

/**
 * What a license file says, e.g. `{"version":1,"rateLimit":{"max":600,"windowSeconds":60}}`. What it leaves out keeps its
 * default. Throws LicenseProblem with everything that is wrong.
 */
export function parseLicense(text: string): Partial<RateLimits> {
  const { members, problems } = readVersionedJson(text, 'rateLimit');
  const limits: Partial<RateLimits> = {};
  problems.push(...readLimits(members, limits));
  if (problems.length > 0) throw new LicenseProblem(problems.join('; '));
  return limits;
}

function readLimits(rateLimit: Record<string, unknown>, into: Partial<RateLimits>): string[] {
  const problems: string[] = [];
  for (const [key, value] of Object.entries(rateLimit)) {
    if (!isMember(key)) {
      problems.push(unknownKey(`rateLimit.${key}`));
      continue;
    }
    // A string keeps its quotes and is refused with the same sentence as a number out of range.
    const parsed = MEMBERS[key].parse([JSON.stringify(value)], 'environment');
    if ('value' in parsed) into[key] = parsed.value;
    else problems.push(`rateLimit.${key}: ${parsed.problem}`);
  }
  return problems;
}

function isMember(key: string): key is keyof RateLimits {
  return Object.hasOwn(MEMBERS, key);
}
