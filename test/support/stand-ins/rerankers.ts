import type { Behavior } from './behavior.ts';
import { ProviderStandIn, type StandInForm } from './server.ts';

export type RerankStandInProvider = 'VLLM' | 'TEI' | 'LLAMA_CPP' | 'VOYAGE' | 'COHERE' | 'JINA';

export interface RerankStandInOptions {
  /** More texts in a request → an error. Default: the provider's own limit. */
  maxTexts?: number;
}

/** The paths of the real services; a record's endpointUrl is `endpointUrl`, its apiPath the default one. */
const PATHS: Record<RerankStandInProvider, { base: string; path: string }> = {
  VLLM: { base: '', path: '/rerank' },
  TEI: { base: '', path: '/rerank' },
  LLAMA_CPP: { base: '', path: '/rerank' },
  VOYAGE: { base: '/v1', path: '/v1/rerank' },
  COHERE: { base: '', path: '/v2/rerank' },
  JINA: { base: '', path: '/v1/rerank' },
};

/** A rerank server of any provider in its own wire format, on loopback. Its scores are `standInScore`. */
export class RerankStandIn extends ProviderStandIn {
  readonly #base: string;

  private constructor(form: StandInForm, base: string) {
    super(form);
    this.#base = base;
  }

  static start(provider: RerankStandInProvider, options: RerankStandInOptions = {}): Promise<RerankStandIn> {
    const { base, path } = PATHS[provider];
    const form = provider === 'TEI' ? teiForm(options) : commonForm(provider, options);
    return new RerankStandIn({ ...form, path }, base).listen();
  }

  get endpointUrl(): string {
    return `${this.url}${this.#base}`;
  }
}

/** The part of the query's words that the text holds, less a little for the text's length, so that few scores are equal. */
export function standInScore(query: string, text: string): number {
  const words = (value: string) => new Set(value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);
  const [asked, held] = [words(query), words(text)];
  const shared = [...asked].filter((word) => held.has(word)).length;
  return shared / Math.max(1, asked.size) - text.length / 1e6;
}

interface Scored {
  index: number;
  text: string;
  score: unknown;
}

/** Best first, as every provider answers. */
function scored(query: unknown, texts: readonly string[], twist: Behavior | undefined): Scored[] {
  const all = texts.map((text, index) => ({ index, text, score: standInScore(String(query), text) }));
  all.sort((a, b) => b.score - a.score);
  if (twist?.kind === 'values') return all.map((item) => ({ ...item, score: twist.value }));
  return twist?.kind === 'too_few' ? all.slice(1) : all;
}

function teiForm({ maxTexts = 32 }: RerankStandInOptions): Omit<StandInForm, 'path'> {
  return {
    error: (status) => ({ error: `TEI says ${status}`, error_type: 'Backend' }),
    answer: (body, twist) => {
      const texts = body.texts as string[];
      if (texts.length > maxTexts) {
        const error = `batch size ${texts.length} > maximum allowed batch size ${maxTexts}`;
        return { status: 413, body: { error, error_type: 'Validation' } };
      }
      return { status: 200, body: scored(body.query, texts, twist).map(({ index, score }) => ({ index, score })) };
    },
  };
}

function commonForm(
  provider: Exclude<RerankStandInProvider, 'TEI'>,
  { maxTexts = 1000 }: RerankStandInOptions,
): Omit<StandInForm, 'path'> {
  const errors: Record<typeof provider, (message: string) => unknown> = {
    VLLM: (message) => ({ error: { message, type: 'BadRequestError', code: 400 } }),
    LLAMA_CPP: (message) => ({ error: { message, type: 'server_error', code: 500 } }),
    VOYAGE: (message) => ({ detail: message }),
    COHERE: (message) => ({ id: '1', message }),
    JINA: (message) => ({ detail: message }),
  };
  return {
    error: (status) => errors[provider](`${provider} says ${status}`),
    answer: (body, twist) => {
      const texts = body.documents as string[];
      if (texts.length > maxTexts)
        return { status: 400, body: errors[provider](`too many documents: ${texts.length}`) };
      const results = scored(body.query, texts, twist).map(({ index, text, score }) => ({
        index,
        relevance_score: score,
        ...(provider === 'VLLM' ? { document: { text } } : {}),
      }));
      return { status: 200, body: { model: body.model, [provider === 'VOYAGE' ? 'data' : 'results']: results } };
    },
  };
}
