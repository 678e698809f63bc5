import { describe, expect, test } from 'vitest';
import { AddressPolicy } from '../../../src/server/providers/addresses.ts';
import { vectorTable } from '../../../src/server/store/vector-tables.ts';
import { CredentialKind, Modality, ProviderType } from '../../../src/shared/gen/service/v1/common_pb.ts';
import { DistributionType } from '../../../src/shared/gen/service/v1/embedder_pb.ts';
import { inline, openAi, reference, vectorType } from '../embedder.fixture.ts';
import { failure, openIdentity, sql, UNKNOWN_ID, useWorld } from '../identity.fixture.ts';

const world = useWorld();

describe('create', () => {
  test('fills in defaults and creates the table of its vectors', async () => {
    const request = openAi({ credentials: inline('s3cret'), labels: { team: 'a' } });
    const embedder = await world.call('createEmbedder', request, world.ada);
    expect(embedder).toMatchObject({
      description: '',
      apiPath: '/embeddings',
      distributionType: DistributionType.DENSE,
      supportedModalities: [Modality.TEXT],
      labels: { team: 'a' },
      version: '',
      monitoringEndpoint: '',
      ownerId: world.ada.userId,
      createdById: world.ada.userId,
    });
    expect(embedder.maxSequenceLength).toBeUndefined();
    expect(await vectorType(world.db, embedder.embedderId)).toBe('halfvec(8)');
    const [row] = await sql<{ text: string }>(
      world.db,
      'select embedder::text as text from embedder where embedder_id = $1',
      [embedder.embedderId],
    );
    expect(row?.text).not.toContain('s3cret');
  });

  test('up to 4000 dimensions vectors are stored inline, above out of line', async () => {
    for (const [dimensionality, storage] of [
      [4000, 'p'],
      [16_000, 'e'],
    ] as const) {
      const { embedderId } = await world.call('createEmbedder', openAi({ dimensionality }), world.ada);
      const table = vectorTable(embedderId);
      const rows = await sql<{ storage: string }>(
        world.db,
        `select attstorage as storage from pg_attribute
         where attrelid = to_regclass($1) and attname = 'embedding'`,
        [`${table}_shared`],
      );
      expect(rows).toEqual([{ storage }]);
      await sql(
        world.db,
        `insert into ${table} (space_id, memory_id, sequence, embedding)
         select $1, $1, 0, array_fill(0.5::real, array[${dimensionality}])::halfvec`,
        [UNKNOWN_ID],
      );
    }
  });

  test('BUILTIN needs neither address nor dimensions, and takes no address', async () => {
    const builtin = { displayName: 'Words', providerType: ProviderType.BUILTIN, modelIdentifier: 'lexical-v1' };
    const embedder = await world.call('createEmbedder', builtin, world.ada);
    expect(embedder).toMatchObject({ dimensionality: 1024, endpointUrl: '', apiPath: '' });
    const wrong = {
      ...builtin,
      modelIdentifier: 'other',
      endpointUrl: 'http://models.example.org',
      credentials: inline('x'),
    };
    expect(await failure(world.call('createEmbedder', wrong, world.ada))).toMatch(
      /endpointUrl: .*; credentials: .*; modelIdentifier: must be lexical-v1/,
    );
  });

  test.each<[string, () => object, RegExp]>([
    ['no address', () => ({ endpointUrl: undefined }), /^INVALID_ARGUMENT .*endpointUrl: is required/],
    ['no dimensions', () => ({ dimensionality: undefined }), /^INVALID_ARGUMENT .*dimensionality: is required/],
    [
      'a link-local address',
      () => ({ endpointUrl: 'http://169.254.169.254/' }),
      /^INVALID_ARGUMENT .*endpointUrl: .*link-local/,
    ],
    ['a link-local address in IPv6', () => ({ endpointUrl: 'http://[fe80::1]/' }), /^INVALID_ARGUMENT .*endpointUrl: /],
    ['empty credentials', () => ({ credentials: {} }), /^INVALID_ARGUMENT .*credentials\.kind: /],
    [
      'credentials of another kind',
      () => ({ credentials: { ...inline('x'), kind: CredentialKind.GCP_ADC } }),
      /^INVALID_ARGUMENT .*credentials\.apiKey/,
    ],
    ['SPARSE', () => ({ distributionType: DistributionType.SPARSE }), /^UNIMPLEMENTED/],
    ['another owner', () => ({ ownerId: world.bob.userId }), /^PERMISSION_DENIED .*CREATE_EMBEDDER_ANY/],
    ['an unknown owner', () => ({ ownerId: UNKNOWN_ID }), /^NOT_FOUND .*User not found/],
    ['a reference', () => ({ credentials: reference('env://KEY') }), /^PERMISSION_DENIED .*CREATE_EMBEDDER_ANY/],
  ])('refuses %s', async (_, more, problem) => {
    const request = openAi(more());
    const before = await sql(world.db, 'select from embedder');
    expect(await failure(world.call('createEmbedder', request, world.ada))).toMatch(problem);
    expect(await sql(world.db, 'select from embedder')).toHaveLength(before.length);
  });

  test('a model directory needs the _ANY form, and a build that can run it', async () => {
    const onnx = openAi({ providerType: ProviderType.ONNX, endpointUrl: 'file:///models/small' });
    expect(await failure(world.call('createEmbedder', onnx, world.ada))).toMatch(/CREATE_EMBEDDER_ANY$/);
    expect(await failure(world.call('createEmbedder', onnx, world.admin))).toMatch(/^UNIMPLEMENTED/);
  });

  test('refusals by settings depend on the settings', async () => {
    const policy = new AddressPolicy({ allowLinkLocal: true, allowedNetworks: ['169.254.0.0/16'] });
    const open = await openIdentity(world.db, { secretsKey: undefined, policy });
    const local = openAi({ endpointUrl: 'http://169.254.169.254/' });
    expect((await open.call('createEmbedder', local, world.ada)).endpointUrl).toBe('http://169.254.169.254/');
    expect(await failure(open.call('createEmbedder', openAi({ credentials: inline('x') }), world.ada))).toMatch(
      /^FAILED_PRECONDITION .* \| set SERVICE_SECRETS_KEY/,
    );
    const admins = openAi({ credentials: reference('env://KEY'), ownerId: world.bob.userId });
    expect((await open.call('createEmbedder', admins, world.admin)).ownerId).toBe(world.bob.userId);
  });

  test('a second embedder of the same target is refused, one with another secret or owner is not', async () => {
    const first = openAi({ endpointUrl: 'https://Same.example.org:443/v1/', credentials: inline('one') });
    const { embedderId } = await world.call('createEmbedder', first, world.ada);
    const same = { ...first, endpointUrl: 'https://same.example.org/v1', displayName: 'other name' };
    expect(await failure(world.call('createEmbedder', same, world.ada))).toMatch(/^ALREADY_EXISTS .*same endpoint/);
    const outcomes = [
      { ...same, credentials: inline('two') },
      { ...same, credentials: undefined },
      { ...same, dimensionality: 9 },
      { ...same, apiPath: '/other' },
    ].map((request) => failure(world.call('createEmbedder', request, world.ada)));
    expect(await Promise.all(outcomes)).toEqual(outcomes.map(() => 'no failure'));
    expect(await failure(world.call('createEmbedder', same, world.bob))).toBe('no failure');
    expect(await failure(world.call('createEmbedder', openAi({ embedderId }), world.bob))).toMatch(
      /^ALREADY_EXISTS .*id/,
    );
  });

  test('an address as long as it may be can be stored', async () => {
    // Random, because an index entry is compressed before it is too long.
    const noise = () => Array.from({ length: 200 }, () => Math.random().toString(36).slice(2)).join('');
    const long = openAi({ endpointUrl: `https://e.org/${noise()}`.slice(0, 2048), apiPath: noise().slice(0, 1024) });
    expect(await failure(world.call('createEmbedder', long, world.ada))).toBe('no failure');
  });
});

describe('read', () => {
  test('own and shared ones are visible, those of other users are not', async () => {
    const own = await world.call('createEmbedder', openAi(), world.ada);
    const shared = await world.call('createEmbedder', openAi({ labels: { l: 'x' } }), world.admin);
    const foreign = await world.call('createEmbedder', openAi(), world.bob);
    const get = (embedderId: string, caller = world.ada) => failure(world.call('getEmbedder', { embedderId }, caller));
    expect(await get(own.embedderId)).toBe('no failure');
    expect(await get(shared.embedderId)).toBe('no failure');
    expect(await get(foreign.embedderId)).toMatch(/^PERMISSION_DENIED .*READ_EMBEDDER_ANY/);
    expect(await get(foreign.embedderId, world.admin)).toBe('no failure');
    expect(await get(UNKNOWN_ID)).toBe(`NOT_FOUND | Embedder not found: ${UNKNOWN_ID}`);

    const list = async (request: object, caller = world.ada) =>
      (await world.call('listEmbedders', request, caller)).embedders.map(({ embedderId }) => embedderId);
    const seen = await list({});
    expect(seen.indexOf(shared.embedderId)).toBeLessThan(seen.indexOf(own.embedderId));
    expect(seen).toEqual(expect.arrayContaining([own.embedderId, shared.embedderId]));
    expect(seen).not.toContain(foreign.embedderId);
    expect(await list({}, world.admin)).toContain(foreign.embedderId);
    expect(await list({ ownerId: world.bob.userId })).toEqual([]);
    expect(await list({ label: { l: 'x' } })).toEqual([shared.embedderId]);
    const tei = openAi({ providerType: ProviderType.TEI });
    const { embedderId } = await world.call('createEmbedder', tei, world.ada);
    expect(await list({ providerType: ProviderType.TEI })).toEqual([embedderId]);
  });
});
