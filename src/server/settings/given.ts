import type { ConfigurationProblem } from './configuration-error.ts';
import type { Setting } from './setting.ts';
import { problemOf, type SettingSource } from './source.ts';
import { type FlagName, type SettingName, settingRows } from './table.ts';
import type { TextOrigin } from './value-type.ts';

/** Flags as a command-line parser hands them over: `true` for a bare flag, an array for a repeated one. */
export type FlagValues = { readonly [N in SettingName]?: string | boolean | readonly string[] };

export interface GivenInput {
  flags: FlagValues;
  env: Readonly<Record<string, string | undefined>>;
  /** `name=value` of every `-D` option. */
  properties: readonly string[];
}

interface Texts {
  texts: readonly string[];
  source: SettingSource;
  origin: TextOrigin;
}

export interface GivenValues {
  values: Map<SettingName, unknown>;
  sources: Map<SettingName, SettingSource>;
  problems: ConfigurationProblem[];
}

/** Everything that flags, variables and properties say, parsed; each setting from its highest-ranking source. */
export function readGiven(input: GivenInput): GivenValues {
  const given: GivenValues = { values: new Map(), sources: new Map(), problems: propertyProblems(input.properties) };
  for (const { flag, name, row } of settingRows()) {
    const found = textsOf(flag, name, row, input);
    if (found === undefined) continue;
    given.sources.set(name, found.source);
    const problem = parseInto(given.values, name, row, found);
    if (problem === undefined) continue;
    const remedy = row.remedy ?? `give a value as in --${flag} ${row.type.placeholder}`;
    given.problems.push(problemOf(flag, found.source, { problem, remedy }));
  }
  return given;
}

/** Parses and stores the value; returns what is wrong with it instead. */
function parseInto(
  values: Map<SettingName, unknown>,
  name: SettingName,
  row: Setting<unknown, unknown>,
  { texts, origin }: Texts,
): string | undefined {
  if (!row.type.acceptsBlank && texts.some(isBlank)) return 'has an empty value';
  const parsed = row.type.parse(texts, origin);
  if ('problem' in parsed) return parsed.problem;
  values.set(name, parsed.value);
  return undefined;
}

function textsOf(
  flag: FlagName,
  name: SettingName,
  row: Setting<unknown, unknown>,
  { flags, env, properties }: GivenInput,
): Texts | undefined {
  const onLine = flags[name];
  const texts: readonly string[] = Array.isArray(onLine) ? onLine : onLine === undefined ? [] : [String(onLine)];
  if (texts.length > 0) {
    return { texts, origin: 'flag', source: { kind: 'flag', text: `flag --${flag}` } };
  }
  const variable = env[row.env];
  if (variable !== undefined && (row.type.acceptsBlank || !isBlank(variable))) {
    const source: SettingSource = { kind: 'environment', text: `environment variable ${row.env}` };
    return { texts: [variable], origin: 'environment', source };
  }
  const prefix = `${row.property}=`;
  const property = row.property === undefined ? undefined : properties.findLast((entry) => entry.startsWith(prefix));
  if (property === undefined) return undefined;
  const source: SettingSource = { kind: 'property', text: `system property -D${row.property}` };
  return { texts: [property.slice(prefix.length)], origin: 'property', source };
}

/** A mistyped property would otherwise leave a built-in secret in force without a word. */
function propertyProblems(properties: readonly string[]): ConfigurationProblem[] {
  const known = settingRows().flatMap(({ row }) => row.property ?? []);
  const unknown = properties.map((entry) => entry.split('=', 1).join('')).filter((name) => !known.includes(name));
  return unknown.map((name) => ({
    flag: `-D${name}`,
    source: 'command line',
    problem: 'is not a system property of this server',
    remedy: `known are: ${known.join(', ')}`,
  }));
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}
