import { Parser } from 'htmlparser2';
import { ExtractionError } from '../errors.ts';
import { FlowText } from './flow-text.ts';
import type { OutputText } from './output-text.ts';

/** Elements that show nothing of what is in them, or nothing that is text. `title` inside `head` is kept. */
const UNSEEN = new Set(
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

/** What may stand in `head`; anything else ends it, closed or not. */
const HEAD_CONTENT = new Set('html head title base link meta style script noscript template'.split(' '));

const HIDDEN_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

/** The parser looks through its open elements at every end tag: without a bound hostile nesting is quadratic. */
const MAX_DEPTH = 2000;

/** Writes what a reader of the page sees: the title first, blocks on their own lines, cells apart, `pre` as it is. */
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
  /** Elements from the outermost unseen one inwards; text is kept while it is 0. */
  #unseen = 0;
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
    if (this.#depth > MAX_DEPTH) throw new ExtractionError(`HTML nested deeper than ${MAX_DEPTH} elements`);
    if (name === 'head') this.#head = true;
    else if (!HEAD_CONTENT.has(name)) this.#head = false;
    if (name === 'title') this.#title = this.#head || this.#flow.isEmpty;
    if (this.#unseen > 0 || UNSEEN.has(name) || isHidden(attributes)) {
      this.#unseen += 1;
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
    if (this.#unseen > 0) {
      this.#unseen -= 1;
      return;
    }
    if (name === 'pre' || name === 'textarea') this.#pre = Math.max(0, this.#pre - 1);
    else if (name === 'ul' || name === 'ol') this.#lists.pop();
    if (name !== 'br') this.#break(name);
  }

  text(text: string): void {
    if (this.#unseen > 0 || (this.#head && !this.#title)) return;
    if (this.#pre === 0) this.#flow.text(text);
    // A line feed right behind the start tag is not part of the content.
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
