const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
};

/** Why a file that a setting names cannot be read: a phrase without a full stop. */
export function unreadable(file: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return `cannot read ${file}: ${REASONS[code] ?? (error instanceof Error ? error.message : String(error))}`;
}
