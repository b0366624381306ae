import { drawDefaultAvatar } from '@parley/files/images';
import { readObjects } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';
import sharp from 'sharp';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { expectOneSuccess, expectRefusal, notAdministrator, success, uncoded } from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';
import { fetchAnonymously, hugePicture, sendFiles } from './send-form.ts';
import { WatchedQueues } from './watched-queues.ts';

let picture: Buffer;
const organization = useFixture(() => startSmallOrganization());
beforeAll(async () => {
  picture = await drawDefaultAvatar(300);
});
beforeEach(async () => {
  await organization.pool.query('DELETE FROM realm_emoji');
  await organization.removeStreams();
});

const as = (who?: PersonKey): ApiClient => organization.client(who);
const invalidName = 'Invalid characters in emoji name';
const taken = uncoded('A custom emoji with this name already exists.');
const notOne = uncoded('You must upload exactly one file.');

const upload = (who: PersonKey, name: string, ...files: (Buffer | string)[]): Promise<JsonObject> =>
  sendFiles(as(who), `realm/emoji/${encodeURIComponent(name)}`, files);

async function listEmoji(who: PersonKey = 'ann'): Promise<Record<string, JsonObject>> {
  return (await as(who).get('realm/emoji'))['emoji'] as Record<string, JsonObject>;
}

/** @returns the id of a new emoji of Bob's */
async function add(name: string): Promise<string> {
  expect(await upload('bob', name, picture)).toEqual(success);
  const added = Object.values(await listEmoji()).find(
    (emoji) => emoji['name'] === name && emoji['deactivated'] === false,
  );
  return String(added?.['id']);
}

const remove = (who: PersonKey, name: string): Promise<JsonObject> =>
  as(who).delete(`realm/emoji/${name}`);

async function animation(side: number): Promise<Buffer> {
  const frames = await Promise.all(
    ['#f00', '#0f0', '#00f'].map((background) =>
      sharp({ create: { width: side, height: side, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  return sharp(frames, { join: { animated: true } })
    .gif({ delay: [100, 100, 100] })
    .toBuffer();
}

describe('custom emoji', () => {
  test('are added and deactivated, and listed by id for everybody', async () => {
    const first = await add('party');
    const second = await add('newt_2');
    expect(await remove('bob', 'party')).toEqual(success);
    const emoji = (id: string, name: string, deactivated: boolean): object => ({
      id,
      name,
      source_url: `/user_avatars/1/emoji/images/${id}.png`,
      deactivated,
      author: { id: organization.id('bob'), email: 'bob@example.com', full_name: 'Bob Ray' },
    });
    const left = { [first]: emoji(first, 'party', true), [second]: emoji(second, 'newt_2', false) };
    for (const who of ['ann', 'bob', 'gil', 'bobBot'] as const) {
      expect(await as(who).get('realm/emoji')).toEqual({ ...success, emoji: left });
      expect(await as(who).post('register', { fetch_event_types: ['realm_emoji'] })).toMatchObject({
        realm_emoji: left,
      });
    }
    expect((await as().request('GET', 'realm/emoji')).status).toBe(401);
  });

  test('`my emoji` is stored as `my_emoji`, and `My_Emoji` is refused', async () => {
    expect(await upload('bob', ' my emoji ', picture)).toEqual(success);
    expect(Object.values(await listEmoji())).toMatchObject([{ name: 'my_emoji' }]);
    await expectRefusal(upload('bob', 'My_Emoji', picture), invalidName);
  });

  test('a free name can be used again, with a new id', async () => {
    const first = await add('wave');
    expect(await remove('ann', 'wave')).toEqual(success);
    const second = await add('wave');
    expect(second).not.toBe(first);
    expect(await listEmoji()).toMatchObject({
      [first]: { deactivated: true },
      [second]: { deactivated: false },
    });
  });

  test('a custom emoji replaces a Unicode emoji from the next send on, at every replica', async () => {
    await as('bob').subscribe('garden');
    const sent = async (): Promise<unknown> => {
      const anchor = await as('bob').sendToStream('garden', 'emoji', 'a :wave: and :newt:');
      const answer = await as('bob').get('messages', {
        anchor,
        num_before: 0,
        num_after: 0,
      });
      return readObjects(answer, 'messages')[0]?.['content'];
    };
    expect(await sent()).not.toContain('/user_avatars/');
    const wave = await add('wave');
    const newt = await add('newt');
    for (const _turn of [1, 2, 3, 4]) {
      const content = await sent();
      for (const id of [wave, newt])
        expect(content).toContain(`src="/user_avatars/1/emoji/images/${id}.png"`);
    }
    await remove('bob', 'newt');
    for (const _turn of [1, 2]) expect(await sent()).toContain(':newt:');
  });
});

describe('pictures', () => {
  test('are squares of 64 pixels, in their own format if browsers show it, served without a key and cacheable', async () => {
    for (const [format, extension, type] of [
      ['png', 'png', 'image/png'],
      ['jpeg', 'jpg', 'image/jpeg'],
      ['webp', 'webp', 'image/webp'],
      ['gif', 'gif', 'image/gif'],
      ['tiff', 'png', 'image/png'],
    ] as const) {
      const original = await sharp(picture).resize(200, 120).toFormat(format).toBuffer();
      expect(await upload('bob', format, original)).toEqual(success);
      const emoji = Object.values(await listEmoji()).find((one) => one['name'] === format);
      const url = String(emoji?.['source_url']);
      expect(url.endsWith(`.${extension}`)).toBe(true);
      const answer = await fetchAnonymously(organization, url);
      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': type,
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
        'content-length': String(answer.content.length),
      });
      expect(await sharp(answer.content).metadata()).toMatchObject({
        format: type.replace('image/', ''),
        width: 64,
        height: 64,
      });
      const head = await fetchAnonymously(organization, url, 'HEAD');
      expect([head.status, head.content.length, head.headers.get('content-type')]).toEqual([
        200,
        0,
        type,
      ]);
    }
  });

  test.each([
    [128, 128],
    [200, 64],
  ])('an animation of %i pixels stays animated, at %i', async (side, made) => {
    const name = `moving${side}`;
    expect(await upload('bob', name, await animation(side))).toEqual(success);
    const [emoji] = Object.values(await listEmoji());
    const { content } = await fetchAnonymously(organization, String(emoji?.['source_url']));
    const { width, pageHeight, pages } = await sharp(content, { animated: true }).metadata();
    expect([width, pageHeight, pages]).toEqual([made, made, 3]);
  });

  test('of deactivated emoji remain available; unknown ones are 404', async () => {
    const id = await add('gone');
    await remove('bob', 'gone');
    const get = async (file: string): Promise<number> =>
      (await fetchAnonymously(organization, `/user_avatars/${file}`)).status;
    expect(await get(`1/emoji/images/${id}.png`)).toBe(200);
    for (const file of [
      `1/emoji/images/${id}.gif`,
      `2/emoji/images/${id}.png`,
      '1/emoji/images/999999999.png',
      '1/emoji/images/0.png',
      '1/emoji/images/..%2F..%2Frealm',
      '1/emoji/images/x.png',
      '1/emoji/images/',
      '1/emoji/images',
    ])
      expect([file, await get(file)]).toEqual([file, 404]);
  });

  test('that are refused leave no file', async () => {
    const { rows } = await organization.pool.query('SELECT * FROM files_to_remove');
    expect(rows).toEqual([]);
  });
});

describe('refuses', () => {
  test.each(['', '-', 'a.', 'a-', 'a_', 'ä', 'a/b', 'a!', 'A', 'a\0b', 'a\nb', '😀'])(
    'the name %j',
    async (name) => {
      await expectRefusal(upload('bob', name === '' ? ' ' : name, picture), invalidName);
      expect(await listEmoji()).toEqual({});
    },
  );

  test('a name of more than a hundred characters', async () => {
    await expectRefusal(
      upload('bob', 'x'.repeat(101), picture),
      'emoji_name is too long (limit: 100 characters)',
    );
    expect(await upload('bob', 'x'.repeat(100), picture)).toEqual(success);
  });

  test('a text file, with `Image file upload failed.` and no code', async () => {
    const failed = uncoded('Image file upload failed.');
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    for (const content of ['hello', '', svg, picture.subarray(0, 200), hugePicture])
      await expectRefusal(upload('bob', 'text', content), failed);
    expect(await listEmoji()).toEqual({});
  });

  test('no file, two files, and more than 5 MB', async () => {
    await expectRefusal(upload('bob', 'none'), notOne);
    await expectRefusal(upload('bob', 'two', picture, picture), notOne);
    await expectRefusal(as('bob').post('realm/emoji/none'), notOne);
    await expectRefusal(
      upload('bob', 'large', Buffer.alloc(5 * 1024 * 1024 + 1)),
      uncoded('Uploaded file is larger than the allowed limit of 5 MB'),
    );
    expect(
      await upload('bob', 'padded', Buffer.concat([picture, Buffer.alloc(4 * 1024 * 1024)])),
    ).toEqual(success);
  });

  test('a name that is in use, before it reads the file', async () => {
    await add('party');
    await expectRefusal(upload('cat', 'party', 'no picture'), taken);
  });

  test('a missing emoji, before it checks the caller', async () => {
    for (const who of ['ann', 'cat'] as const)
      await expectRefusal(remove(who, 'nothing'), "Emoji 'nothing' does not exist");
    const id = await add('party');
    await expectRefusal(remove('bob', id), `Emoji '${id}' does not exist`);
    expect(await remove('bob', 'party')).toEqual(success);
    await expectRefusal(remove('bob', 'party'), "Emoji 'party' does not exist");
  });
});

describe('who may', () => {
  test('an author who became a guest may still delete the own emoji', async () => {
    await add('party');
    await as('ann').patch(`users/${organization.id('bob')}`, { is_guest: true });
    try {
      expect(await remove('bob', 'party')).toEqual(success);
    } finally {
      await as('ann').patch(`users/${organization.id('bob')}`, { is_guest: false });
    }
  });

  test("a member may not delete another member's emoji; administrators may", async () => {
    await add('party');
    await expectRefusal(
      remove('cat', 'party'),
      'Must be an organization administrator or emoji author',
    );
    expect(await remove('ann', 'party')).toEqual(success);
  });

  test('a policy can require administrators, also for the author', async () => {
    await add('party');
    await as('ann').patch('realm', { add_emoji_by_admins_only: true });
    await expectRefusal(upload('bob', 'other', picture), notAdministrator);
    // Names are checked first.
    await expectRefusal(upload('bob', 'Other', picture), invalidName);
    await expectRefusal(remove('bob', 'party'), notAdministrator);
    await expectRefusal(remove('bob', 'other'), "Emoji 'other' does not exist");
    expect(await upload('ann', 'other', picture)).toEqual(success);
    expect(await remove('ann', 'party')).toEqual(success);
  });
});

test('of two concurrent emoji with one name one is created, on any replica, and no file of the other remains', async () => {
  const queues = await WatchedQueues.open({ gil: as('gil') }, as('cat'));
  await expectOneSuccess(
    (['ann', 'bob', 'cat', 'ann', 'bob', 'cat'] as const).map((who) =>
      upload(who, 'race', picture),
    ),
    taken,
  );
  const { gil: events } = await queues.step();
  expect(events).toHaveLength(1);
  expect(Object.keys(await listEmoji())).toHaveLength(1);
  const { rows } = await organization.pool.query('SELECT * FROM files_to_remove');
  expect(rows).toEqual([]);
});

test('the last event has the actual list, however many changes are concurrent', async () => {
  const queues = await WatchedQueues.open({ gil: as('gil') }, as('cat'));
  await Promise.all(Array.from({ length: 10 }, (_, n) => upload('bob', `many${n}`, picture)));
  const { gil: events } = await queues.step();
  expect(events.map((event) => Object.keys(event['realm_emoji'] as object).length)).toEqual(
    Array.from({ length: 10 }, (_, n) => n + 1),
  );
  expect(events.at(-1)?.['realm_emoji']).toEqual(await listEmoji('gil'));
});
