import { isObject } from '../../../shared/json/parse.ts';
import { MalformedAnswer } from '../errors.ts';
import type { ChatReply } from './types.ts';

/** A longer reply is no answer to a question. */
const MAX_REPLY_CHARACTERS = 1_048_576;

/** The reply of a complete answer. Throws `MalformedAnswer`. */
export function replyIn(answer: unknown): ChatReply {
  const choice = firstChoice(answer);
  if (choice === undefined || !isObject(choice.message)) throw new MalformedAnswer('no choice with a message');
  const text = bounded(textIn(choice.message.content));
  return { text, finish: finishOf(choice.finish_reason) };
}

/** Puts a streamed reply together. */
export class ReplyCollector {
  readonly #onText: ((text: string) => void) | undefined;
  #text = '';
  #finish: ChatReply['finish'] | undefined;
  #hasChoice = false;

  /** `onText` gets each piece of text that a chunk adds. */
  constructor(onText?: (text: string) => void) {
    this.#onText = onText;
  }

  /** Takes the next chunk. Throws `MalformedAnswer`. */
  add(chunk: unknown): void {
    const choice = firstChoice(chunk);
    // Usage and keep-alive chunks hold none.
    if (choice === undefined) return;
    this.#hasChoice = true;
    const text = isObject(choice.delta) ? textIn(choice.delta.content) : '';
    this.#text = bounded(this.#text + text);
    if (text !== '') this.#onText?.(text);
    if (choice.finish_reason !== undefined && choice.finish_reason !== null) {
      this.#finish = finishOf(choice.finish_reason);
    }
  }

  /** The model has said why it stopped: nothing of the reply follows. */
  get isFinished(): boolean {
    return this.#finish !== undefined;
  }

  /** The reply once the server has said that it is whole. Throws `MalformedAnswer`. */
  reply(): ChatReply {
    if (!this.#hasChoice) throw new MalformedAnswer('a stream without any choice');
    return { text: this.#text, finish: this.#finish ?? 'stop' };
  }
}

function firstChoice(answer: unknown): Record<string, unknown> | undefined {
  if (!isObject(answer)) throw new MalformedAnswer('something other than an object');
  const choice: unknown = Array.isArray(answer.choices) ? answer.choices[0] : undefined;
  return isObject(choice) ? choice : undefined;
}

/** Content is text, a list of parts of which some hold text, or absent where the model only thought or called a tool. */
function textIn(content: unknown): string {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) throw new MalformedAnswer('content that is not text');
  return content.map((part) => (isObject(part) && typeof part.text === 'string' ? part.text : '')).join('');
}

function finishOf(reason: unknown): ChatReply['finish'] {
  // A complete answer of a server that does not say why it ended.
  if (reason === undefined || reason === null) return 'stop';
  return reason === 'stop' || reason === 'length' ? reason : 'other';
}

function bounded(text: string): string {
  if (text.length > MAX_REPLY_CHARACTERS) throw new MalformedAnswer(`more than ${MAX_REPLY_CHARACTERS} characters`);
  return text;
}
