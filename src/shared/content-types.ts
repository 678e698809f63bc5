/** Content types by file extension (lower case, without the dot), as `svc memories add` declares them. */
const CONTENT_TYPE_BY_EXTENSION: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'text/markdown': 'md markdown',
    'text/html': 'html htm xhtml',
    'text/csv': 'csv',
    'text/tab-separated-values': 'tsv',
    'application/json': 'json',
    'application/x-ndjson': 'jsonl ndjson',
    'application/xml': 'xml',
    'application/yaml': 'yaml yml',
    'application/toml': 'toml',
    'application/javascript': 'js mjs cjs jsx',
    'application/typescript': 'ts mts cts tsx',
    'application/sql': 'sql',
    'application/x-sh': 'sh bash',
    'application/x-httpd-php': 'php',
    'application/graphql': 'graphql gql',
    'application/pdf': 'pdf',
    'application/rtf': 'rtf',
    'application/epub+zip': 'epub',
    'message/rfc822': 'eml',
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
    'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
    'application/vnd.oasis.opendocument.text': 'odt',
    'image/png': 'png',
    'image/jpeg': 'jpg jpeg',
    'image/tiff': 'tif tiff',
    'image/bmp': 'bmp',
    'text/plain': 'txt text log',
  }).flatMap(([type, extensions]) => extensions.split(' ').map((extension) => [extension, type] as const)),
);

/** The content type that a file name declares, undefined when its extension says nothing. */
export function contentTypeOfName(name: string): string | undefined {
  const base = name.slice(name.lastIndexOf('/') + 1);
  const dot = base.lastIndexOf('.');
  return dot <= 0 ? undefined : CONTENT_TYPE_BY_EXTENSION.get(base.slice(dot + 1).toLowerCase());
}

/** Whether bytes of unknown type may be stored as text: valid UTF-8 without a NUL. */
export function isPlainText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const APPLICATION_TEXT = new Set([
  'xml',
  'javascript',
  'typescript',
  'sql',
  'yaml',
  'x-yaml',
  'toml',
  'x-sh',
  'x-httpd-php',
  'graphql',
  'x-ndjson',
]);

/** Whether content of this type, lower case without parameters, is text: code and data that people read included. */
export function isTextType(essence: string): boolean {
  const [type, subtype = ''] = essence.split('/', 2);
  // Rich text is markup, whose control words should not be found by a search.
  if (type === 'text') return subtype !== 'rtf' && subtype !== '';
  if (subtype.includes('json') || subtype.endsWith('+xml')) return true;
  return type === 'application' && APPLICATION_TEXT.has(subtype);
}
