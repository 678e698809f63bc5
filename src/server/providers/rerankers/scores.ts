import { isObject } from '../../../shared/json/is-object.ts';
import { MalformedAnswer } from '../malformed-answer.ts';
import type { RerankerProtocol } from './protocol.ts';

/**
 * The scores of an answer in the order of the texts. Answers come best first and name their texts by index: each of the
 * `count` texts must be there once. Throws `MalformedAnswer`.
 */
export function scoresIn(answer: unknown, protocol: RerankerProtocol, count: number): number[] {
  const { resultsMember, scoreMember } = protocol;
  const results = resultsMember === undefined ? answer : isObject(answer) ? answer[resultsMember] : undefined;
  if (!Array.isArray(results)) throw new MalformedAnswer('no list of results');
  if (results.length !== count) throw new MalformedAnswer(`${results.length} scores for ${count} texts`);
  const scores = new Array<number | undefined>(count).fill(undefined);
  for (const result of results) {
    const { index, [scoreMember]: score } = isObject(result) ? result : {};
    if (typeof index !== 'number' || !(index in scores) || scores[index] !== undefined) {
      throw new MalformedAnswer('results whose index is missing, out of range or repeated');
    }
    // What JSON writes as 1e999 is infinite.
    if (typeof score !== 'number' || !Number.isFinite(score)) {
      throw new MalformedAnswer(`a result without a finite ${scoreMember}`);
    }
    scores[index] = score;
  }
  return scores.filter((score) => score !== undefined);
}
