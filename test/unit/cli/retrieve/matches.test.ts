import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bestSentence, markedParts, questionWords } from '../../../../src/cli/retrieve/matches.ts';
import { codePoint } from '../../../support/code-point.ts';

const sentence = (text: string, question: string): string | undefined => {
  const best = bestSentence(text, questionWords(question));
  return best && text.slice(best.start, best.end).trim();
};
const marked = (text: string, question: string): string =>
  markedParts(text, questionWords(question))
    .map((part) => (part.isMatch ? `<${part.text}>` : part.text))
    .join('');

describe('the words of a question', () => {
  test('are its content words', () => {
    expect(questionWords('When was the Boiler serviced, and by whom?')).toEqual(['boiler', 'serviced']);
  });

  test('are all words when it has stop words only', () => {
    expect(questionWords('to be or not to be')).toEqual(['to', 'be', 'or', 'not']);
  });
});

describe('marks', () => {
  test.each([
    ['The boiler gets a service in March.', 'when was the boiler serviced?', 'The <boiler> gets a <service> in March.'],
    ['Der Kessel im KELLER', 'keller kessel', 'Der <Kessel> im <KELLER>'],
    ['Un café crème', 'cafe', 'Un <café> crème'],
    ['He drove a car with care.', 'car', 'He drove a <car> with care.'],
    ['锅炉在三月检修过。', '锅炉 什么时候 检修', '<锅炉>在三月<检修>过。'],
    ['Nothing here', 'boiler', 'Nothing here'],
    ['', 'boiler', ''],
  ])('%j for %j', (text, question, expected) => {
    expect(marked(text, question)).toBe(expected);
  });

  test('lose no character of any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: codePoint, maxLength: 60 }),
        fc.string({ unit: codePoint, maxLength: 20 }),
        (text, question) => {
          const parts = markedParts(text, questionWords(question));
          expect(parts.map((part) => part.text).join('')).toBe(text);
        },
      ),
    );
  });
});

describe('the best sentence', () => {
  const TEXT = `The boiler is in the cellar. Anna serviced the boiler on 3 March.
- boiler manual: top shelf
- spare key: Mr Smith`;

  test.each([
    ['when was the boiler serviced?', 'Anna serviced the boiler on 3 March.'],
    ['where is the spare key?', '- spare key: Mr Smith'],
    ['boiler', 'The boiler is in the cellar.'],
    ['cellar', 'The boiler is in the cellar.'],
    ['roof', undefined],
  ])('for %j is %j', (question, expected) => {
    expect(sentence(TEXT, question)).toBe(expected);
  });

  test('a rare word of the question counts more than a common one', () => {
    const text = 'Boiler room. Boiler key. Boiler door. Boiler tap. The manual lies here. Boiler again.';
    expect(sentence(text, 'boiler manual')).toBe('The manual lies here.');
  });

  test('says where its first match stands', () => {
    const best = bestSentence(TEXT, questionWords('spare'));
    expect(TEXT.slice(best?.firstMatch)).toBe('spare key: Mr Smith');
  });
});
