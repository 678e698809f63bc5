import { scalar, type ValueType } from './value-type.ts';

const KEY_BYTES = 32;

/** The AES-256 key of stored credentials, as 32 bytes. The problem never quotes the text. */
export const secretsKey: ValueType<Uint8Array> = scalar({
  placeholder: '<base64>',
  // Printed masked only; the value itself never becomes text again.
  print: () => '',
  parse: (text) => {
    const given = text.trim();
    const bytes = Buffer.from(given, 'base64');
    // Buffer skips what is not base64, so a mistyped key would silently become another key.
    const isBase64 = bytes.toString('base64').replace(/=+$/, '') === given.replace(/=+$/, '');
    if (isBase64 && bytes.length === KEY_BYTES) return { value: new Uint8Array(bytes) };
    const found = isBase64 ? `${bytes.length} bytes` : 'text that is not base64';
    return { problem: `must be ${KEY_BYTES} bytes in base64, got ${found}` };
  },
});
