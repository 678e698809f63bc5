import type { Frame, Row, Span } from './frame.ts';
import { BACKGROUND, BORDER, FOREGROUND, hexOf } from './palette.ts';

interface SvgOptions {
  title: string;
  description: string;
  columns: number;
  rows: number;
  frames: readonly Frame[];
  /** When the last frame ends and the first begins again, in milliseconds. */
  duration: number;
}

const FONT_SIZE = 14;
/** Of most monospaced fonts; `textLength` makes the others fit. */
const CELL_WIDTH = 8.4;
const CELL_HEIGHT = 19;
const BASELINE = 14;
const PADDING = 16;
const FONTS = 'ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace';

/** One line of the screen over time. */
interface Track {
  /** Ids of its pictures in the order in which they are first shown. */
  pictures: string[];
  /** Which of them is shown from when on. */
  steps: { at: number; picture: number }[];
}

/**
 * An animated picture of a terminal, in one file without scripts. Every line of the screen is a strip of all the lines that
 * it ever shows, moved in steps behind a window of one line; lines that occur more than once are drawn once. With
 * prefers-reduced-motion it shows the last frame.
 */
export function animatedSvg({ title, description, columns, rows, frames, duration }: SvgOptions): string {
  const drawn = new Map<string, string>();
  const tracks = Array.from({ length: rows }, (_, row) => trackOf(frames, row, drawn));
  const width = round(columns * CELL_WIDTH + 2 * PADDING);
  const height = rows * CELL_HEIGHT + 2 * PADDING;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title desc" xml:space="preserve">`,
    `<title id="title">${escaped(title)}</title>`,
    `<desc id="desc">${escaped(description)}</desc>`,
    `<style>${styles(tracks, duration)}</style>`,
    `<rect x=".5" y=".5" width="${round(width - 1)}" height="${height - 1}" rx="8" fill="${BACKGROUND}" stroke="${BORDER}"/>`,
    `<defs>${[...drawn].map(([drawing, id]) => `<g id="${id}">${drawing}</g>`).join('\n')}</defs>`,
    `<svg x="${PADDING}" y="${PADDING}" width="${round(columns * CELL_WIDTH)}" height="${rows * CELL_HEIGHT}" fill="${FOREGROUND}" aria-hidden="true">`,
    ...tracks.map(stripOf),
    '</svg>',
    '</svg>\n',
  ].join('\n');
}

function trackOf(frames: readonly Frame[], row: number, drawn: Map<string, string>): Track {
  const track: Track = { pictures: [], steps: [] };
  let shown: number | undefined;
  for (const frame of frames) {
    const { at, rows, cursor } = frame;
    const drawing = drawingOf(rows[row] ?? [], cursor?.row === row ? cursor.column : undefined);
    const picture = pictureOf(track, idOf(drawing, drawn));
    if (picture !== shown) track.steps.push({ at, picture });
    shown = picture;
  }
  return track;
}

/** "" for an empty line, which needs no drawing. */
function idOf(drawing: string, drawn: Map<string, string>): string {
  if (drawing === '') return '';
  const id = drawn.get(drawing) ?? `l${drawn.size.toString(36)}`;
  drawn.set(drawing, id);
  return id;
}

function pictureOf({ pictures }: Track, id: string): number {
  const known = pictures.indexOf(id);
  return known === -1 ? pictures.push(id) - 1 : known;
}

function drawingOf(row: Row, cursor: number | undefined): string {
  const block =
    cursor === undefined
      ? ''
      : `<rect x="${columnX(cursor)}" width="${CELL_WIDTH}" height="${CELL_HEIGHT}" fill="${FOREGROUND}" opacity=".7"/>`;
  return row.map(drawingOfSpan).join('') + block;
}

function drawingOfSpan({ column, text, width, style }: Span): string {
  const { color, background, bold, dim, italic, underline } = style;
  const length = round(width * CELL_WIDTH);
  const x = columnX(column);
  const rect =
    background === undefined
      ? ''
      : `<rect x="${x}" width="${length}" height="${CELL_HEIGHT}" fill="${hexOf(background)}"/>`;
  const classes = [bold && 'b', dim && 'd', italic && 'i', underline && 'u'].filter(Boolean).join(' ');
  const attributes = [
    `x="${x}" y="${BASELINE}" textLength="${length}"`,
    classes === '' ? '' : ` class="${classes}"`,
    color === undefined ? '' : ` fill="${hexOf(color)}"`,
  ].join('');
  return `${rect}<text ${attributes}>${escaped(text)}</text>`;
}

function stripOf({ pictures, steps }: Track, row: number): string {
  const uses = pictures.map((id, at) => (id === '' ? '' : `<use href="#${id}" y="${at * CELL_HEIGHT}"/>`)).join('');
  if (uses === '') return '';
  const name = steps.length > 1 ? ` class="r${row}"` : '';
  return `<svg y="${row * CELL_HEIGHT}" height="${CELL_HEIGHT}" aria-hidden="true"><g${name}>${uses}</g></svg>`;
}

function styles(tracks: readonly Track[], duration: number): string {
  const moving = tracks.flatMap(({ steps }, row) => (steps.length > 1 ? [{ steps, row }] : []));
  return [
    `text{font:${FONT_SIZE}px ${FONTS};white-space:pre}`,
    '.b{font-weight:700}.d{opacity:.65}.i{font-style:italic}.u{text-decoration:underline}',
    // Without the animation the strips show the last frame.
    ...moving.map(({ steps, row }) => `.r${row}{${moved(steps.at(-1)?.picture ?? 0)}}`),
    '@media (prefers-reduced-motion:no-preference){',
    `g{animation:${duration}ms step-end infinite}`,
    ...moving.map(({ row }) => `.r${row}{animation-name:k${row}}`),
    '}',
    ...moving.map(({ steps, row }) => {
      const keys = steps.map(({ at, picture }) => `${percent(at, duration)}%{${moved(picture)}}`);
      return `@keyframes k${row}{${keys.join('')}}`;
    }),
  ].join('\n');
}

/** To a hundredth: a few milliseconds of a film of a minute. */
function percent(at: number, duration: number): number {
  return Math.round((10_000 * at) / duration) / 100;
}

function moved(picture: number): string {
  return `transform:translateY(${-picture * CELL_HEIGHT}px)`;
}

function columnX(column: number): number {
  return round(column * CELL_WIDTH);
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function escaped(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no form for them.
  return text.replace(/[\u0000-\u0008\u000b-\u001f]/g, '').replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
