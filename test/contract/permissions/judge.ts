import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Answer, Wire } from '../../support/wire.ts';
import { type Caller, NOBODIES, type Nobody, type Outcome, outcomesOf, PLACES, type Place } from './access.ts';
import type { Row, Subject } from './row.ts';
import type { World } from './world.fixture.ts';

interface Trial {
  row: Row;
  world: World;
  wire: Wire;
}

/** A call whose outcome is known beforehand. `holder` is the subject from which the caller's key follows. */
interface Attempt {
  where: Place | 'unknown';
  caller: Caller | Nobody;
  subject: Subject;
  expected: Outcome;
  holder?: Subject;
}

/** Calls the operation as everybody and throws a table of what was not as expected. */
export async function judge(row: Row, world: World, wire: Wire): Promise<void> {
  const trial: Trial = { row, world, wire };
  const failures: string[][] = [];
  for (const place of PLACES) {
    const line = row.access[place];
    if (line !== undefined) failures.push(...(await judgePlace(trial, place, outcomesOf(line))));
  }
  if (row.names !== undefined) failures.push(...(await judgeUnknown(trial, row.names)));
  if (failures.length > 0) throw new Error(tableOf(failures));
}

/** First who is refused, all upon one subject that must not change; then who is not, each upon its own if need be. */
async function judgePlace(trial: Trial, where: Place, outcomes: ReadonlyMap<Caller, Outcome>): Promise<string[][]> {
  const { row, world } = trial;
  const subject = await row.subject(world, where);
  const before = await row.look?.(world, subject);
  const refused = [...outcomes].filter(([, expected]) => expected !== 'OK');
  const failures = await failuresOf(trial, [
    // No resource is looked for before the key: one place says it for all.
    ...(where === 'private' ? NOBODIES : []).map((caller) => ({
      where,
      caller,
      subject,
      expected: nobodyOutcome(row),
    })),
    ...refused.map(([caller, expected]) => ({ where, caller, subject, expected })),
  ]);
  const after = await row.look?.(world, subject);
  if (!isDeepStrictEqual(before, after)) {
    failures.push([where, 'who is refused', 'no effect', `${JSON.stringify(before)} → ${JSON.stringify(after)}`]);
  }
  const allowed = [...outcomes.keys()].filter((caller) => outcomes.get(caller) === 'OK');
  const own = async () => (row.spends === true ? await row.subject(world, where) : subject);
  const attempts = await Promise.all(
    allowed.map(async (caller) => ({ where, caller, subject: await own(), expected: 'OK' as const })),
  );
  return [...failures, ...(await failuresOf(trial, attempts))];
}

async function judgeUnknown(trial: Trial, name: string): Promise<string[][]> {
  const { row, world } = trial;
  const line = row.access.unknown;
  if (line === undefined) throw new Error(`${row.operation} has no line for what does not exist`);
  const holder = await row.subject(world, 'private');
  const common = { where: 'unknown' as const, subject: { ...holder, [name]: randomUUID() }, holder };
  return failuresOf(trial, [
    { ...common, caller: 'no key', expected: nobodyOutcome(row) },
    ...[...outcomesOf(line)].map(([caller, expected]) => ({ ...common, caller, expected })),
  ]);
}

function nobodyOutcome({ access }: Row): Outcome {
  return access.nobody ?? 'UNAUTHENTICATED';
}

async function failuresOf(trial: Trial, attempts: readonly Attempt[]): Promise<string[][]> {
  return (await Promise.all(attempts.map((attempt) => failuresOfOne(trial, attempt)))).flat();
}

async function failuresOfOne({ row, world, wire }: Trial, attempt: Attempt): Promise<string[][]> {
  const { where, caller, subject, expected, holder = subject } = attempt;
  const key = await world.keyOf(caller, holder, row.keeper?.(holder));
  const got = outcomeOf(await callAs(row, world, wire, subject, key), row);
  if (got.code !== expected) return [[where, caller, expected, `${got.code} ${got.message}`]];
  // What a USER lacks is told by name; a restricted key is told of its restriction instead.
  const isPlain = caller === 'owner' || caller === 'another USER';
  if (!isPlain || expected !== 'PERMISSION_DENIED' || row.needs.some((name) => got.message.includes(name))) return [];
  return [[where, caller, `names ${row.needs.join(' or ')}`, got.message]];
}

async function callAs(row: Row, world: World, wire: Wire, subject: Subject, key: string | undefined): Promise<Answer> {
  if (row.send !== undefined) return await row.send(world, subject, key);
  if (row.operation === 'proxy') throw new Error('the proxy needs a form of REST');
  return await wire.call(row.operation, row.request(subject), { key });
}

const ITEM_CODES: Readonly<Record<number, string>> = { 403: 'PERMISSION_DENIED', 404: 'NOT_FOUND' };

function outcomeOf(answer: Answer, row: Row): { code: string; message: string } {
  if (!answer.ok) return { code: answer.code, message: `${answer.message} ${answer.details}` };
  if (row.batch !== true) return { code: 'OK', message: '' };
  const [item] = answer.body.results;
  if (item.success === true) return { code: 'OK', message: '' };
  return { code: ITEM_CODES[item.error.code as number] ?? `item ${item.error.code}`, message: item.error.message };
}

/** Columns in line, so that what the failures have in common can be seen. */
export function tableOf(failures: readonly string[][]): string {
  const rows = [['where', 'caller', 'expected', 'got'], ...failures];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return `\n${rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n')}`;
}
