import { describe, expect, test } from 'vitest';
import { useService } from '../service.fixture.ts';
import { HANDLERS, KINDS, TARGET_SERVICES, X } from './targets.fixture.ts';

const against = useService(TARGET_SERVICES);

describe('layout', () => {
  const shown = async (columns: number, ...args: string[]) => {
    const { svc } = await against(HANDLERS);
    const options = { terminal: true, columns };
    return `\n${(await svc([...args, '--no-color'], options)).stdout}`;
  };
  test.each([60, 80, 200])('lists on %i columns', async (columns) => {
    const lists = [];
    for (const { noun } of KINDS) lists.push(await shown(columns, noun, 'list'));
    expect(lists.join('')).toMatchSnapshot();
  });
  test.each([40, 60, 200])('an LLM on %i columns', async (columns) => {
    expect(await shown(columns, 'llms', 'get', X)).toMatchSnapshot();
  });
  test('an embedder and a reranker on 80 columns', async () => {
    expect(await shown(80, 'embedders', 'get', X)).toMatchSnapshot();
    expect(await shown(80, 'rerankers', 'get', X)).toMatchSnapshot();
  });
});
