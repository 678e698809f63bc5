import { describe, expect, test } from 'vitest';
import { useFailingService } from '../../errors.fixture.ts';

const { sample, told } = useFailingService();

describe('configuration', () => {
  test('profiles and the config file', async () => {
    await sample.resetConfig();
    const profile = ['use attic', 'show attic', 'delete attic -f', 'update attic --tls pin', 'create -x', 'create a/b'];
    const situations = profile
      .filter((words) => !words.includes('-x'))
      .map((words) => ({ path: `profile ${words.split(' ')[0]}`, words: ['profile', ...words.split(' ')] }));
    const config = {
      path: 'config',
      words: ['config', '--profile', 'attic'],
      options: { env: { XDG_CONFIG_HOME: sample.folder } },
    };
    expect(await told([...situations, config], 78)).toMatchSnapshot();
    expect(await told([{ path: 'profile create', words: ['profile', 'create', 'work'] }], 65)).toMatchSnapshot();
    const homeless = { env: { XDG_CONFIG_HOME: '' } };
    expect(
      await told([{ path: 'profile create', words: ['profile', 'create', 'work'], options: homeless }], 78),
    ).toMatchSnapshot();
    expect(await told([{ path: 'profile show', words: ['profile', 'show'], options: homeless }], 78)).toMatchSnapshot();
  });
});
