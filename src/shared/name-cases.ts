/** `reranker_id` as `rerankerId`, `rest-port` as `restPort`. */
export type CamelCase<S extends string> = S extends `${infer Head}${'_' | '-'}${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;

/** `reranker_id` becomes `rerankerId`, `rest-port` `restPort`; everything else stays as it is. */
export function camelCase<const S extends string>(text: S): CamelCase<S> {
  return text.replace(/[_-]([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase()) as CamelCase<S>;
}

/** `reranker_id`, `rerankerId` and `reranker-id` become `RerankerId`; what is neither letter nor digit separates words. */
export function pascalCase(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9])/g, (_, first: string) => first.toUpperCase());
}

/** `rerankerId` becomes `reranker_id`. */
export function snakeCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
