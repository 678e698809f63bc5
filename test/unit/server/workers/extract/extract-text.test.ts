import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExtractionError } from '../../../../../src/server/workers/errors.ts';
import { extractText } from '../../../../../src/server/workers/extract/extract-text.ts';
import { codePoint } from '../../../../support/code-point.ts';

const outputCharacters = 33_554_432;

function read(contentType: string, ...parts: (string | readonly number[])[]): string {
  const bytes = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : Uint8Array.from(part)));
  return extractText(contentType, bytes, { outputCharacters }).text;
}

function html(body: string): string {
  return read('text/html', body);
}

describe('plain text', () => {
  it('covers text types and their variants', () => {
    const types = [
      'text/plain',
      'text/markdown',
      'text/x-anything',
      'application/xml',
      'application/json',
      'application/ld+json',
      'application/x-ndjson',
      'image/svg+xml',
      'application/javascript',
      'application/typescript',
      'application/sql',
      'application/yaml',
      'application/x-yaml',
      'application/toml',
      'application/x-sh',
      'application/x-httpd-php',
      'application/graphql',
      'TEXT/Plain; charset=UTF-8',
    ];
    const text = '# Title\r\n\r\n<b>  {"a": 1}  </b>\r\n';
    for (const type of types) expect(read(type, text)).toBe(text);
  });

  it('follows the charset, else the byte order mark, else UTF-8', () => {
    expect(read('text/plain; charset=windows-1252', [0x80, 0x93, 0xe9])).toBe('€“é');
    expect(read('text/plain; charset="iso-8859-15"', [0xa4])).toBe('€');
    expect(read('text/plain; format=flowed; charset=Shift_JIS', [0x82, 0xa0])).toBe('あ');
    expect(read('text/plain', [0xff, 0xfe, 0x41, 0x00])).toBe('A');
    expect(read('text/plain', [0xfe], [0xff, 0x00, 0x41])).toBe('A');
    expect(read('text/plain; charset=utf-16', [0xfe, 0xff, 0x00, 0x41])).toBe('A');
    expect(read('text/plain; charset=utf-16le', [0x41, 0x00])).toBe('A');
    expect(read('text/plain', [0xef, 0xbb, 0xbf, 0xc3, 0xa9])).toBe('é');
    expect(() => read('text/plain; charset=klingon', 'x')).toThrow('Unsupported charset: klingon');
  });

  it('is refused when it is binary, unless its charset is declared', () => {
    const binary = [0xff, 0x00, 0xfe, 0x80, 0x01];
    expect(() => read('text/plain', binary)).toThrow(new ExtractionError('Content is binary, declared text/plain'));
    expect(() => read('application/json', 'a'.repeat(50_000), binary)).toThrow('Content is binary');
    expect(read('text/plain; charset=windows-1252', [0xff])).toBe('ÿ');
    // A character that lies across the end of what is judged.
    expect(read('text/plain', `${'a'.repeat(65_535)}é\0`)).toHaveLength(65_536);
  });

  it('replaces bytes that do not fit and drops NUL characters', () => {
    expect(read('text/plain', [0x61, 0xff, 0x62, 0xc3])).toBe('a\ufffdb\ufffd');
    expect(read('text/plain', 'a\0b\0\0c')).toBe('abc');
    expect(read('text/plain; charset=utf-16le', [0x00, 0xd8, 0x41, 0x00])).toBe('\ufffdA');
  });

  it('is the same for any split of the content into parts', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.array(fc.nat(40)), (text, cuts) => {
        const bytes = Buffer.from(text);
        const at = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].sort((a, b) => a - b);
        const parts = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        const expected = bytes
          .toString()
          .replace(/^\ufeff/, '')
          .replaceAll('\0', '');
        expect(extractText('text/plain', parts, { outputCharacters }).text).toBe(expected);
      }),
    );
  });

  it('is limited: more than outputCharacters fails and names the limit', () => {
    const bytes = [Buffer.from('😀😀'), Buffer.from('😀')];
    expect(extractText('text/plain', bytes, { outputCharacters: 3 }).text).toBe('😀😀😀');
    for (const type of ['text/plain', 'text/html', 'text/csv']) {
      expect(() => extractText(type, bytes, { outputCharacters: 2 })).toThrow(
        'Text limit exceeded: extraction.outputCharacters (2)',
      );
    }
  });
});

describe('unsupported content', () => {
  it('is of a type that is not supported', () => {
    for (const type of [
      'application/octet-stream',
      'application/pdf',
      'image/png',
      'text/rtf',
      'video/mp4',
      'nonsense',
      'text/',
    ]) {
      expect(() => read(type, 'x')).toThrow(new ExtractionError(`Unsupported content type: ${type}`));
    }
    expect(() => read('constructor', 'x')).toThrow('Unsupported content type: constructor');
  });

  it('is of another type than declared', () => {
    const cases: [string, number[]][] = [
      ['PDF', [0x25, 0x50, 0x44, 0x46, 0x2d, 0x31]],
      ['PNG', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]],
      ['JPEG', [0xff, 0xd8, 0xff, 0xe0]],
      ['TIFF', [0x49, 0x49, 0x2a, 0x00]],
      ['ZIP', [0x50, 0x4b, 0x03, 0x04, 0x14]],
    ];
    for (const [name, bytes] of cases) {
      expect(() => read('text/plain; charset=utf-8', bytes)).toThrow(`Content is ${name}, declared text/plain`);
      expect(() => read('text/html', bytes.slice(0, 2), bytes.slice(2))).toThrow(
        `Content is ${name}, declared text/html`,
      );
    }
    expect(read('text/plain', 'BM is how a bitmap begins, %PDF- is not at the start here')).toContain('%PDF-');
  });
});

describe('HTML', () => {
  it('keeps the title first and leaves out invisible elements', () => {
    const page = `<!doctype html><html><head><meta charset="utf-8"><title>The  Page</title><style>p{}</style>
      <script>var a = "<p>x</p>";</script></head><body><p>Seen</p><script>no()</script><noscript>no</noscript>
      <template>no</template><p hidden>no</p><div style="color: red; display:none">no <b>no</b></div><!-- no -->
      <p>Also<br>seen</p></body></html>`;
    expect(html(page)).toBe('The Page\n\nSeen\n\nAlso\nseen');
  });

  it('ends an unclosed head', () => {
    expect(html('<head><title>T</title><p>text')).toBe('T\n\ntext');
    expect(html('<title>T</title>text')).toBe('T\ntext');
  });

  it('collapses white space, decodes entities and breaks lines at blocks', () => {
    expect(
      html('<h1>A\n  title</h1><p>Some <b>bold</b> and\t<i>thin </i> text &amp; &eacute;&#8364;&nbsp;x.</p>end'),
    ).toBe('A title\n\nSome bold and thin text & é€\u00a0x.\n\nend');
    expect(html('one<div>two</div>three<span>four</span>')).toBe('one\ntwo\nthreefour');
    expect(html('a<br><br><br>b')).toBe('a\n\nb');
  });

  it('writes lists, tables and preformatted text', () => {
    expect(html('<ul><li>one</li><li><p>two</p></li></ul><ol start="3"><li>three<li>four</ol>')).toBe(
      '- one\n- two\n\n3. three\n4. four',
    );
    const table = `<table>
      <tr><th>Name</th> <th>City</th></tr>
      <tr><td><p>Ann</p></td><td></td><td>Bern</td></tr></table>after`;
    expect(html(table)).toBe('Name | City\nAnn |  | Bern\n\nafter');
    expect(html('<p>x</p><pre>\n  a\n    b  c\n</pre><p>y</p>')).toBe('x\n\n  a\n    b  c\n\n\ny');
  });

  it('reads broken and hostile pages in reasonable time', () => {
    expect(html('<p>unclosed <b>bold <p>next</i></p> &bogus; <')).toContain('next');
    expect(() => html('<b>'.repeat(100_000))).toThrow(ExtractionError);
    expect(html(`${'<br>'.repeat(200_000)}x`)).toBe('x');
    expect(html(`${'&amp;'.repeat(200_000)}`)).toHaveLength(200_000);
  });

  it('never fails on any bytes', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: codePoint }),
        fc.array(fc.constantFrom('<p>', '</p>', '<pre>', '<td>', '<ul>', '<li>', '<head>', '</ul>', 'x', ' ')),
        (text, tags) => {
          expect(typeof html(`${tags.join('')}${text}${tags.join('')}`)).toBe('string');
        },
      ),
    );
  });
});

describe('CSV and TSV', () => {
  it('repeat the header names in each row', () => {
    const rows = 'name,city,people\r\nAnn,"Bern, CH",3\r\n"Bo ""B""",,7\r\n';
    expect(read('text/csv', rows)).toBe(
      'name; city; people\nname: Ann; city: Bern, CH; people: 3\nname: Bo "B"; people: 7',
    );
    expect(read('text/tab-separated-values', 'a\tb\n1\t2\n')).toBe('a; b\na: 1; b: 2');
    expect(read('text/csv', 'Stadt;Preis\nBern;1,5\n')).toBe('Stadt; Preis\nStadt: Bern; Preis: 1,5');
  });

  it('join the cells when there is none', () => {
    expect(read('text/csv', '1,2\n3,4\n')).toBe('1; 2\n3; 4');
    expect(read('text/csv; header=absent', 'name,city\nAnn,Bern')).toBe('name; city\nAnn; Bern');
    expect(read('text/csv; header=present', '2023,2024\n1,2')).toBe('2023; 2024\n2023: 1; 2024: 2');
    expect(read('text/csv', 'one\ntwo\n')).toBe('one\ntwo');
    expect(read('text/csv', 'name,city')).toBe('name; city');
    expect(read('text/csv', '')).toBe('');
  });

  it('keep a cell of several lines in its row, and rows of any length', () => {
    expect(read('text/csv', 'name,note\nAnn,"two\nlines"\nBo\nCy,x,more')).toBe(
      'name; note\nname: Ann; note: two lines\nname: Bo\nname: Cy; note: x; more',
    );
  });

  it('fall back to the text when only the names would exceed the limit', () => {
    const table = Buffer.from('long_name,other_name\n1,2\n3,4\n');
    expect(extractText('text/csv', [table], { outputCharacters: 40 }).text).toBe(table.toString());
    expect(extractText('text/csv', [table], { outputCharacters: 100 }).text).toContain('long_name: 3; other_name: 4');
  });

  it('fall back to the text when quotes do not close', () => {
    const broken = 'name,note\nAnn,"never closed\nBo,x\n';
    expect(read('text/csv', broken)).toBe(broken);
  });
});
