import { ACCESS } from '../access.ts';
import { multipart, sendRest } from '../rest-forms.ts';
import type { Row, Subject } from '../row.ts';
import { freshMemory, freshSpace, standingMemory } from '../subjects.ts';
import type { World } from '../world.fixture.ts';

const PROCESSED_WITHIN_MS = 30_000;

const content = { contentType: 'text/plain', originalContent: 'Made by the matrix.' };
const listed = async (world: World, { spaceId }: Subject) =>
  (await world.ok('listMemories', { spaceId })).memories.map(({ memoryId }: { memoryId: string }) => memoryId);

/** What a memory is without what its processing changes. */
async function lookAtMemory(world: World, { memoryId }: Subject): Promise<unknown> {
  const { processingStatus: _status, updatedAt: _at, ...rest } = await world.ok('getMemory', { memoryId });
  return rest;
}

const byId = ({ memoryId }: Subject) => ({ memoryId });

/** A memory that is made is the own of its space's owner. */
const INTO_SPACE = {
  needs: ['CREATE_MEMORY'],
  access: ACCESS.writeInSpace,
  subject: freshSpace,
  names: 'spaceId',
  look: listed,
} satisfies Partial<Row>;

const CREATE_ROWS: readonly Row[] = [
  {
    operation: 'createMemory',
    ...INTO_SPACE,
    request: ({ spaceId }) => ({ ...content, spaceId }),
  },
  {
    operation: 'createMemory',
    form: 'multipart',
    ...INTO_SPACE,
    request: ({ spaceId }) => ({ spaceId }),
    send: ({ stage }, { spaceId }, key) =>
      sendRest(stage.server.rest, '/v1/memories', key, { method: 'POST', body: multipart('request', { spaceId }) }),
  },
  {
    operation: 'batchCreateMemory',
    ...INTO_SPACE,
    request: ({ spaceId }) => ({ requests: [{ ...content, spaceId }] }),
    batch: true,
  },
  {
    operation: 'batchCreateMemory',
    form: 'multipart',
    ...INTO_SPACE,
    request: ({ spaceId }) => ({ spaceId }),
    send: ({ stage }, { spaceId }, key) =>
      sendRest(stage.server.rest, '/v1/memories:batchCreate', key, {
        method: 'POST',
        body: multipart('requests', [{ spaceId, contentType: 'text/plain', fileField: 'file' }]),
      }),
    batch: true,
  },
];

/** What changes a memory that is there. */
const CHANGE_ROWS: readonly Row[] = [
  {
    operation: 'updateMemory',
    needs: ['UPDATE_MEMORY'],
    access: ACCESS.writeInSpace,
    subject: freshMemory,
    request: ({ memoryId }) => ({ memoryId, mergeMetadata: { changed: true } }),
    names: 'memoryId',
    look: lookAtMemory,
  },
  {
    operation: 'reprocessMemory',
    needs: ['CREATE_MEMORY'],
    access: ACCESS.writeInSpace,
    subject: (world, place) => freshMemory(world, place, PROCESSED_WITHIN_MS),
    spends: true,
    request: byId,
    names: 'memoryId',
    look: (world, { memoryId }) => world.ok('getMemory', { memoryId, includeProcessingHistory: true }),
  },
  {
    operation: 'deleteMemory',
    needs: ['DELETE_MEMORY'],
    access: ACCESS.writeInSpace,
    subject: freshMemory,
    spends: true,
    request: byId,
    names: 'memoryId',
    look: lookAtMemory,
  },
  {
    operation: 'batchDeleteMemory',
    form: 'by id',
    needs: ['DELETE_MEMORY'],
    access: ACCESS.writeInSpace,
    subject: freshMemory,
    spends: true,
    request: ({ memoryId }) => ({ memoryIds: [memoryId] }),
    batch: true,
    names: 'memoryId',
    look: lookAtMemory,
  },
  {
    operation: 'batchDeleteMemory',
    form: 'by filter',
    needs: ['DELETE_MEMORY'],
    access: ACCESS.writeInSpace,
    subject: freshSpace,
    request: ({ spaceId }) => ({ requests: [{ filterSelector: { spaceId } }] }),
    batch: true,
    names: 'spaceId',
  },
];

/** What shows the memories of a space. */
const READ_ROWS: readonly Row[] = [
  ...(['getMemory', 'getMemoryContent', 'getMemoryText', 'listMemoryPageImages'] as const).map((operation) => ({
    operation,
    needs: ['READ_MEMORY'],
    access: ACCESS.readInSpace,
    subject: standingMemory,
    request: byId,
    names: 'memoryId',
  })),
  {
    operation: 'getMemoryPageImageContent',
    needs: ['READ_MEMORY'],
    access: ACCESS.readInSpace,
    subject: standingMemory,
    request: ({ memoryId }) => ({ memoryId, pageIndex: 0 }),
    names: 'memoryId',
  },
  {
    operation: 'batchGetMemory',
    needs: ['READ_MEMORY'],
    access: ACCESS.readInSpace,
    subject: standingMemory,
    request: ({ memoryId }) => ({ memoryIds: [memoryId] }),
    batch: true,
    names: 'memoryId',
  },
  {
    operation: 'listMemories',
    needs: ['LIST_MEMORY'],
    access: ACCESS.readInSpace,
    subject: standingMemory,
    request: ({ spaceId }) => ({ spaceId }),
    names: 'spaceId',
  },
  {
    operation: 'listChunks',
    form: 'of a memory',
    needs: ['READ_MEMORY'],
    access: ACCESS.readInSpace,
    subject: standingMemory,
    request: byId,
    names: 'memoryId',
  },
  {
    operation: 'listChunks',
    form: 'of a space',
    needs: ['READ_MEMORY'],
    access: ACCESS.readInSpace,
    subject: standingMemory,
    request: ({ spaceId }) => ({ spaceId }),
    names: 'spaceId',
  },
];

const RETRIEVE_ROWS: readonly Row[] = [
  {
    operation: 'retrieveMemory',
    needs: ['READ_MEMORY'],
    access: ACCESS.readInSpace,
    subject: standingMemory,
    request: ({ spaceId }) => ({ message: 'text', spaceKeys: [{ spaceId }] }),
    names: 'spaceId',
  },
  {
    operation: 'retrieveMemory',
    form: 'GET',
    needs: ['READ_MEMORY'],
    access: ACCESS.readInSpace,
    subject: standingMemory,
    request: ({ spaceId }) => ({ spaceId }),
    send: ({ stage }, { spaceId }, key) =>
      sendRest(stage.server.rest, `/v1/memories:retrieve?message=text&spaceIds=${spaceId}`, key),
    names: 'spaceId',
  },
];

export const MEMORY_ROWS: readonly Row[] = [...CREATE_ROWS, ...CHANGE_ROWS, ...READ_ROWS, ...RETRIEVE_ROWS];
