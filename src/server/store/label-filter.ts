/**
 * The labels that a list asks for, as the JSON of a containment. Nothing that is stored holds NUL, which PostgreSQL refuses
 * even in a question: labels with one become a label that none can have, whose key is empty.
 */
export function labelFilterJson(labels: Readonly<Record<string, string>>): string {
  const isPossible = Object.entries(labels).every(([key, value]) => !`${key}${value}`.includes('\0'));
  return JSON.stringify(isPossible ? labels : { '': '' });
}
