import { isObject } from '../../../shared/json/is-object.ts';
import { SETTINGS } from '../../settings/table.ts';
import type { ValueType } from '../../settings/value-type.ts';
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
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new LicenseProblem('is not valid JSON');
  }
  if (!isObject(json)) throw new LicenseProblem('must be a JSON object');
  const { version, rateLimit = {}, ...rest } = json;
  const problems = Object.keys(rest).map((key) => `${key}: unknown key`);
  if (version === undefined) problems.push('version: missing, must be 1');
  else if (version !== 1) problems.push(`version: must be 1, got ${JSON.stringify(version)}`);
  const limits: Partial<RateLimits> = {};
  if (isObject(rateLimit)) problems.push(...readLimits(rateLimit, limits));
  else problems.push('rateLimit: must be an object');
  if (problems.length > 0) throw new LicenseProblem(problems.join('; '));
  return limits;
}

function readLimits(rateLimit: Record<string, unknown>, into: Partial<RateLimits>): string[] {
  const problems: string[] = [];
  for (const [key, value] of Object.entries(rateLimit)) {
    if (!isMember(key)) problems.push(`rateLimit.${key}: unknown key`);
    else if (typeof value !== 'number') problems.push(`rateLimit.${key}: must be a number`);
    else {
      const parsed = MEMBERS[key].parse([String(value)], 'environment');
      if ('value' in parsed) into[key] = parsed.value;
      else problems.push(`rateLimit.${key}: ${parsed.problem}`);
    }
  }
  return problems;
}

function isMember(key: string): key is keyof RateLimits {
  return Object.hasOwn(MEMBERS, key);
}
