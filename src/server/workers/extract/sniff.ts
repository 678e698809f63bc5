/** Formats whose first bytes no text begins with, by the name that people are told. */
const SIGNATURES: readonly { name: string; bytes: readonly number[] }[] = [
  { name: 'PDF', bytes: [0x25, 0x50, 0x44, 0x46, 0x2d] },
  { name: 'PNG', bytes: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] },
  { name: 'JPEG', bytes: [0xff, 0xd8, 0xff] },
  { name: 'TIFF', bytes: [0x49, 0x49, 0x2a, 0x00] },
  { name: 'TIFF', bytes: [0x4d, 0x4d, 0x00, 0x2a] },
  { name: 'ZIP', bytes: [0x50, 0x4b, 0x03, 0x04] },
];

const LONGEST = 8;

/** The binary format that the content really has, undefined when it may well be text. */
export function sniff(parts: readonly Uint8Array[]): string | undefined {
  const head: number[] = [];
  for (const part of parts) {
    if (head.length >= LONGEST) break;
    head.push(...part.subarray(0, LONGEST - head.length));
  }
  return SIGNATURES.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte))?.name;
}
