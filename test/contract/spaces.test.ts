import { playScenarios } from './scenario.ts';
import { refusedCreates } from './scenarios/refused-creates.ts';
import { spaceLists } from './scenarios/space-lists.ts';
import { spaces } from './scenarios/spaces.ts';
import { EMBEDDERS, LLMS, RERANKERS } from './scenarios/target-areas.ts';
import { withoutSecretsKey } from './scenarios/target-credentials.ts';

const keyless = [EMBEDDERS, LLMS, RERANKERS].flatMap(withoutSecretsKey);

playScenarios({
  spaces,
  'lists of spaces': spaceLists,
  'targets without a secrets key': keyless,
  'refused creates': refusedCreates,
});
