import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OcrCategory, OcrInputFormat, OcrService } from '../../../../src/shared/gen/service/v1/ocr_pb.ts';
import { failure } from '../../../support/client/grpc-failure.fixture.ts';
import type { Handlers } from '../../../support/client/grpc-server.fixture.ts';
import { useService } from '../service.fixture.ts';

const against = useService([OcrService]);
const page = (pageIndex: number, markdown: string) => ({
  pageIndex,
  result: {
    case: 'page',
    value: {
      markdown,
      layout: { cells: [{ categoryLabel: 'text', category: OcrCategory.TEXT, text: markdown }] },
      timings: { totalMs: 727n },
    },
  },
});
const failed = (pageIndex: number) => ({
  pageIndex,
  result: { case: 'status', value: { code: 13, message: 'OCR of this page failed' } },
});
const answering = (...pages: object[]): Handlers => ({
  unary: { OcrDocument: () => ({ detectedFormat: OcrInputFormat.PDF, pageCount: pages.length, pages }) },
});
const two = answering(page(0, '# Report\n\nThe boiler.\n'), page(1, 'It was \u001b[31mserviced.'));

let cwd: string;
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'svc-cli-'));
  await writeFile(join(cwd, 'scan.pdf'), '%PDF-scan');
});
afterAll(() => rm(cwd, { recursive: true }));

async function recognizing(handlers: Handlers) {
  const { svc, server, lastRequest } = await against(handlers);
  const env = { SVC_SERVER: `http://127.0.0.1:${server.port}`, SVC_API_KEY: 'svc_test' };
  return {
    server,
    lastRequest,
    ocr: (args: readonly string[], more = {}) => svc(['ocr', ...args], { cwd, env, offersAll: true, ...more }),
  };
}

describe('the request', () => {
  test('a file, its kind and the pages', async () => {
    const { ocr, lastRequest } = await recognizing(two);
    await ocr(['scan.pdf', '--input-format', 'pdf', '--start-page', '0', '--end-page', '3', '--raw']);
    expect(lastRequest()).toMatchObject({
      format: OcrInputFormat.PDF,
      startPage: 0,
      endPage: 3,
      includeRawJson: true,
      includeMarkdown: false,
    });
    expect(Buffer.from(lastRequest().content as Uint8Array).toString()).toBe('%PDF-scan');
    await ocr(['-'], { stdin: 'PNG-bytes' });
    expect(Buffer.from(lastRequest().content as Uint8Array).toString()).toBe('PNG-bytes');
    expect(lastRequest()).toMatchObject({ format: OcrInputFormat.UNSPECIFIED, includeMarkdown: true });
    expect(lastRequest().startPage).toBeUndefined();
  });

  test('usage errors are reported before any call', async () => {
    const { ocr, server } = await recognizing(two);
    expect(await ocr(['nowhere.pdf'])).toMatchObject({
      code: 66,
      stderr: 'svc: Cannot read nowhere.pdf\n  there is no such file\n',
    });
    expect(await ocr(['scan.pdf', '--format', 'markdown', '--raw'])).toMatchObject({
      code: 64,
      stderr: 'svc: --raw needs --format json\n  Help: svc ocr --help\n',
    });
    expect((await ocr(['scan.pdf', '--start-page', '-1'])).code).toBe(64);
    expect((await ocr(['scan.pdf', '--input-format', 'GIF'])).stderr).toContain('AUTO, PDF, TIFF, PNG, JPEG, BMP');
    expect(server.calls).toEqual([]);
  });
});

describe('the output', () => {
  test('the text; a terminal gets no control characters, a file gets the recognized text', async () => {
    const { ocr } = await recognizing(two);
    expect(await ocr(['scan.pdf'])).toEqual({
      code: 0,
      stdout: '# Report\n\nThe boiler.\n\nIt was \u001b[31mserviced.\n',
      stderr: '',
    });
    expect((await ocr(['scan.pdf'], { terminal: true })).stdout).toContain('It was [31mserviced.\n');
  });

  test('JSON: the answer of the service', async () => {
    const { ocr, lastRequest } = await recognizing(two);
    const json = await ocr(['scan.pdf', '--format', 'json']);
    expect(json.stdout).toMatch(/^\{\n {2}"detectedFormat": "PDF",\n/);
    expect(JSON.parse(json.stdout)).toMatchObject({
      pageCount: 2,
      pages: [{ pageIndex: 0, page: { timings: { totalMs: 727 } } }, {}],
    });
    expect(JSON.parse((await ocr(['scan.pdf', '-o', 'json'])).stdout)).toEqual(JSON.parse(json.stdout));
    expect((await ocr(['scan.pdf', '-o', 'ndjson'])).stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(lastRequest()).toMatchObject({ includeMarkdown: false });
    await ocr(['scan.pdf', '-o', 'ndjson', '--format', 'markdown']);
    expect(lastRequest()).toMatchObject({ includeMarkdown: true });
  });

  test('failed pages are reported, the others are written, and the exit code is 1', async () => {
    const { ocr } = await recognizing(answering(failed(0), page(1, 'B'), page(2, ''), failed(3)));
    expect(await ocr(['scan.pdf'])).toEqual({
      code: 1,
      stdout: 'B\n',
      stderr:
        'note: page 0 failed: OCR of this page failed\nnote: page 2 is empty\nnote: page 3 failed: OCR of this page failed\n',
    });
    expect((await ocr(['scan.pdf', '-o', 'json'])).code).toBe(1);
  });

  test('a document without pages', async () => {
    const { ocr } = await recognizing(answering());
    expect(await ocr(['scan.pdf'])).toEqual({ code: 0, stdout: '', stderr: 'The document has no pages.\n' });
  });
});

test('a server without OCR', async () => {
  const { ocr } = await recognizing({
    unary: {
      OcrDocument: () => {
        throw failure(12, 'OcrDocument is not part of this build', { 'x-error-code': 'UNIMPLEMENTED' });
      },
    },
  });
  expect(await ocr(['scan.pdf'])).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'svc: OcrDocument is not part of this build\n  This server has no OCR service. What it has: svc system info\n',
  });
  expect(JSON.parse((await ocr(['scan.pdf', '-o', 'json'])).stderr)).toEqual({
    error: { code: 'UNIMPLEMENTED', message: 'OcrDocument is not part of this build', details: '' },
  });
});
