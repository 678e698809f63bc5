/** A test, as `<file under test/>: <title>`; the title is that of a test, of a group of tests or of a scenario. */
export type TestReference = `${string}.ts: ${string}`;

/** One promise of the interface, in our own words. */
export type Line =
  | { says: string; shownBy: readonly [TestReference, ...TestReference[]] }
  /** Not built yet; the area of work that it belongs to. */
  | { says: string; planned: PlannedArea };

/** What is still to come, in the order in which it comes. */
export const PLANNED_AREAS = [
  'documents and OCR',
  'text and hybrid search',
  'web console',
  'read replica',
  'MCP',
  'packaging and the VM appliance',
] as const;

type PlannedArea = (typeof PLANNED_AREAS)[number];

/** The lines of one chapter of the interface. */
export interface Chapter {
  title: string;
  lines: readonly Line[];
}

export const shown = (says: string, ...shownBy: [TestReference, ...TestReference[]]): Line => ({ says, shownBy });

export const planned = (says: string, area: PlannedArea): Line => ({ says, planned: area });
