/** The key of the servers that made the dumps: 32 bytes; it protects nothing else. */
export const SECRETS_KEY = Buffer.alloc(32, 'upgrade').toString('base64');
/** Sealed in the dumps as the credential of their OPENAI embedder. */
export const PROVIDER_SECRET = 'not-a-secret-of-anything';
export const OPENAI_DIMENSIONS = 8;
