import { SystemService } from '../../shared/gen/service/v1/system_pb.ts';
import type { StoreContext } from '../kit/bulk/store-memories.ts';
import type { SizeLimit } from '../kit/input/read-file.ts';

const MIB = 1024 * 1024;
/** Of a server that does not tell. */
const DEFAULT_MIB = 256;

/** How many bytes of content the server takes. It is asked once, and only when somebody wants to know. */
export function contentLimit({ client, signal }: Pick<StoreContext, 'client' | 'signal'>): SizeLimit {
  let asked: Promise<number> | undefined;
  const ask = async (): Promise<number> => {
    try {
      const { capabilities } = await client.call(SystemService.method.getSystemInfo, {}, { signal });
      const told = Number(capabilities?.capabilities.max_content_mb);
      return (told > 0 ? told : DEFAULT_MIB) * MIB;
    } catch {
      signal.throwIfAborted();
      // Without the answer what is too large is refused when it is sent.
      return DEFAULT_MIB * MIB;
    }
  };
  return () => {
    asked ??= ask();
    return asked;
  };
}
