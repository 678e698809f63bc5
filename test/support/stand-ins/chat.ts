import type { Behavior } from './behavior.ts';
import { ProviderStandIn, type StandInAnswer, type StandInForm } from './server.ts';

export interface ChatMessage {
  role: string;
  content: string;
}

export interface ChatStandInOptions {
  /** The reply to the messages. Default: `Reply to: ` and the last message. */
  reply?: (messages: readonly ChatMessage[]) => string;
  /** Names of body members that are answered with 400, as OpenAI answers them. */
  refused?: readonly string[];
}

/**
 * A server of `POST /v1/chat/completions`, streamed when asked to, on loopback. A token is a word with its blank; more
 * of them than the limit of the request end the reply with `length`. Its records' endpointUrl is `endpointUrl`.
 */
export class ChatStandIn extends ProviderStandIn {
  static start(options: ChatStandInOptions = {}): Promise<ChatStandIn> {
    return new ChatStandIn(chatForm(options)).listen();
  }

  get endpointUrl(): string {
    return `${this.url}/v1`;
  }
}

function chatForm({ reply = echo, refused = [] }: ChatStandInOptions): StandInForm {
  return {
    path: '/v1/chat/completions',
    error: (status) => ({ error: { message: `The model says ${status}`, type: 'server_error', code: null } }),
    answer: (body, twist) => {
      const unknown = refused.find((name) => body[name] !== undefined);
      if (unknown !== undefined) return { status: 400, body: { error: { message: refusal(unknown) } } };
      const tokens = reply(body.messages as ChatMessage[]).match(/\s*\S+/gu) ?? [];
      const limit = (body.max_tokens ?? body.max_completion_tokens ?? Number.POSITIVE_INFINITY) as number;
      const finish = tokens.length > limit ? 'length' : 'stop';
      return answered(body, tokens.slice(0, limit), finish, twist);
    },
  };
}

function answered(
  body: Record<string, unknown>,
  tokens: readonly string[],
  finish: string,
  twist: Behavior | undefined,
): StandInAnswer {
  const head = { id: 'chat-1', model: body.model, created: 1 };
  if (body.stream === true) {
    const chunk = (delta: object, finish_reason: string | null) =>
      sse({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] });
    const last = twist?.kind === 'too_few' ? [] : [chunk({}, finish), 'data: [DONE]\n\n'];
    const words = tokens.map((content) => chunk({ content }, null));
    return {
      status: 200,
      body: undefined,
      events: [': warming up\n\n', chunk({ role: 'assistant' }, null), ...words, ...last],
    };
  }
  const message = { role: 'assistant', content: twist?.kind === 'values' ? twist.value : tokens.join('') };
  const choices = twist?.kind === 'too_few' ? [] : [{ index: 0, message, finish_reason: finish }];
  return { status: 200, body: { ...head, object: 'chat.completion', choices, usage: { total_tokens: 1 } } };
}

export function sse(chunk: unknown): string {
  return `data: ${JSON.stringify(chunk)}\n\n`;
}

function echo(messages: readonly ChatMessage[]): string {
  return `Reply to: ${messages.at(-1)?.content ?? ''}`;
}

function refusal(name: string): string {
  const other = name === 'max_tokens' ? "Use 'max_completion_tokens' instead." : '';
  return `Unsupported parameter: '${name}' is not supported with this model. ${other}`;
}
