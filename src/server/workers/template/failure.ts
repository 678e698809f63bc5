/** For the author of the template: messages contain nothing of the server and at most a short quote of the template. */
export type FailureKind = 'syntax' | 'runtime' | 'limit';

/** Aborts a template. `line` counts from 1; if undefined, it is the line of the statement being evaluated. */
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

/** Quotes the template, shortened and on one line. */
export function quoted(text: string): string {
  const line = text.slice(0, QUOTED).replace(/[\p{C}\s]+/gu, ' ');
  return `"${line}${text.length > QUOTED ? '…' : ''}"`;
}
