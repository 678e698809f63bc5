import { renderTemplate } from '../../../../../src/server/workers/template/task.ts';
import type { TemplateItem, TemplateVariables } from '../../../../../src/server/workers/template/variables.ts';

export function item(over: Partial<TemplateItem> = {}): TemplateItem {
  return {
    index: 1,
    score: 0.83,
    chunkText: 'The boiler was serviced on 3 March.',
    chunkSequenceNumber: 0,
    memoryId: '01980000-0000-7000-8000-0000000000f1',
    chunkId: '01980000-0000-7000-8000-0000000000f2',
    chunkTimestamp: new Date('2026-03-03T09:30:01.400Z'),
    relativeTimeDescription: '2 days ago',
    memoryCreatedAt: new Date('2026-03-03T09:30:00Z'),
    memoryMetadata: { room: 'cellar', count: 3, ratio: 2.5, tags: ['heat', 'oil'], deep: { a: { b: 'c' } } },
    ...over,
  };
}

export function variables(over: Partial<TemplateVariables> = {}): TemplateVariables {
  return {
    userQuery: 'When was the boiler serviced?',
    dataSection: 'Retrieved data, most recent to oldest:',
    context: ['Hello', 'Hi'],
    results: [
      item(),
      item({ index: 2, score: 1, chunkText: 'Oil is low.', chunkSequenceNumber: null, memoryCreatedAt: null }),
    ],
    ...over,
  };
}

/** What a template prints, or how it fails: `syntax: Line 1: …`. */
export function outcome(template: string, given: TemplateVariables = variables()): string {
  const result = renderTemplate({ template, variables: given });
  return result.ok ? result.text : `${result.kind}: ${result.message}`;
}
