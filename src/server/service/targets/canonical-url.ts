/**
 * The form in which addresses are compared: scheme and host in lower case, without default port and trailing slash.
 * Path and query keep their case. Throws TypeError for what is not a URL.
 */
export function canonicalUrl(url: string): string {
  const { protocol, host, pathname, search } = new URL(url);
  const path = pathname.endsWith('/') ? pathname.slice(0, -1) : pathname;
  return `${protocol}//${host}${path}${search}`;
}
