import type { Behavior } from './behavior.ts';
import { type OpenAiStandInOptions, openAiForm, twisted } from './openai.ts';
import { ProviderStandIn, type StandInForm } from './server.ts';
import { teiForm } from './tei.ts';
import { standInVector } from './vector.ts';

export type EmbedderStandInProvider = 'OPENAI' | 'VOYAGE' | 'JINA' | 'TEI' | 'COHERE' | 'OLLAMA' | 'GEMINI';

export const GEMINI_MODEL = 'gemini-embedding-001';

export interface EmbedderStandInOptions {
  dimensions: number;
  /** GEMINI: its model has no other length, and refuses to be asked for one. */
  fixedLength?: boolean;
}

/** An embedding server of any provider in its own wire format, on loopback. */
export class EmbedderStandIn extends ProviderStandIn {
  readonly #base: string;

  private constructor(form: StandInForm, base: string) {
    super(form);
    this.#base = base;
  }

  static start(provider: EmbedderStandInProvider, options: EmbedderStandInOptions): Promise<EmbedderStandIn> {
    const { base = '', ...form } = FORMS[provider](options);
    return new EmbedderStandIn(form, base).listen();
  }

  /** The endpointUrl of a record with the provider's default apiPath. */
  get endpointUrl(): string {
    return `${this.url}${this.#base}`;
  }
}

type Form = StandInForm & { base?: string };

const FORMS: Record<EmbedderStandInProvider, (options: EmbedderStandInOptions) => Form> = {
  OPENAI: (options) => ({
    ...openAiForm(options),
    base: '/v1',
    error: (status) => ({ error: { message: `OpenAI says ${status}`, type: 'invalid_request_error', code: null } }),
  }),
  VOYAGE: (options) => ({
    ...relative(options, 'encoding_format', 'input_type', ['query', 'document']),
    base: '/v1',
    error: (status) => ({ detail: `Voyage says ${status}` }),
  }),
  JINA: (options) => ({
    ...relative(options, 'embedding_type', 'task', ['retrieval.query', 'retrieval.passage']),
    error: (status) => ({ detail: [{ loc: ['body'], msg: `Jina says ${status}`, type: 'value_error' }] }),
  }),
  TEI: (options) => ({
    ...teiForm(options),
    error: (status) => ({ error: `TEI says ${status}`, error_type: 'Backend' }),
  }),
  COHERE: cohereForm,
  OLLAMA: ollamaForm,
  GEMINI: geminiForm,
};

/** The OpenAI form with another name for the wish for base64 and a member that tells questions from documents. */
function relative(
  options: OpenAiStandInOptions,
  encodingMember: string,
  typeMember: string,
  types: readonly string[],
): StandInForm {
  const form = openAiForm(options);
  return {
    ...form,
    answer: (body, twist) => {
      if (!types.includes(String(body[typeMember]))) return { status: 422, body: { detail: `bad ${typeMember}` } };
      return form.answer({ ...body, encoding_format: body[encodingMember] }, twist);
    },
  };
}

function cohereForm({ dimensions }: EmbedderStandInOptions): Form {
  return {
    path: '/v2/embed',
    error: (status) => ({ id: '1', message: `Cohere says ${status}` }),
    answer: (body, twist) => {
      const texts = body.texts as string[];
      if (texts.length > 96) return { status: 400, body: { message: 'invalid request: at most 96 texts' } };
      if (!/^search_(query|document)$/.test(String(body.input_type))) {
        return { status: 400, body: { message: 'invalid request: valid input_type must be provided' } };
      }
      const float = vectors(texts, dimensions, twist);
      return { status: 200, body: { id: '1', embeddings: { float }, texts, response_type: 'embeddings_by_type' } };
    },
  };
}

function ollamaForm({ dimensions }: EmbedderStandInOptions): Form {
  return {
    path: '/api/embed',
    error: (status) => ({ error: `Ollama says ${status}` }),
    answer: (body, twist) => {
      const embeddings = vectors(body.input as string[], dimensions, twist);
      return { status: 200, body: { model: body.model, embeddings, total_duration: 1 } };
    },
  };
}

function geminiForm({ dimensions, fixedLength = false }: EmbedderStandInOptions): Form {
  const error = (status: number, message = `Gemini says ${status}`) => ({
    error: { code: status, message, status: 'INVALID_ARGUMENT' },
  });
  return {
    path: `/v1beta/models/${GEMINI_MODEL}:batchEmbedContents`,
    error,
    answer: (body, twist) => {
      const requests = body.requests as Record<string, unknown>[];
      if (requests.length > 100) return { status: 400, body: error(400, 'at most 100 requests can be in one batch') };
      if (requests.some(({ model }) => model !== `models/${GEMINI_MODEL}`)) return { status: 400, body: error(400) };
      if (fixedLength && requests.some(({ outputDimensionality }) => outputDimensionality !== undefined)) {
        return { status: 400, body: error(400, 'outputDimensionality is not supported by this model') };
      }
      const texts = requests.map(({ content }) => (content as { parts: { text: string }[] }).parts[0]?.text ?? '');
      return { status: 200, body: { embeddings: vectors(texts, dimensions, twist).map((values) => ({ values })) } };
    },
  };
}

function vectors(texts: readonly string[], dimensions: number, twist: Behavior | undefined): unknown[][] {
  const rows = texts.map((text) => twisted(standInVector(text, dimensions), twist));
  return twist?.kind === 'too_few' ? rows.slice(1) : rows;
}
