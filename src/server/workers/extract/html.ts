import { Parser } from 'htmlparser2';
import { ExtractionError } from '../errors.ts';
import type { OutputText } from './output-text.ts';

/** Elements whose content is not displayed, or is not text. `title` inside `head` is kept. */
const NOT_DISPLAYED = new Set(
  'script style noscript template iframe object audio video canvas datalist noembed noframes'.split(' '),
);

/** Elements with an empty line around them, and elements on a line of their own. */
const PARAGRAPHS = new Set(
  'p h1 h2 h3 h4 h5 h6 blockquote pre table ul ol dl hr figure article section header footer main aside nav form fieldset'.split(
    ' ',
  ),
);
const LINES = new Set(
  'div li tr dt dd address caption figcaption details summary legend option optgroup title body html thead tbody tfoot br'.split(
    ' ',
  ),
);

/** Elements allowed in `head`; any other element ends the head, even if it is not closed. */
const HEAD_CONTENT = new Set('html head title base link meta style script noscript template'.split(' '));

const HIDDEN_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

/** The parser searches its open elements at every end tag, so without a limit hostile nesting would be quadratic. */
const MAX_ELEMENT_DEPTH = 2000;

/** Writes the text that a browser displays: the title first, blocks on their own lines, cells separated, `pre` unchanged. */
export function extractHtml(blocks: Iterable<string>, output: OutputText): void {
  const page = new Page(output);
  const parser = new Parser(
    {
      onopentag: (name, attributes) => page.open(name, attributes),
      onclosetag: (name) => page.close(name),
      ontext: (text) => page.text(text),
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  for (const block of blocks) parser.write(block);
  parser.end();
}

class Page {
  readonly #flow: FlowText;
  readonly #lists: (number | undefined)[] = [];
  /** Number of open elements from the outermost hidden one inwards; text is kept while it is 0. */
  #hidden = 0;
  #depth = 0;
  #head = false;
  #title = false;
  #pre = 0;
  #preStart = false;

  constructor(output: OutputText) {
    this.#flow = new FlowText(output);
  }

  open(name: string, attributes: Record<string, string>): void {
    this.#depth += 1;
    if (this.#depth > MAX_ELEMENT_DEPTH)
      throw new ExtractionError(`HTML nested deeper than ${MAX_ELEMENT_DEPTH} elements`);
    if (name === 'head') this.#head = true;
    else if (!HEAD_CONTENT.has(name)) this.#head = false;
    if (name === 'title') this.#title = this.#head || this.#flow.isEmpty;
    if (this.#hidden > 0 || NOT_DISPLAYED.has(name) || isHidden(attributes)) {
      this.#hidden += 1;
      return;
    }
    this.#break(name);
    this.#begin(name, attributes);
  }

  #begin(name: string, attributes: Record<string, string>): void {
    if (name === 'pre' || name === 'textarea') {
      this.#pre += 1;
      this.#preStart = true;
    } else if (name === 'ul') this.#lists.push(undefined);
    else if (name === 'ol') this.#lists.push(Number.parseInt(attributes.start ?? '1', 10) || 1);
    else if (name === 'li') this.#flow.prefix(this.#bullet());
    else if (name === 'tr') this.#flow.startRow();
    else if (name === 'td' || name === 'th') this.#flow.startCell();
  }

  close(name: string): void {
    this.#depth -= 1;
    if (name === 'head') this.#head = false;
    if (name === 'title') this.#title = false;
    if (this.#hidden > 0) {
      this.#hidden -= 1;
      return;
    }
    if (name === 'pre' || name === 'textarea') this.#pre = Math.max(0, this.#pre - 1);
    else if (name === 'ul' || name === 'ol') this.#lists.pop();
    if (name !== 'br') this.#break(name);
  }

  text(text: string): void {
    if (this.#hidden > 0 || (this.#head && !this.#title)) return;
    if (this.#pre === 0) this.#flow.text(text);
    // A line feed directly after the start tag is not part of the content.
    else this.#flow.verbatim(this.#preStart ? text.replace(/^\r?\n/, '') : text);
    this.#preStart = false;
  }

  #break(name: string): void {
    if (name === 'br') this.#flow.forceBreak();
    else if (PARAGRAPHS.has(name) && this.#lists.length === 0) this.#flow.breakLines(2);
    else if (PARAGRAPHS.has(name) || LINES.has(name)) this.#flow.breakLines(1);
  }

  #bullet(): string {
    const last = this.#lists.length - 1;
    const number = this.#lists[last];
    if (number === undefined) return '- ';
    this.#lists[last] = number + 1;
    return `${number}. `;
  }
}

function isHidden(attributes: Record<string, string>): boolean {
  return 'hidden' in attributes || HIDDEN_STYLE.test(attributes.style ?? '');
}

const CELL_SEPARATOR = ' | ';

/** Writes flowing text: white space collapsed, line breaks between blocks but not at the start or end of the text. */
class FlowText {
  readonly #output: OutputText;
  /** Written when text follows: line breaks, else cell separators, else one space. */
  #lines = 0;
  #separators = '';
  #space = false;
  #prefix = '';
  #atLineStart = true;
  /** Whether the current table row has had a cell, and whether it has had text. */
  #rowHasCell = false;
  #rowHasText = true;

  constructor(output: OutputText) {
    this.#output = output;
  }

  get isEmpty(): boolean {
    return this.#output.isEmpty;
  }

  /** Requests at least `count` line breaks before the next text. */
  breakLines(count: number): void {
    // Paragraphs inside cells must not put empty lines between rows.
    this.#lines = Math.max(this.#lines, this.#rowHasText ? count : 1);
  }

  /** Requests one more line break, as for `br`; at most one empty line. */
  forceBreak(): void {
    this.#lines = Math.min(2, this.#lines + 1);
  }

  /** Sets the prefix of the next text on a new line. */
  prefix(text: string): void {
    this.#prefix = text;
  }

  startRow(): void {
    this.#rowHasCell = false;
    this.#rowHasText = false;
  }

  /** Keeps the cell on the line of the previous one, even if that ended with a block. */
  startCell(): void {
    if (this.#rowHasText) this.#lines = 0;
    if (this.#rowHasCell) this.#separators += CELL_SEPARATOR;
    this.#rowHasCell = true;
  }

  text(text: string): void {
    // White space as defined by HTML: a no-break space is not collapsed.
    const collapsed = text.replace(/[ \t\n\r\f]+/g, ' ');
    const inner = collapsed.replace(/^ | $/g, '');
    if (collapsed.startsWith(' ')) this.#space = true;
    if (inner === '') return;
    this.#write(inner);
    this.#space = collapsed.endsWith(' ');
  }

  /** Preformatted text: every character is kept. */
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
