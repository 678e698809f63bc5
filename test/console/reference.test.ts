import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { raw } from '../support/raw-rest.ts';
import { startServer, type TestServer } from '../support/server.ts';
import { hasTool } from '../support/tools.ts';

describe.runIf(hasTool('chromium'))('the API reference in a browser', () => {
  let database: TestDatabase;
  let server: TestServer;
  let browser: Browser;
  let page: Page;
  let key: string;
  let spaceId: string;
  /** Every address that the page asks for. */
  const asked: string[] = [];
  const faults: string[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startServer({ databaseFlags: database.serverFlags });
    key = (await raw(server, 'POST /v1/system/init')).json.rootApiKey;
    const embedder = {
      displayName: 'words',
      providerType: 'BUILTIN',
      modelIdentifier: 'lexical-v1',
      dimensionality: 256,
    };
    const { embedderId } = (await raw(server, 'POST /v1/embedders', { key, body: embedder })).json;
    spaceId = (await raw(server, 'POST /v1/spaces', { key, body: { name: 'house', embedderId } })).json.spaceId;
    const originalContent = 'The boiler was serviced in May.';
    const memory = { spaceId, contentType: 'text/plain', originalContent };
    const added = await raw(server, 'POST /v1/memories?waitMs=30000', { key, body: memory });
    expect(added.json.processingStatus).toBe('COMPLETED');
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
    page = await browser.newPage();
    page.setDefaultTimeout(20_000);
    page.on('request', (request) => asked.push(new URL(request.url()).origin));
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(message.text());
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.end();
    await database?.drop();
  });

  test('/ leads to it, with every operation', async () => {
    await page.goto(`${server.rest}/`);
    await page.getByRole('heading', { name: 'svc API reference' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/console\//);
    const areas = page.locator('.opblock-tag');
    await areas.first().waitFor();
    const { json } = await raw(server, '/openapi.json');
    expect(await areas.count()).toBe(json.tags.length);
    for (const area of await areas.all()) await area.click();
    const described = Object.values(json.paths as Record<string, object>).flatMap((methods) => Object.keys(methods));
    await page
      .locator('.opblock')
      .nth(described.length - 1)
      .waitFor();
    expect(await page.locator('.opblock').count()).toBe(described.length);
  });

  test('a retrieval that is tried out shows its events as NDJSON lines', async () => {
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.locator('#api_key_value').first().fill(key);
    await page.locator('.auth-container').first().getByRole('button', { name: 'Apply credentials' }).click();
    await page.getByRole('button', { name: 'Close' }).first().click();
    const operation = page.locator('#operations-Memories-retrieveMemory');
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    const body = { message: 'when was the boiler serviced?', spaceKeys: [{ spaceId }] };
    await operation.locator('textarea').fill(JSON.stringify(body));
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table .response');
    await answer.waitFor();
    expect(await answer.locator('.response-col_status').textContent()).toMatch(/^200/);
    expect(await answer.textContent()).not.toContain("can't parse");
    const lines = ((await answer.locator('.highlight-code code').textContent()) ?? '')
      .split('\n')
      .filter((line) => line.startsWith('{'));
    const events = lines.map((line) => JSON.parse(line));
    expect(events[0]).toHaveProperty('resultSetBoundary');
    expect(events.at(-1)).toHaveProperty('resultSetBoundary');
    expect(lines.join('\n')).toContain('The boiler was serviced in May.');
  });

  test('it requests no other host and logs no error', () => {
    expect(new Set(asked)).toEqual(new Set([server.rest]));
    expect(faults).toEqual([]);
  });
});
