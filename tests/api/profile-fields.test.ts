import { readObjects } from '@parley/test-kit';
import type { ApiClient, Parameters } from '@parley/test-kit';
import { beforeEach, describe, expect, test } from 'vitest';

import { anyNumber } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { refusalOf } from './message-fixture.ts';
import { coded, expectOneSuccess, expectRefusal, success, uncoded } from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';
import { watchEveryKind } from './watched-queues.ts';

const organization = useFixture(() => startSmallOrganization({ events: 1, people: 2 }));
beforeEach(() => organization.pool.query('DELETE FROM custom_profile_fields'));

const as = (who?: PersonKey): ApiClient => organization.client(who);

const types = { short: 1, long: 2, choice: 3, date: 4, url: 5, user: 6, account: 7 } as const;
const choices = { oak: { text: 'Oak', order: '1' }, elm: { text: 'Elm', order: '2' } };

async function addField(name: string, type: number, more: object = {}): Promise<number> {
  const answer = await as('ann').post('realm/profile_fields', { name, field_type: type, ...more });
  return answer['id'] as number;
}

describe('fields', () => {
  test('are added, changed, ordered and deleted, and each change sends everybody the whole list', async () => {
    const queues = await watchEveryKind(organization);
    const phone = await addField(' Phone ', types.short, { hint: 'With prefix' });
    const wood = await addField('Wood', types.choice, { field_data: choices });
    const github = await addField('ignored', types.account, { field_data: { subtype: 'github' } });
    await as('ann').patch(`realm/profile_fields/${phone}`, { name: 'Telephone' });
    await as('ann').patch('realm/profile_fields', { order: [github, wood, phone] });
    await as('ann').delete(`realm/profile_fields/${wood}`);
    const field = (id: number, more: object): object => ({ id, hint: '', field_data: '', ...more });
    const phoneField = field(phone, { name: 'Phone', type: 1, order: 0, hint: 'With prefix' });
    const woodField = field(wood, {
      name: 'Wood',
      type: 3,
      order: 1,
      field_data: JSON.stringify(choices),
    });
    const githubField = field(github, {
      name: 'GitHub',
      type: 7,
      order: 2,
      hint: 'Enter your GitHub username',
      field_data: '{"subtype":"github"}',
    });
    const telephone = { ...phoneField, name: 'Telephone', hint: '' };
    const list = (op: string, ...fields: object[]): object => ({
      type: 'custom_profile_fields',
      op,
      fields,
    });
    const left = [
      { ...githubField, order: 0 },
      { ...telephone, order: 2 },
    ];
    const events = [
      list('add', phoneField),
      list('add', phoneField, woodField),
      list('add', phoneField, woodField, githubField),
      list('update', telephone, woodField, githubField),
      list('update', { ...githubField, order: 0 }, woodField, { ...telephone, order: 2 }),
      list('delete', ...left),
    ];
    expect(await queues.shared()).toEqual(events);
    expect(await as('gil').get('realm/profile_fields')).toEqual({
      ...success,
      custom_fields: left,
    });
    expect(
      await as('bobBot').post('register', { fetch_event_types: ['custom_profile_fields'] }),
    ).toMatchObject({
      custom_profile_fields: left,
      custom_profile_field_types: {
        SHORT_TEXT: { id: 1, name: 'Short text' },
        EXTERNAL_ACCOUNT: { id: 7, name: 'External account' },
      },
    });
  });

  const withData = (field_data?: unknown): Parameters => ({ name: 'x', field_type: 3, field_data });
  const account = (field_data?: object): Parameters => ({ name: 'x', field_type: 7, field_data });
  const custom = (url_pattern: string): Parameters => account({ subtype: 'custom', url_pattern });
  const long = withData({ a: { text: 'A'.repeat(10_000), order: '1' } });
  const twice = custom('https://x.example/%(username)s%(username)s');

  test.each<[Parameters, string]>([
    [{ name: ' ', field_type: 1 }, 'Label cannot be blank.'],
    [{ field_type: 1 }, 'Label cannot be blank.'],
    [{ name: 'x'.repeat(41), field_type: 1 }, 'name is too long (limit: 40 characters)'],
    [{ name: 'x', hint: 'x'.repeat(81), field_type: 1 }, 'hint is too long (limit: 80 characters)'],
    [{ name: 'x', field_type: 8 }, 'Invalid field type.'],
    [{ name: 'x', field_type: 'text' }, 'Argument "field_type" is not valid JSON.'],
    [withData(), 'Field must have at least one choice.'],
    [withData([]), 'Field must have at least one choice.'],
    [withData(['x']), 'field_data is not a dict'],
    [withData({ a: { text: '', order: '1' } }), 'field_data["text"] cannot be blank.'],
    [withData({ a: { text: 'A' } }), 'order key is missing from field_data'],
    [withData({ ' ': { text: 'A', order: '1' } }), "'value' cannot be blank."],
    [long, 'field_data is too long (limit: 10000 characters)'],
    [account(), 'subtype key is missing from field_data'],
    [account({ subtype: ' ' }), 'field_data["subtype"] cannot be blank.'],
    [account({ subtype: 'fax' }), 'Invalid external account type'],
    [account({ subtype: 'custom' }), 'Custom external account must define url pattern'],
    [custom('https://x.example/'), 'Malformed URL pattern.'],
    [twice, 'Malformed URL pattern.'],
    ...['%(username)s', 'x %(username)s', 'ftp://x/%(username)s', 'https://x..y/%(username)s'].map(
      (pattern): [Parameters, string] => [
        custom(pattern),
        'field_data["url_pattern"] is not a URL',
      ],
    ),
  ])('one that is none is refused (%#)', async (field, msg) => {
    await expectRefusal(as('ann').post('realm/profile_fields', field), msg);
  });

  test('refuse field data that is not JSON, also in a change', async () => {
    const id = await addField('Berth', types.short);
    for (const [method, path] of [
      ['POST', 'realm/profile_fields'],
      ['PATCH', `realm/profile_fields/${id}`],
    ] as const) {
      const field = { name: 'x', field_type: 3, field_data: '{' };
      expect(await refusalOf(as('ann').call(method, path, field))).toEqual({
        status: 400,
        ...coded("Bad value for 'field_data': {"),
        code: 'REQUEST_VARIABLE_INVALID',
        var_name: 'field_data',
        bad_value: '{',
      });
    }
  });

  test('have unique labels, also under concurrent requests', async () => {
    const taken = uncoded('A field with that label already exists.');
    await expectOneSuccess(
      Array.from({ length: 4 }, () => addField('Deck', types.short)),
      taken,
    );
    const other = await addField('Hull', types.short);
    await expectRefusal(as('ann').patch(`realm/profile_fields/${other}`, { name: 'Deck' }), taken);
    // An unchanged name is allowed in a change of the field.
    expect(
      await as('ann').patch(`realm/profile_fields/${other}`, { name: 'Hull', hint: 'Below' }),
    ).toEqual(success);
  });

  test('are at most two hundred', async () => {
    await organization.pool.query(
      "INSERT INTO custom_profile_fields (name, type, display_order) SELECT 'f' || n, 1, n FROM generate_series(1, 200) n",
    );
    await expectRefusal(
      as('ann').post('realm/profile_fields', { name: 'One more', field_type: 1 }),
      'There are as many fields as there may be (200).',
    );
  });

  test('refuse changes of missing or fixed fields, and an incomplete order', async () => {
    const twitter = await addField('', types.account, { field_data: { subtype: 'twitter' } });
    const custom = await addField('Forge', types.account, {
      field_data: { subtype: 'custom', url_pattern: 'https://forge.example/%(username)s' },
    });
    await expectRefusal(
      as('ann').patch(`realm/profile_fields/${twitter}`, { name: 'X' }),
      uncoded('Default custom field cannot be updated.'),
    );
    for (const method of ['PATCH', 'DELETE'] as const)
      await expectRefusal(
        as('ann').call(method, 'realm/profile_fields/2000000000'),
        uncoded('Field id 2000000000 not found.'),
      );
    const order = (ids: unknown): Promise<unknown> =>
      as('ann').patch('realm/profile_fields', { order: ids });
    await expectRefusal(order([custom]), 'Invalid order mapping.');
    await expectRefusal(order('x'), 'Argument "order" is not valid JSON.');
    await expectRefusal(order(['x']), 'order[0] is not an integer');
    expect(await order([custom, twitter, 2_000_000_000])).toEqual(success);
  });
});

describe('values', () => {
  test('are visible to everybody, and each actual change is announced to everybody', async () => {
    const phone = await addField('Phone', types.short);
    const about = await addField('About', types.long);
    const wood = await addField('Wood', types.choice, { field_data: choices });
    const born = await addField('Born', types.date);
    const page = await addField('Page', types.url);
    const mate = await addField('Mate', types.user);
    const queues = await watchEveryKind(organization);
    const data = [
      { id: phone, value: '12345' },
      { id: about, value: '**Sails** a lot, @**all**' },
      { id: wood, value: 'oak' },
      { id: born, value: '1909-3-5' },
      { id: page, value: 'https://bob.example/' },
      { id: mate, value: [organization.id('cat')] },
    ];
    expect(await as('bob').patch('users/me/profile_data', { data })).toEqual(success);
    await as('bob').patch('users/me/profile_data', {
      data: [...data.slice(1), { id: phone, value: '54321' }],
    });
    const userId = organization.id('bob');
    const makeEvent = (field: object): object => ({
      type: 'realm_user',
      op: 'update',
      person: { user_id: userId, custom_profile_field: field },
    });
    const sails = {
      value: '**Sails** a lot, @**all**',
      rendered_value: '<p><strong>Sails</strong> a lot, @<strong>all</strong></p>',
    };
    const mates = JSON.stringify([organization.id('cat')]);
    const events = [
      makeEvent({ id: phone, value: '12345', rendered_value: '<p>12345</p>' }),
      makeEvent({ id: about, ...sails }),
      makeEvent({ id: wood, value: 'oak' }),
      makeEvent({ id: born, value: '1909-3-5' }),
      makeEvent({ id: page, value: 'https://bob.example/' }),
      makeEvent({ id: mate, value: mates }),
      makeEvent({ id: phone, value: '54321', rendered_value: '<p>54321</p>' }),
    ];
    expect(await queues.shared()).toEqual(events);
    const profile = {
      [phone]: { value: '54321', rendered_value: '<p>54321</p>' },
      [about]: sails,
      [wood]: { value: 'oak' },
      [born]: { value: '1909-3-5' },
      [page]: { value: 'https://bob.example/' },
      [mate]: { value: mates },
    };
    expect(await as('bob').get('users/me')).toMatchObject({ profile_data: profile });
    const options = { include_custom_profile_fields: true };
    const members = readObjects(await as('gil').get('users', options), 'members');
    const profiles = members.map((member) => [member['user_id'], member['profile_data']]);
    expect(profiles).toContainEqual([userId, profile]);
    expect(profiles).toContainEqual([organization.id('cat'), {}]);
    expect(profiles).toContainEqual([organization.id('bobBot'), undefined]);
    expect(await as('gil').get(`users/${userId}`, options)).toMatchObject({
      user: { profile_data: profile },
    });
    const people = readObjects(
      await as('gil').post('register', { fetch_event_types: ['realm_user'] }),
      'realm_users',
    );
    expect(people.find((person) => person['user_id'] === userId)).toMatchObject({
      profile_data: profile,
    });

    expect(
      await as('bob').delete('users/me/profile_data', { data: [phone, phone, about] }),
    ).toEqual(success);
    expect(await as('bob').delete('users/me/profile_data', { data: [phone] })).toEqual(success);
    const cleared = [makeEvent({ id: phone, value: null }), makeEvent({ id: about, value: null })];
    expect(await queues.shared()).toEqual(cleared);
    // Removing a field removes its values.
    await as('ann').delete(`realm/profile_fields/${wood}`);
    expect((await as('bob').get('users/me'))['profile_data']).not.toHaveProperty(String(wood));
  });

  test('are set by administrators for others, where an empty value clears', async () => {
    const phone = await addField('Phone', types.short);
    const mate = await addField('Mate', types.user);
    const gil = organization.id('gil');
    await as('ann').patch(`users/${gil}`, {
      profile_data: [
        { id: phone, value: '777' },
        { id: mate, value: [gil] },
      ],
    });
    expect(await as('gil').get('users/me')).toMatchObject({
      profile_data: { [phone]: { value: '777' }, [mate]: { value: `[${gil}]` } },
    });
    const queues = await watchEveryKind(organization);
    await as('ann').patch(`users/${gil}`, {
      profile_data: [
        { id: phone, value: '' },
        { id: mate, value: [] },
      ],
    });
    expect((await queues.step()).bob).toMatchObject([
      { person: { user_id: gil, custom_profile_field: { id: phone, value: null } } },
      { person: { user_id: gil, custom_profile_field: { id: mate, value: null } } },
    ]);
    expect(await as('gil').get('users/me')).toMatchObject({ profile_data: {} });
  });

  test('that a field does not accept are refused under its label, and the request changes nothing', async () => {
    const ids = {
      phone: await addField('Phone', types.short),
      about: await addField('About', types.long),
      wood: await addField('Wood', types.choice, { field_data: choices }),
      born: await addField('Born', types.date),
      page: await addField('Page', types.url),
      mate: await addField('Mate', types.user),
      forge: await addField('Forge', types.account, {
        field_data: { subtype: 'custom', url_pattern: 'https://forge.example/%(username)s' },
      }),
    };
    const { person } = await organization.makePersonWithBot(`gone${ids.phone}`);
    await as('ann').delete(`users/${person.user.id}`);
    const gone = person.user.id;
    const bot = organization.id('bobBot');
    const refusals: [keyof typeof ids, unknown, string][] = [
      ['phone', 'x'.repeat(51), 'Phone is too long (limit: 50 characters)'],
      ['phone', 5, 'Phone is not a string'],
      ['about', 'x'.repeat(501), 'About is too long (limit: 500 characters)'],
      ['wood', 'pine', "'pine' is not a valid choice for 'Wood'."],
      ['wood', 'constructor', "'constructor' is not a valid choice for 'Wood'."],
      ['born', '1990-02-30', 'Born is not a date'],
      ['page', 'nowhere', 'Page is not a URL'],
      ['mate', 'cat', 'User IDs is not a list'],
      ['mate', ['cat'], 'User IDs[0] is not an integer'],
      ['mate', [2_000_000_000], 'Invalid user ID: 2000000000'],
      ['mate', [99_999_999_999], 'Invalid user ID: 99999999999'],
      ['mate', [gone], `User with ID ${gone} is deactivated`],
      ['mate', [bot], `User with ID ${bot} is a bot`],
      ['mate', Array.from({ length: 1001 }, () => 1), 'User IDs is too long (limit: 1000 items)'],
      ['forge', 'x'.repeat(51), 'Forge is too long (limit: 50 characters)'],
    ];
    for (const [key, value, msg] of refusals) {
      const data = [
        { id: ids.phone, value: 'kept?' },
        { id: ids[key], value },
      ];
      await expectRefusal(as('bob').patch('users/me/profile_data', { data }), msg);
    }
    expect(await as('bob').get('users/me')).toMatchObject({ profile_data: {} });
  });

  test.each([
    ['PATCH', [{ id: 1 }], 'value key is missing from data[0]'],
    ['PATCH', [{ id: 'x', value: 'x' }], 'data[0]["id"] is not an integer'],
    ['PATCH', [{ id: 77_777_777_777, value: 'x' }], 'Field id 77777777777 not found.'],
    ['DELETE', [77_777_777_777], 'Field id 77777777777 not found.'],
  ] as const)('%s refuses (%#)', async (method, data, msg) => {
    await expectRefusal(as('bob').call(method, 'users/me/profile_data', { data }), msg);
  });

  test('of a field that is being deleted are not kept', async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await addField(`Passing ${round}`, types.short);
      const [{ status, body }] = await Promise.all([
        as('bob').request('PATCH', 'users/me/profile_data', { data: [{ id, value: 'x' }] }),
        as('ann').delete(`realm/profile_fields/${id}`),
      ]);
      if (status !== 200) expect(body).toMatchObject({ msg: `Field id ${id} not found.` });
    }
    expect(await as('bob').get('users/me')).toMatchObject({ profile_data: {}, user_id: anyNumber });
  });
});
