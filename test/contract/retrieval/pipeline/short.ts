import type { Json } from '../../../support/wire.ts';

/** The events of a stream, one line each, with what the ids and the clock leave to compare. */
export function shortStream(events: readonly Json[]): string[] {
  return events.map((event) => {
    const { resultSetBoundary, memoryDefinition, retrievedItem, abstractReply, status } = event;
    if (status !== undefined) return [status.code, ...Object.values(status.details)].join(' ');
    if (memoryDefinition !== undefined) return `memory ${memoryDefinition.memoryId}`;
    if (retrievedItem !== undefined) {
      const { memoryIndex, relevanceScore, chunk } = retrievedItem;
      return `item ${memoryIndex} ${relevanceScore.toFixed(6)} ${chunk.chunkText}`;
    }
    if (abstractReply !== undefined) return `reply ${JSON.stringify(withoutAge(abstractReply.text))}`;
    const { kind, stageName, expectedItems } = resultSetBoundary;
    return kind === 'BEGIN' ? `BEGIN ${stageName} ${expectedItems}` : `END${stageName}`;
  });
}

/** How long ago something was depends on when one looks. */
function withoutAge(text: string): string {
  return text.replace(/\((?:just now|\d+ minutes? ago), /g, '(a while ago, ');
}
