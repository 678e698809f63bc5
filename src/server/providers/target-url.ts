/**
 * The address that a record's calls go to: `endpointUrl` + `apiPath`. Only the slash between the two is evened out,
 * because addresses with and without a trailing slash count as the same target.
 */
export function resolvedUrl(endpointUrl: string, apiPath: string): string {
  if (apiPath === '') return endpointUrl;
  const base = endpointUrl.endsWith('/') ? endpointUrl.slice(0, -1) : endpointUrl;
  return apiPath.startsWith('/') || apiPath.startsWith('?') ? base + apiPath : `${base}/${apiPath}`;
}
