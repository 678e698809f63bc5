// @ts-check
// The API reference: Swagger UI over this server's own description.

/**
 * @typedef {object} Browser
 * @property {{ (options: object): unknown, presets: { apis: unknown } }} SwaggerUIBundle
 * @property {{ baseURI: string, documentElement: { classList: { toggle(name: string, on: boolean): void } } }} document
 * @property {(query: string) => { matches: boolean, addEventListener(type: string, listener: () => void): void }} matchMedia
 */
const { SwaggerUIBundle, document, matchMedia } = /** @type {Browser} */ (/** @type {unknown} */ (globalThis));

const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);

SwaggerUIBundle({
  url: new URL('../../openapi.json', document.baseURI).href,
  dom_id: '#reference',
  presets: [SwaggerUIBundle.presets.apis],
  layout: 'BaseLayout',
  // The badge would ask another host, and a query must not choose what this page shows.
  validatorUrl: null,
  queryConfigEnabled: false,
  persistAuthorization: false,
  deepLinking: true,
  docExpansion: 'none',
  filter: true,
  displayRequestDuration: true,
  showExtensions: false,
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 3,
  requestSnippetsEnabled: false,
  tryItOutEnabled: false,
});
