import type { Page } from './page.ts';

/** What `svc help` explains besides the commands. */
export interface Topic {
  readonly name: string;
  /** One line without a full stop. */
  readonly summary: string;
  load(): Promise<Page>;
}

export const TOPICS: readonly Topic[] = [
  {
    name: 'environment',
    summary: 'Environment variables and what wins over them',
    load: async () => (await import('./environment-page.ts')).environmentPage(),
  },
  {
    name: 'exit-codes',
    summary: 'Exit codes and when a command ends with them',
    load: async () => (await import('./exit-codes-page.ts')).exitCodesPage(),
  },
  {
    name: 'filters',
    summary: 'The language of --filter',
    load: async () => (await import('./filters-page.ts')).filtersPage(),
  },
];
