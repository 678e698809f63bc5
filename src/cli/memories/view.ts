import { MemorySchema, type ProcessingHistory, ProcessingStatusSchema } from '../../shared/gen/service/v1/memory_pb.ts';
import { chunkingText } from '../kit/flags/chunking.ts';
import { enumText, errorOf, idColumn, timeColumn } from '../kit/output/columns.ts';
import type { View } from '../kit/output/records.ts';
import { bytesText } from '../kit/text/figures.ts';

export const memoryView: View<typeof MemorySchema> = {
  desc: MemorySchema,
  columns: [
    idColumn('ID', ({ memoryId }) => memoryId),
    {
      header: 'STATUS',
      value: ({ processingStatus }) => enumText(ProcessingStatusSchema, processingStatus),
      whole: true,
    },
    { header: 'FILE', value: ({ metadata }) => filenameOf(metadata), keepsEnd: true, isTitle: true },
    {
      header: 'SIZE',
      value: ({ originalContentLength }) => bytesText(originalContentLength),
      align: 'right',
      whole: true,
      spare: true,
    },
    { ...timeColumn('CREATED', ({ createdAt }) => createdAt), spare: true },
    // The first to go where a table is narrow: the name of the file says nearly the same.
    { header: 'TYPE', value: ({ contentType }) => contentType, spare: true },
    { header: 'ERROR', value: ({ failureReason }) => failureReason ?? '', optional: true },
  ],
  fields: [
    { header: 'id', value: ({ memoryId }) => memoryId },
    { header: 'space', value: ({ spaceId }) => spaceId },
    { header: 'status', value: ({ processingStatus }) => enumText(ProcessingStatusSchema, processingStatus) },
    { header: 'error', value: ({ failureReason, processingHistory }) => failureReason ?? errorOf(processingHistory) },
    { header: 'type', value: ({ contentType }) => contentType },
    { header: 'size', value: ({ originalContentLength }) => bytesText(originalContentLength) },
    { header: 'sha256', value: ({ originalContentSha256 }) => originalContentSha256 },
    { header: 'source', value: ({ originalContentRef }) => originalContentRef ?? '' },
    { header: 'metadata', value: ({ metadata }) => metadataText(metadata) },
    { header: 'chunking', value: ({ chunkingConfig }) => chunkingText(chunkingConfig) },
    { header: 'pages', value: ({ pageImageCount }) => (pageImageCount === 0 ? '' : String(pageImageCount)) },
    { header: 'attempts', value: ({ processingHistory }) => attemptsText(processingHistory) },
    timeColumn('expires', ({ expiresAt }) => expiresAt),
    timeColumn('created', ({ createdAt }) => createdAt),
    timeColumn('updated', ({ updatedAt }) => updatedAt),
  ],
};

function metadataText(metadata: Record<string, unknown> = {}): string {
  return Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata);
}

function filenameOf(metadata: Record<string, unknown> | undefined): string {
  const name = metadata?.path ?? metadata?.filename;
  return typeof name === 'string' ? name : '';
}

function attemptsText(history: ProcessingHistory | undefined): string {
  const job = history?.latestJob;
  return job === undefined ? '' : `${job.attempts} of ${job.maxAttempts}`;
}
