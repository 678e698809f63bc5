import { oneLine } from '../../kit/text/printable.ts';

/** Puts one line of text into the clipboard of the terminal, and returns what went there. */
export function copyText(stdout: Pick<NodeJS.WriteStream, 'write'>, text: string): string {
  // What is pasted must not end a line: a shell would run it.
  const line = oneLine(text);
  // OSC 52 reaches the terminal also over ssh. One that does not know it shows nothing.
  stdout.write(`\u001b]52;c;${Buffer.from(line).toString('base64')}\u0007`);
  return line;
}
