/** The two parts of a bar of which `share` is full, from 0 to 1. Heavy against light lines, so that it reads without colour. */
export function barText(share: number, columns: number): { full: string; rest: string } {
  const halves = Math.round(Math.min(1, Math.max(0, share)) * columns * 2);
  const full = '━'.repeat(Math.floor(halves / 2)) + (halves % 2 === 1 ? '╸' : '');
  return { full, rest: '─'.repeat(columns - full.length) };
}
