import type { Db } from '../../src/server/store/db.ts';
import { vectorTable } from '../../src/server/store/vector-tables.ts';
import { CredentialKind, ProviderType } from '../../src/shared/gen/service/v1/common_pb.ts';
import { sql } from './identity.fixture.ts';

let models = 0;

/** A valid request; the model is another one each time, so that no two are duplicates. */
export function openAi(more: object = {}) {
  models += 1;
  return {
    displayName: 'Small text',
    providerType: ProviderType.OPENAI,
    endpointUrl: 'https://models.example.org/v1',
    modelIdentifier: `text-${models}`,
    dimensionality: 8,
    ...more,
  };
}

export function inline(inlineSecret: string) {
  const credential = { case: 'apiKey' as const, value: { inlineSecret } };
  return { kind: CredentialKind.API_KEY, credential };
}

export function reference(uri: string) {
  const credential = { case: 'apiKey' as const, value: { secretRef: { uri } } };
  return { kind: CredentialKind.API_KEY, credential };
}

/** The type of the vectors of an embedder, undefined when it has no table. */
export async function vectorType(db: Db, embedderId: string): Promise<string | undefined> {
  const rows = await sql<{ type: string }>(
    db,
    `select format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = to_regclass($1) and attname = 'embedding'`,
    [vectorTable(embedderId)],
  );
  return rows[0]?.type;
}
