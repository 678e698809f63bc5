/** The date that the man pages of a version carry. No clock is asked: the same sources make the same pages. */
export const RELEASED = { version: '0.1.0', date: '2026-11-21' } as const;
