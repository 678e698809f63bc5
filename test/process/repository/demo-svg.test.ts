import headless from '@xterm/headless';
import { describe, expect, test } from 'vitest';
import { type Frame, type Row, readRows } from '../../../docs/demo/frame.ts';
import { hexOf } from '../../../docs/demo/palette.ts';
import { animatedSvg } from '../../../docs/demo/svg.ts';
import { edited } from '../../../docs/demo/timeline.ts';

const DURATION = 1000;
const LINE_HEIGHT = 19;

function plain(text: string): Row {
  return text === '' ? [] : [{ column: 0, text, width: text.length, style: {} }];
}

function frame(at: number, ...lines: string[]): Frame {
  return { at, rows: lines.map(plain) };
}

function film(frames: readonly Frame[]): string {
  return animatedSvg({ title: 'A & B', description: 'a <film>', columns: 20, rows: 3, frames, duration: DURATION });
}

/** The lines that the picture shows at a time, read from its strips and their keyframes as a browser does. */
function shownAt(svg: string, ms: number): string[] {
  const drawings = new Map(
    [...svg.matchAll(/<g id="(\w+)">(.*?)<\/g>/g)].map(([, id = '', drawing = '']) => [id, drawing]),
  );
  const lines = ['', '', ''];
  for (const [, y, name, uses = ''] of svg.matchAll(/<svg y="(\d+)"[^>]*><g(?: class="r(\d+)")?>(.*?)<\/g><\/svg>/g)) {
    const offset = name === undefined ? 0 : offsetAt(svg, name, ms);
    const [, id = ''] = new RegExp(`<use href="#(\\w+)" y="${offset}"/>`).exec(uses) ?? [];
    lines[Number(y) / LINE_HEIGHT] = [...(drawings.get(id) ?? '').matchAll(/<text[^>]*>([^<]*)/g)]
      .map(([, text]) => text)
      .join('');
  }
  return lines;
}

function offsetAt(svg: string, row: string, ms: number): number {
  const [, keys = ''] = new RegExp(`@keyframes k${row}\\{(.*)\\}`).exec(svg) ?? [];
  const steps = [...keys.matchAll(/([\d.]+)%\{transform:translateY\((-?\d+)px\)\}/g)].map(([, at, px]) => ({
    at: (Number(at) * DURATION) / 100,
    offset: -Number(px),
  }));
  return steps.findLast(({ at }) => at <= ms)?.offset ?? Number.NaN;
}

describe('a recording as one SVG', () => {
  const frames = [
    frame(0, '$ a'),
    frame(200, '$ ab'),
    frame(500, '$ ab', 'out', '$ a'),
    frame(900, 'out', '', '$ <&">'),
  ];

  test('shows every frame at its time', () => {
    const svg = film(frames);
    expect(shownAt(svg, 0)).toEqual(['$ a', '', '']);
    expect(shownAt(svg, 499)).toEqual(['$ ab', '', '']);
    expect(shownAt(svg, 500)).toEqual(['$ ab', 'out', '$ a']);
    expect(shownAt(svg, 999)).toEqual(['out', '', '$ &lt;&amp;&quot;&gt;']);
  });

  test('is well-formed, self-contained, and draws repeated rows once', () => {
    const svg = film(frames);
    const tag = '<(?:[a-z]+(?: [a-zA-Z:-]+="[^"<&]*")*/?|/[a-z]+)>';
    expect(svg).toMatch(new RegExp(`^(?:${tag}|[^<&]|&(?:amp|lt|gt|quot);)+$`));
    const open: string[] = [];
    for (const [, isEnd, name = '', isEmpty] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
      if (isEnd === '/') expect(open.pop()).toBe(name);
      else if (isEmpty === '') open.push(name);
    }
    expect(open).toEqual([]);
    expect(svg.replace('http://www.w3.org/2000/svg', '')).not.toMatch(/https?:|<script|@import|url\(/);
    expect(svg.match(/>out</g)).toHaveLength(1);
    expect(svg).toContain('<title id="title">A &amp; B</title>\n<desc id="desc">a &lt;film&gt;</desc>');
  });

  test('shows the last frame with prefers-reduced-motion', () => {
    const svg = film(frames);
    // The strip of the first line holds "$ a", "$ ab" and "out".
    const [still = '', moving = ''] = svg.split('@media (prefers-reduced-motion:no-preference){');
    expect(still).toContain(`.r0{transform:translateY(-${2 * LINE_HEIGHT}px)}`);
    expect(still).not.toContain('animation');
    expect(moving).toContain(`g{animation:${DURATION}ms step-end infinite}\n.r0{animation-name:k0}`);
  });
});

test('half-drawn pictures and repeated ones are cut out, and the film begins at 0', () => {
  const cut = edited([frame(100, 'a'), frame(200, ''), frame(205, 'b'), frame(300, 'b'), frame(400, 'c')], 25);
  expect(cut).toEqual([frame(0, 'a'), frame(105, 'b'), frame(300, 'c')]);
});

test('styles of cells come from the emulator', async () => {
  const terminal = new headless.Terminal({ cols: 20, rows: 2, allowProposedApi: true });
  await new Promise<void>((resolve) => {
    terminal.write(
      '\u001b[1;31mred\u001b[0m  \u001b[2mdim\u001b[0m\r\n\u001b[7minv\u001b[0m界\u001b[38;2;1;2;3mx',
      resolve,
    );
  });
  expect(readRows(terminal)).toEqual([
    [
      { column: 0, text: 'red', width: 3, style: { color: 1, bold: true } },
      { column: 5, text: 'dim', width: 3, style: { dim: true } },
    ],
    [
      { column: 0, text: 'inv', width: 3, style: { color: 0, background: 7 } },
      { column: 3, text: '界', width: 2, style: {} },
      { column: 5, text: 'x', width: 1, style: { color: '#010203' } },
    ],
  ]);
  terminal.dispose();
});

test.each([
  { color: 196, hex: '#ff0000' },
  { color: 16, hex: '#000000' },
  { color: 244, hex: '#808080' },
  { color: '#123456', hex: '#123456' },
])('color $color is $hex', ({ color, hex }) => {
  expect(hexOf(color)).toBe(hex);
});
