import type { CommandError } from '../kit/errors.ts';
import { lineError, ndjsonRows } from '../kit/input/ndjson-rows.ts';
import { inputBytes, inputName } from '../kit/input/read-input.ts';
import type { Io } from '../kit/output/io.ts';

/** A question and the memories that ought to be found for it. */
export interface Question {
  /** Of the file, from 1. */
  line: number;
  question: string;
  /** Without repeats, in lower case; at least one. */
  memoryIds: readonly string[];
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Reads `{"question":"…","memoryIds":["…"]}` lines of a file, or of stdin for `-`; other members are passed over. All of it
 * is read before the first question is asked, so that a bad line costs nothing.
 *
 * @throws CommandError exit 65 with the number of a bad line, 66 when the file cannot be read.
 */
export async function readQuestions(
  io: Pick<Io, 'cwd' | 'stdin'>,
  file: string,
  signal: AbortSignal,
): Promise<Question[]> {
  const source = inputName(file);
  const questions: Question[] = [];
  for await (const { line, value } of ndjsonRows(inputBytes(io, file, signal), source)) {
    questions.push(questionOf(value, line, source));
  }
  return questions;
}

function questionOf(value: unknown, line: number, source: string): Question {
  const bad = (problem: string): CommandError =>
    lineError(source, line, problem, 'it is written {"question":"…","memoryIds":["…"]}');
  if (typeof value !== 'object' || value === null) throw bad('is not an object');
  const question = 'question' in value ? value.question : undefined;
  if (typeof question !== 'string' || question.trim() === '') throw bad('has no question');
  const ids: unknown = 'memoryIds' in value ? value.memoryIds : undefined;
  if (!Array.isArray(ids) || ids.length === 0) throw bad('names no memoryIds');
  const memoryIds = ids.map((id: unknown) => {
    if (typeof id === 'string' && UUID.test(id)) return id.toLowerCase();
    throw bad(`has a memory id that is no UUID: ${JSON.stringify(id)}`);
  });
  return { line, question, memoryIds: [...new Set(memoryIds)] };
}
