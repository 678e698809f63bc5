import { playScenarios } from '../scenario.fixture.ts';
import { withoutSecretsKey } from '../targets/credentials.scenarios.ts';
import { EMBEDDERS, LLMS, RERANKERS } from '../targets/target-areas.ts';
import { spaceLists } from './lists.scenarios.ts';
import { refusedCreates } from './refused-creates.scenarios.ts';
import { spaces } from './spaces.scenarios.ts';

const keyless = [EMBEDDERS, LLMS, RERANKERS].flatMap(withoutSecretsKey);

playScenarios({
  spaces,
  'lists of spaces': spaceLists,
  'targets without a secrets key': keyless,
  'refused creates': refusedCreates,
});
