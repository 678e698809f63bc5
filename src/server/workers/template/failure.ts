/** As the template's author sees it: never a word of the server, at most a few of the template. */
export type FailureKind = 'syntax' | 'runtime' | 'limit';

/** Ends a template. `line` counts from 1; where it is unknown the statement being evaluated is meant. */
export class TemplateFailure extends Error {
  readonly kind: FailureKind;
  readonly line: number | undefined;

  constructor(kind: FailureKind, message: string, line?: number) {
    super(message);
    this.kind = kind;
    this.line = line;
  }
}

export function syntaxFailure(message: string, line?: number): TemplateFailure {
  return new TemplateFailure('syntax', message, line);
}

export function runtimeFailure(message: string): TemplateFailure {
  return new TemplateFailure('runtime', message);
}

export function limitFailure(message: string, line?: number): TemplateFailure {
  return new TemplateFailure('limit', message, line);
}

const QUOTED = 40;

/** A short piece of the author's own text, on one line. */
export function quoted(text: string): string {
  const line = text.slice(0, QUOTED).replace(/[\p{C}\s]+/gu, ' ');
  return `"${line}${text.length > QUOTED ? '…' : ''}"`;
}
