import { type Stage, unique } from '../../support/stage.ts';
import type { Json } from '../../support/wire.ts';
import type { TargetKind } from '../target-kinds.ts';

/** One kind of inference target, with what the scenarios of all kinds need to know of it. */
export interface TargetArea {
  kind: TargetKind;
  /** As messages name it. */
  title: 'Embedder' | 'LLM' | 'Reranker';
  /** Default `apiPath` by provider, for the model `org/model 1`. */
  paths: Readonly<Record<string, string>>;
  /** Providers that this kind refuses. */
  strangers: readonly string[];
  /** What a fresh record shows beyond what all kinds show. */
  fresh: Readonly<Record<string, unknown>>;
}

export const apiKey = (inlineSecret: string) => ({ kind: 'CREDENTIAL_KIND_API_KEY', apiKey: { inlineSecret } });
export const secretRef = (uri: string) => ({ kind: 'CREDENTIAL_KIND_API_KEY', apiKey: { secretRef: { uri } } });
export const gcpAdc = { kind: 'CREDENTIAL_KIND_GCP_ADC', gcpAdc: {} };

/** A valid create request; the address is another one each time, so that no two are duplicates. */
export function targetRequest({ kind }: TargetArea, more: object = {}) {
  return { ...kind.body(`http://models.example.org/${unique('v')}`), ...more };
}

/** The record of a new target. */
export async function makeTarget(stage: Stage, area: TargetArea, more: object = {}, as?: string): Promise<Json> {
  const created = await stage.ok(area.kind.create, targetRequest(area, more), as);
  return created.llm ?? created;
}
