/** How a value becomes a parameter: as it is, as an array of texts, or as JSON. */
type ColumnType = 'plain' | 'text[]' | 'jsonb';

/** Columns by the property that they hold; the name of the column is the same in snake case. */
export type TargetColumns = Readonly<Record<string, ColumnType>>;

/** A table of inference targets: an embedder, an LLM, a reranker. */
export interface TargetTable {
  /** Of the table, and the stem of its id column. */
  name: string;
  /** What it has beyond the columns of every target. */
  columns: TargetColumns;
}

/** Columns of every target that an insert and an update write alike. */
const COMMON: TargetColumns = {
  displayName: 'plain',
  description: 'plain',
  endpointUrl: 'plain',
  apiPath: 'plain',
  modelIdentifier: 'plain',
  supportedModalities: 'text[]',
  labels: 'jsonb',
  version: 'plain',
  monitoringEndpoint: 'plain',
  credentials: 'jsonb',
  credentialFingerprint: 'plain',
  targetFingerprint: 'plain',
};
const FIXED = ['ownerId', 'providerType', 'createdAt', 'updatedAt', 'createdById', 'updatedById'];

/** Pieces from which the statements of a table are made. */
export interface TargetSql {
  /** The id column. */
  id: string;
  /** What a select returns of `t` and its owner `u`. */
  columns: string;
  /** The table as `t` with its owner as `u`. */
  from: string;
  /** Content columns, separated by commas. */
  names: string;
  /** Parameters for them from `$first` on, likewise. */
  parameters(first: number): string;
  /** Assignments of them for an update. */
  assignments(first: number): string;
  /** Their values in the same order. */
  values(content: object): unknown[];
}

export function targetSql({ name, columns }: TargetTable): TargetSql {
  const content = Object.entries({ ...COMMON, ...columns });
  const id = `${name}_id`;
  const selected = [...FIXED, ...content.map(([property]) => property)];
  const cast = (type: ColumnType) => (type === 'plain' ? '' : `::${type}`);
  return {
    id,
    columns: [
      `t.${id} as "id"`,
      'u.role as "ownerRole"',
      ...selected.map((property) => `t.${snakeCase(property)} as "${property}"`),
    ].join(', '),
    from: `from ${name} t join app_user u on u.user_id = t.owner_id`,
    names: content.map(([property]) => snakeCase(property)).join(', '),
    parameters: (first) => content.map(([, type], index) => `$${first + index}${cast(type)}`).join(', '),
    assignments: (first) =>
      content.map(([property, type], index) => `${snakeCase(property)} = $${first + index}${cast(type)}`).join(', '),
    values: (target) => content.map(([property, type]) => parameter(target[property as keyof typeof target], type)),
  };
}

function snakeCase(property: string): string {
  return property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function parameter(value: unknown, type: ColumnType): unknown {
  return type === 'jsonb' && value !== null ? JSON.stringify(value) : value;
}
