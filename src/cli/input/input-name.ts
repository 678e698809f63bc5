/** What is read, as messages call it. */
export function inputName(file: string): string {
  return file === '-' ? 'stdin' : file;
}
