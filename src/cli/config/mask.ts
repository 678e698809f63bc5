/** As many characters as the service itself shows of a key, to tell it from others. */
const SHOWN = 8;
/** A text shorter than this would be given away by its beginning. */
const SHORTEST_SHOWN = 24;

/** A key as it may be shown: `svc_ab12…`. Of what is not shaped like a key nothing is shown. */
export function maskKey(key: string): string {
  return key.startsWith('svc_') && key.length >= SHORTEST_SHOWN ? `${key.slice(0, SHOWN)}…` : '…';
}
