import { ProviderError } from '../errors.ts';
import { observed } from '../observer.ts';
import { timedProbe } from '../probe.ts';
import { withDeadline } from '../scope.ts';
import { cutToTokens } from './cut.ts';
import type { EmbedderClient, EmbedderDeps, EmbedderRecord, EmbedOptions } from './types.ts';
import { scaleToUnit } from './unit.ts';

/** The in-process embedder behind the interface of the others. It has no retries: what fails there fails again. */
export function createBuiltinClient(record: EmbedderRecord, deps: EmbedderDeps): EmbedderClient {
  const peer = 'BUILTIN embedder';
  const observer = { observe: deps.observe, kind: 'embedder' as const, provider: record.providerType };
  const { dimensionality, maxSequenceLength } = record;

  const embed = (texts: readonly string[], { signal, deadlineMs, inputType }: EmbedOptions) => {
    if (texts.length === 0) return Promise.resolve([]);
    const inputs = maxSequenceLength === undefined ? texts : texts.map((text) => cutToTokens(text, maxSequenceLength));
    return withDeadline({ signal, deadlineMs, peer }, (scope) =>
      observed(observer, async () => {
        const rows = await deps.builtin(inputs, dimensionality, inputType, scope.signal);
        const fits = rows.length === texts.length && rows.every((row) => row.length === dimensionality);
        if (!fits || !rows.every((row) => scaleToUnit(row))) {
          throw new ProviderError('invalid_response', `${peer} computed vectors that cannot be stored`);
        }
        return rows;
      }),
    );
  };

  return {
    resolvedEndpoint: `builtin:${record.modelIdentifier}`,
    embed,
    probe: (payload, options) =>
      timedProbe(options, async (seen) => {
        seen.bytesSent = Buffer.byteLength(payload);
        const deadlineMs = Date.now() + options.timeoutMs;
        await embed([payload], { inputType: 'query', signal: options.signal, deadlineMs });
        seen.bytesReceived = dimensionality * Float32Array.BYTES_PER_ELEMENT;
      }),
  };
}
