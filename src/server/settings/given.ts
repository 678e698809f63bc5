import { isUtf8 } from 'node:buffer';
import { closeSync, openSync, readSync } from 'node:fs';
import type { Setting } from './setting.ts';
import { type ConfigurationProblem, unreadable } from './settings-error.ts';
import {
  type FlagName,
  problemOf,
  type SecretFileNames,
  type SettingName,
  type SettingSource,
  secretFileNames,
  settingRows,
} from './table.ts';
import type { TextOrigin } from './value-type.ts';

/** Flags as a command-line parser hands them over: `true` for a bare flag, an array for a repeated one. */
export type ParsedFlags = {
  readonly [N in SettingName | SecretFileNames['name']]?: string | boolean | readonly string[];
};

interface GivenInput {
  flags: ParsedFlags;
  env: Readonly<Record<string, string | undefined>>;
  /** `name=value` of every `-D` option. */
  properties: readonly string[];
}

interface Texts {
  texts: readonly string[];
  source: SettingSource;
  origin: TextOrigin;
}

/** Where a setting was given, and why its text could not be read from there. */
interface Unread {
  source: SettingSource;
  problem: string;
  remedy: string;
}

interface GivenValues {
  values: Map<SettingName, unknown>;
  sources: Map<SettingName, SettingSource>;
  problems: ConfigurationProblem[];
}

/** Everything that flags, variables, files and properties say, parsed; each setting from its highest-ranking source. */
export function readGiven(input: GivenInput): GivenValues {
  const given: GivenValues = { values: new Map(), sources: new Map(), problems: propertyProblems(input.properties) };
  for (const { flag, name, row } of settingRows()) {
    const found = textsOf(flag, name, row, input);
    if (found === undefined) continue;
    given.sources.set(name, found.source);
    const problem = 'problem' in found ? found.problem : parseInto(given.values, name, row, found);
    if (problem === undefined) continue;
    const byRow = row.remedy ?? `write it as --${flag} ${row.type.placeholder}`;
    given.problems.push(problemOf(flag, found.source, { problem, remedy: 'remedy' in found ? found.remedy : byRow }));
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
): Texts | Unread | undefined {
  const file = secretFileNames(flag);
  const onLine = flagTexts(flags[name]);
  const fileOnLine = file === undefined ? undefined : flagTexts(flags[file.name]).at(-1);
  const source: SettingSource = { kind: 'flag', text: `flag --${flag}` };
  if (onLine.length > 0 && fileOnLine !== undefined) return both(source, `--${flag}`, `--${file?.flag}`);
  if (onLine.length > 0) return { texts: onLine, origin: 'flag', source };
  if (fileOnLine !== undefined) return fromFile(fileOnLine, 'flag', `flag --${file?.flag}`);
  return fromEnvironment(row, file, env) ?? fromProperty(row, properties);
}

function flagTexts(given: ParsedFlags[SettingName]): readonly string[] {
  if (given === undefined) return [];
  return typeof given === 'object' ? given : [String(given)];
}

function fromEnvironment(
  row: Setting<unknown, unknown>,
  file: SecretFileNames | undefined,
  env: GivenInput['env'],
): Texts | Unread | undefined {
  const variable = env[row.env];
  const isGiven = variable !== undefined && (row.type.acceptsBlank || !isBlank(variable));
  const path = file === undefined ? undefined : env[file.variable];
  const source: SettingSource = { kind: 'environment', text: `environment variable ${row.env}` };
  if (file === undefined || path === undefined || isBlank(path)) {
    return isGiven ? { texts: [variable], origin: 'environment', source } : undefined;
  }
  if (isGiven) return both(source, row.env, file.variable);
  return fromFile(path, 'environment', `environment variable ${file.variable}`);
}

function fromProperty(
  { property }: Setting<unknown, unknown>,
  properties: GivenInput['properties'],
): Texts | undefined {
  const prefix = `${property}=`;
  const entry = property === undefined ? undefined : properties.findLast((text) => text.startsWith(prefix));
  if (entry === undefined) return undefined;
  const source: SettingSource = { kind: 'property', text: `system property -D${property}` };
  return { texts: [entry.slice(prefix.length)], origin: 'property', source };
}

function fromFile(path: string, origin: TextOrigin, named: string): Texts | Unread {
  const source: SettingSource = { kind: 'file', text: isBlank(path) ? named : `file ${path} (${named})` };
  const unread = { source, remedy: 'give a file that the server may read and that contains only the value' };
  if (isBlank(path)) return { ...unread, problem: 'has an empty file name' };
  const read = readSecretFile(path);
  return 'problem' in read ? { ...unread, ...read } : { texts: [read.text], origin, source };
}

/** The value is given twice, and which one counts would be a guess. */
function both(source: SettingSource, value: string, file: string): Unread {
  return { source, problem: `is given together with ${file}`, remedy: `give ${value} or ${file}, not both` };
}

/** A mistyped property would otherwise silently leave a built-in secret in force. */
function propertyProblems(properties: readonly string[]): ConfigurationProblem[] {
  const known = settingRows().flatMap(({ row }) => row.property ?? []);
  const unknown = properties.map((entry) => entry.split('=', 1).join('')).filter((name) => !known.includes(name));
  return unknown.map((name) => ({
    flag: `-D${name}`,
    source: 'command line',
    problem: 'is not a system property of this server',
    remedy: `it has: ${known.join(', ')}`,
  }));
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Larger than any secret, and small enough to notice a mistyped path to a huge or endless file. */
const MAX_BYTES = 65_536;

/** The text of a file without its last line end, or what is wrong with the file. A pipe is read to its end. */
function readSecretFile(file: string): { text: string } | { problem: string } {
  let bytes: Buffer;
  try {
    bytes = readAtMost(file, MAX_BYTES + 1);
  } catch (error) {
    return { problem: unreadable(file, error) };
  }
  if (bytes.length > MAX_BYTES) return { problem: `${file} is larger than ${MAX_BYTES} bytes, too large for a secret` };
  if (!isUtf8(bytes)) return { problem: `${file} is not UTF-8 text` };
  return { text: bytes.toString('utf8').replace(/\r?\n$/, '') };
}

function readAtMost(file: string, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  const descriptor = openSync(file, 'r');
  try {
    let length = 0;
    while (length < bytes) {
      const read = readSync(descriptor, buffer, length, bytes - length, null);
      if (read === 0) break;
      length += read;
    }
    return buffer.subarray(0, length);
  } finally {
    closeSync(descriptor);
  }
}
