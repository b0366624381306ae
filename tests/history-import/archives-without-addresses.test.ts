import { join } from 'node:path';

import { readObjects } from '@parley/test-kit';
import { beforeAll, expect, test } from 'vitest';

import { useImportTarget } from './imported-organization.ts';
import { writeSlack } from './slack-fixture.ts';

const target = useImportTarget();
const archive = (): string => join(target.folder, 'public.zip');

const person = (id: string, name: string, realName: string, more: object = {}): object => ({
  id,
  name,
  profile: { real_name: realName },
  ...more,
});

beforeAll(async () => {
  await writeSlack(archive(), {
    'users.json': [
      person('U1', 'ana', 'Ána Ruiz'),
      person('U2', 'bö.tide', 'Bo Tide'),
      person('U3', 'cy', 'Ana'),
      person('U4', '', '李 Keel'),
      person('U5', 'one', 'Same Name'),
      person('U6', 'other', 'Same Name'),
      person('U7', 'gone', 'Gone', { deleted: true }),
    ],
  });
});

const inBirch = ['--email-domain', 'birch.example'];

test.each([
  ['an address', 'ana@birch.test', inBirch, /It has no addresses: name somebody.*--email-domain/],
  ['a name, without a domain', 'ana', [], /Ána Ruiz has no address.*--email-domain/],
  ['a name of several people', 'same name', inBirch, /2 people .* are called same name/],
  ['no domain', 'ana', ['--email-domain', 'a b'], /--email-domain is the part of an address/],
])('%s of the administrator is refused with what to do', async (_name, named, more, reason) => {
  const { code, error } = await target.importFrom('slack', archive(), named, more);
  expect(error).toMatch(reason);
  expect(code).not.toBe(0);
  expect((await target.left()).rows).toBe(0);
});

test('everybody gets an address from the name, and the administrator signs in', async () => {
  const { code, out, error } = await target.importFrom('slack', archive(), 'ána ruiz', inBirch);
  expect([code, error]).toEqual([0, '']);
  expect(out).toContain('The first administrator: parley user password ana@birch.example');
  expect(out).toContain('6 × addresses that were made from names');
  const clientOf = await target.start();
  const ana = await clientOf('ana@birch.example');
  const members = readObjects(await ana.get('users'), 'members');
  const found = members.flatMap((user) =>
    user['is_bot'] === true ? [] : [[user['full_name'], user['is_active'], user['is_admin']]],
  );
  expect(found).toEqual(
    expect.arrayContaining([
      ['Ána Ruiz', true, true],
      ['Ana', true, false],
      ['李 Keel', true, false],
      ['Gone', false, false],
    ]),
  );
  for (const address of ['bo.tide', 'cy', 'keel', 'one', 'other'])
    expect(await (await clientOf(`${address}@birch.example`)).get('users/me')).toMatchObject({
      result: 'success',
    });
  expect(JSON.stringify(members)).toContain('gone@slack.invalid');
});
