import { expect, test } from 'vitest';
import { indentJson } from '../../../../../src/cli/kit/text/json-text.ts';

test('indented JSON keeps every digit and every string', () => {
  const compact = '{"a":[1772530200123456789,{"b":"x\\",{[:"}],"empty":{},"none":[]}';
  expect(indentJson(compact)).toBe(
    '{\n  "a": [\n    1772530200123456789,\n    {\n      "b": "x\\",{[:"\n    }\n  ],\n  "empty": {},\n  "none": []\n}',
  );
});
