import type { Behavior } from './behavior.ts';
import { ProviderStandIn, type StandInForm } from './server.ts';
import { standInVector } from './vector.ts';

export interface OpenAiStandInOptions {
  dimensions: number;
  /** `full`: base64 when asked. `ignored`: numbers all the same. `refused`: 400 about `encoding_format`. Default full. */
  base64?: 'full' | 'ignored' | 'refused';
  /** More inputs in a request → 413. */
  maxInputs?: number;
  /** A longer input → 400, in characters. */
  maxInputCharacters?: number;
}

/** A server of `POST /v1/embeddings` in the OpenAI form, on loopback. Its records' endpointUrl is `url` + `/v1`. */
export class OpenAiStandIn extends ProviderStandIn {
  static start(options: OpenAiStandInOptions): Promise<OpenAiStandIn> {
    return new OpenAiStandIn(openAiForm(options)).listen();
  }
}

export function openAiForm(options: OpenAiStandInOptions): StandInForm {
  const refuse = (status: number, message: string) => ({
    status,
    body: { error: { message, type: 'invalid_request_error' } },
  });
  return {
    path: '/v1/embeddings',
    answer: (body, twist) => {
      const input = body.input as string[];
      const asked = body.encoding_format;
      if (asked !== undefined && options.base64 === 'refused') return refuse(400, 'Unknown field: encoding_format');
      if (input.length > (options.maxInputs ?? Number.POSITIVE_INFINITY)) return refuse(413, 'Payload too large');
      if (input.some((text) => text.length > (options.maxInputCharacters ?? Number.POSITIVE_INFINITY))) {
        return refuse(400, "This model's maximum context length is exceeded");
      }
      const base64 = asked === 'base64' && options.base64 !== 'ignored';
      const data = input.map((text, index) => {
        const vector = twisted(standInVector(text, options.dimensions), twist);
        return { object: 'embedding', index, embedding: base64 ? encode(vector) : vector };
      });
      if (twist?.kind === 'too_few') data.pop();
      // Out of order, as the format allows: the index counts.
      data.reverse();
      return {
        status: 200,
        body: { object: 'list', data, model: body.model, usage: { prompt_tokens: 1, total_tokens: 1 } },
      };
    },
  };
}

/** The vector with the twist of a behavior. */
export function twisted(vector: number[], twist: Behavior | undefined): unknown[] {
  if (twist?.kind === 'wrong_length') return [...vector, 1];
  if (twist?.kind === 'values') return vector.map(() => twist.value);
  return vector;
}

function encode(vector: unknown[]): string {
  const floats = Float32Array.from(vector as number[]);
  return Buffer.from(floats.buffer).toString('base64');
}
