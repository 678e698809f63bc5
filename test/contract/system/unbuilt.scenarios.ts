import { randomUUID } from 'node:crypto';
import { OPERATIONS, type OperationKey } from '../../../src/shared/operations/table.ts';
import { BUILT } from '../../support/built-operations.ts';
import type { Scenario } from '../scenario.fixture.ts';

/** Enough to fill the path of any route. */
const IDS = Object.fromEntries(
  ['userId', 'memoryId', 'llmId', 'rerankerId', 'spaceId', 'embedderId', 'apiKeyId'].map((name) => [
    name,
    randomUUID(),
  ]),
);

function pathOf(key: OperationKey): Record<string, unknown> {
  const path = OPERATIONS[key].rest[0]?.path ?? '';
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  return Object.fromEntries(names.map((name) => [name, name === 'pageIndex' ? 0 : IDS[name]]));
}

/** A server that drains is of no use to the scenarios after this one. */
const HARMLESS: Partial<Record<OperationKey, Record<string, unknown>>> = { drain: { timeoutSec: -1 } };

export const unbuilt: readonly Scenario[] = (Object.keys(OPERATIONS) as OperationKey[])
  .filter((key) => !BUILT.has(key))
  .map((key) => ({
    name: `${key} says UNIMPLEMENTED, and to a stranger only that a key is needed`,
    async run(stage) {
      const request = pathOf(key);
      await stage.refused(key, request, 'UNIMPLEMENTED');
      await stage.refused(key, request, 'UNAUTHENTICATED', { as: null });
    },
  }));

export const built: readonly Scenario[] = [...BUILT].map((key) => ({
  name: `${key} does not say UNIMPLEMENTED`,
  async run(stage) {
    const answer = await stage.wire.call(key, HARMLESS[key] ?? pathOf(key), { key: stage.caller.key });
    if (answer.ok) return;
    const isMissing = answer.code === 'UNIMPLEMENTED' || answer.message.startsWith('No such route');
    if (isMissing) throw new Error(`${key} is not built: ${answer.code} ${answer.message}`);
  },
}));
