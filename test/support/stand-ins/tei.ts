import { twisted } from './openai.ts';
import { ProviderStandIn, type StandInForm } from './server.ts';
import { standInVector } from './vector.ts';

interface TeiStandInOptions {
  dimensions: number;
  /** More inputs in a request → 413, as the real server does. Default 32, as the real server's. */
  maxClientBatchSize?: number;
}

/** A server of `POST /embed` as Text Embeddings Inference speaks it, on loopback. */
export class TeiStandIn extends ProviderStandIn {
  static start(options: TeiStandInOptions): Promise<TeiStandIn> {
    return new TeiStandIn(teiForm(options)).listen();
  }
}

export function teiForm(options: TeiStandInOptions): StandInForm {
  const maximum = options.maxClientBatchSize ?? 32;
  return {
    path: '/embed',
    answer: (body, twist) => {
      const inputs = body.inputs as string[];
      if (inputs.length > maximum) {
        const error = `batch size ${inputs.length} > maximum allowed batch size ${maximum}`;
        return { status: 413, body: { error, error_type: 'Validation' } };
      }
      const vectors = inputs.map((text) => twisted(standInVector(text, options.dimensions), twist));
      if (twist?.kind === 'too_few') vectors.pop();
      return { status: 200, body: vectors };
    },
  };
}
