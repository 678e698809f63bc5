import { readFile } from 'node:fs/promises';
import { readMarkdown } from './markdown.ts';
import type { Page } from './page.ts';

/** The document is part of the package: its facts are written down once. */
const DOCUMENT = new URL('../../../docs/filters.md', import.meta.url);

export async function filtersPage(): Promise<Page> {
  return {
    name: 'svc help filters',
    summary: 'The language of filters',
    usage: [],
    sections: readMarkdown(await readFile(DOCUMENT, 'utf8')),
  };
}
