import type { OutputText } from './output-text.ts';

const CELL_SEPARATOR = ' | ';

/** Writes running text: white space collapsed, line breaks between blocks but never at the ends of the text. */
export class FlowText {
  readonly #output: OutputText;
  /** Held back until text follows: line breaks, else cell separators, else one space. */
  #lines = 0;
  #separators = '';
  #space = false;
  #prefix = '';
  #atLineStart = true;
  /** The table row has had a cell; something was written since it began. */
  #rowHasCell = false;
  #rowHasText = true;

  constructor(output: OutputText) {
    this.#output = output;
  }

  get isEmpty(): boolean {
    return this.#output.isEmpty;
  }

  /** At least this many line breaks before the next text. */
  breakLines(count: number): void {
    // Paragraphs inside cells put no empty lines between rows.
    this.#lines = Math.max(this.#lines, this.#rowHasText ? count : 1);
  }

  /** One line break more, as `br` makes; at most an empty line. */
  forceBreak(): void {
    this.#lines = Math.min(2, this.#lines + 1);
  }

  /** What the next text on a new line begins with. */
  prefix(text: string): void {
    this.#prefix = text;
  }

  startRow(): void {
    this.#rowHasCell = false;
    this.#rowHasText = false;
  }

  /** Keeps the cell on the line of the one before it, also when that ended with a block. */
  startCell(): void {
    if (this.#rowHasText) this.#lines = 0;
    if (this.#rowHasCell) this.#separators += CELL_SEPARATOR;
    this.#rowHasCell = true;
  }

  text(text: string): void {
    // White space as HTML means it: a no-break space is not collapsed.
    const collapsed = text.replace(/[ \t\n\r\f]+/g, ' ');
    const inner = collapsed.replace(/^ | $/g, '');
    if (collapsed.startsWith(' ')) this.#space = true;
    if (inner === '') return;
    this.#write(inner);
    this.#space = collapsed.endsWith(' ');
  }

  /** Preformatted text: every character as it is. */
  verbatim(text: string): void {
    if (text !== '') this.#write(text);
  }

  #write(text: string): void {
    if (!this.#output.isEmpty && this.#lines > 0) {
      this.#output.append('\n'.repeat(this.#lines));
      this.#atLineStart = true;
    }
    if (this.#separators !== '') this.#output.append(this.#separators);
    else if (this.#space && !this.#atLineStart) this.#output.append(' ');
    if (this.#atLineStart) this.#output.append(this.#prefix);
    this.#output.append(text);
    this.#lines = 0;
    this.#separators = '';
    this.#space = false;
    this.#prefix = '';
    this.#atLineStart = text.endsWith('\n');
    this.#rowHasText = true;
  }
}
