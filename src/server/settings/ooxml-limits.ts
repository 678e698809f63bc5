import { type Parsed, scalar, type ValueType } from './value-type.ts';
import { readVersionedJson, unknownKey } from './versioned-json.ts';

/** Bounds on what reading one document may cost. All are counts; each starts fresh for every document. */
export const OOXML_EXTRACTION_DEFAULTS = {
  /** Files in the archive. */
  archiveEntries: 10_000,
  /** Unpacked bytes of one file and of all. */
  entryBytes: 134_217_728,
  totalBytes: 536_870_912,
  /** Unpacked to packed, per file above 1 MiB. */
  compressionRatio: 200,
  /** Nesting of elements; elements and text nodes in all. */
  xmlDepth: 256,
  xmlNodes: 20_000_000,
  /** XLSX: sheets, rows per sheet, cells in all. */
  sheets: 256,
  rows: 1_048_576,
  cells: 5_000_000,
  /** PPTX. */
  slides: 2000,
  /** PDF. */
  pages: 20_000,
  /** Characters of extracted text, of any content type. */
  outputCharacters: 33_554_432,
};

type OoxmlLimit = keyof typeof OOXML_EXTRACTION_DEFAULTS;

export interface OoxmlLimits {
  readonly version: 1;
  readonly extraction: Readonly<Record<OoxmlLimit, number>>;
}

export const OOXML_DEFAULTS: OoxmlLimits = { version: 1, extraction: OOXML_EXTRACTION_DEFAULTS };

export const ooxmlLimits: ValueType<OoxmlLimits> = scalar({ placeholder: '<json>', parse, print: JSON.stringify });

function parse(text: string): Parsed<OoxmlLimits> {
  const { members, problems } = readVersionedJson(text, 'extraction');
  problems.push(...extractionProblems(members));
  if (problems.length > 0) return { problem: problems.join('; ') };
  return { value: { version: 1, extraction: Object.assign({}, OOXML_EXTRACTION_DEFAULTS, members) } };
}

function extractionProblems(extraction: Record<string, unknown>): string[] {
  return Object.entries(extraction).flatMap(([key, value]) => {
    if (!Object.hasOwn(OOXML_EXTRACTION_DEFAULTS, key)) return [unknownKey(`extraction.${key}`)];
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return [];
    return [`extraction.${key}: must be an integer of at least 1, got ${JSON.stringify(value)}`];
  });
}
