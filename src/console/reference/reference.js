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

/**
 * Shows a stream of lines as the text that it is. The viewer takes every type with "json" in its name for one JSON value, and
 * says of lines that it cannot parse them.
 * @type {(system: { React: { createElement(type: unknown, props: object): unknown } }) => object}
 */
const linesAreText = ({ React }) => ({
  wrapComponents: {
    responseBody: (/** @type {unknown} */ Original) => (/** @type {{ contentType?: string }} */ props) => {
      const contentType = /ndjson/i.test(props.contentType ?? '') ? 'text/plain' : props.contentType;
      return React.createElement(Original, { ...props, contentType });
    },
  },
});

SwaggerUIBundle({
  url: new URL('../../openapi.json', document.baseURI).href,
  dom_id: '#reference',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [linesAreText],
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
