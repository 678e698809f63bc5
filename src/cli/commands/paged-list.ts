import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { type FetchPage, pages } from '../client/pages.ts';
import type { Limit } from '../flags/list.ts';
import type { Io } from '../io.ts';
import { type View, writeList } from '../render/records.ts';

export interface PagedListOptions {
  limit: Limit;
  /** What to do next when there is nothing. */
  whenEmpty: string;
}

/** Writes the records of all pages up to the limit. Nobody is left to believe that a list ends where the default cut it. */
export async function writePagedList<Desc extends DescMessage>(
  io: Io,
  view: View<Desc>,
  fetch: FetchPage<MessageShape<Desc>>,
  { limit, whenEmpty }: PagedListOptions,
): Promise<void> {
  let isCut = false;
  const records = pages(fetch, limit.most, () => {
    isCut = true;
  });
  await writeList(io, view, records, whenEmpty);
  if (isCut && limit.isDefault)
    await io.stderr.write(`These are the first ${limit.most}. To list all of them: --all\n`);
}
