const CONTROLS = /(?![\n\t])\p{Cc}/gu;
const CONTROL_RUNS = /[\p{Cc}\u2028\u2029]+/gu;

/** Text of others for one line: no control character reaches the terminal, every run of them becomes one space. */
export function oneLine(text: string): string {
  return text.replace(CONTROL_RUNS, ' ').trim();
}

/** Text of others for several lines: line feeds and tabs stay, every other control character is dropped. */
export function severalLines(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(CONTROLS, '');
}
