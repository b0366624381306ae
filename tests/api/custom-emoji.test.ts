import { drawDefaultAvatar } from '@parley/images';
import { readObjects } from '@parley/test-kit';
import type { Answer, ApiClient, JsonObject } from '@parley/test-kit';
import sharp from 'sharp';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey, SmallOrganization } from './small-organization.ts';
import { fetchAnonymously, hugePicture, sendForm } from './send-form.ts';
import type { FormAnswer } from './send-form.ts';
import { WatchedQueues } from './watched-queues.ts';

let organization: SmallOrganization;
let picture: Buffer;
beforeAll(async () => {
  organization = await startSmallOrganization({ events: 1, people: 2, messages: 2 });
  picture = await drawDefaultAvatar(300);
});
afterAll(() => organization.stop());
beforeEach(async () => {
  await organization.pool.query('DELETE FROM realm_emoji');
  await organization.removeStreams();
});

const as = (who?: PersonKey): ApiClient => organization.client(who);
const coded = (msg: string): object => ({ result: 'error', msg, code: 'BAD_REQUEST' });
const uncoded = (msg: string): object => ({ result: 'error', msg });
const done = { result: 'success', msg: '' };
const notAdministrator = {
  result: 'error',
  msg: 'Must be an organization administrator',
  code: 'UNAUTHORIZED_PRINCIPAL',
};
const invalidName = coded('Invalid characters in emoji name');
const taken = uncoded('A custom emoji with this name already exists.');
const notOne = uncoded('You must upload exactly one file.');

async function bodyOf(answer: Promise<Answer | FormAnswer>): Promise<JsonObject> {
  return (await answer).body;
}

function upload(
  who: PersonKey | undefined,
  name: string,
  ...files: (Buffer | string)[]
): Promise<FormAnswer> {
  return sendForm(organization, who, `realm/emoji/${encodeURIComponent(name)}`, files);
}

async function listEmoji(who: PersonKey = 'ann'): Promise<Record<string, JsonObject>> {
  return (await as(who).get('realm/emoji'))['emoji'] as Record<string, JsonObject>;
}

/** @returns the id of a new emoji of Bob's */
async function add(name: string): Promise<string> {
  expect(await bodyOf(upload('bob', name, picture))).toEqual(done);
  const added = Object.values(await listEmoji()).find(
    (emoji) => emoji['name'] === name && emoji['deactivated'] === false,
  );
  return String(added?.['id']);
}

const remove = (who: PersonKey, name: string): Promise<JsonObject> =>
  bodyOf(as(who).request('DELETE', `realm/emoji/${name}`));

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
  test('are added and deactivated, listed by id for everybody, and each change sends everybody the whole list', async () => {
    const queues = await WatchedQueues.open(
      { ann: as('ann'), bob: as('bob'), gil: as('gil'), bobBot: as('bobBot') },
      as('cat'),
    );
    const first = await add('party');
    const second = await add('newt_2');
    expect(await remove('bob', 'party')).toEqual(done);
    const author = { id: organization.id('bob'), email: 'bob@example.com', full_name: 'Bob Ray' };
    const emoji = (id: string, name: string, deactivated: boolean): object => ({
      id,
      name,
      source_url: `/user_avatars/1/emoji/images/${id}.png`,
      deactivated,
      author,
    });
    const left = { [first]: emoji(first, 'party', true), [second]: emoji(second, 'newt_2', false) };
    const events = [
      { [first]: emoji(first, 'party', false) },
      { ...left, [first]: emoji(first, 'party', false) },
      left,
    ].map((all) => ({ type: 'realm_emoji', op: 'update', realm_emoji: all }));
    expect(await queues.step()).toEqual({ ann: events, bob: events, gil: events, bobBot: events });
    for (const who of ['ann', 'bob', 'gil', 'bobBot'] as const) {
      expect(await as(who).get('realm/emoji')).toEqual({ ...done, emoji: left });
      expect(await as(who).post('register', { fetch_event_types: ['realm_emoji'] })).toMatchObject({
        realm_emoji: left,
      });
    }
    expect((await as().request('GET', 'realm/emoji')).status).toBe(401);
  });

  test('`my emoji` is stored as `my_emoji`, and `My_Emoji` is refused', async () => {
    expect(await bodyOf(upload('bob', ' my emoji ', picture))).toEqual(done);
    expect(Object.values(await listEmoji())).toMatchObject([{ name: 'my_emoji' }]);
    expect(await bodyOf(upload('bob', 'My_Emoji', picture))).toEqual(invalidName);
  });

  test('a free name can be used again, with a new id', async () => {
    const first = await add('wave');
    expect(await remove('ann', 'wave')).toEqual(done);
    const second = await add('wave');
    expect(second).not.toBe(first);
    expect(await listEmoji()).toMatchObject({
      [first]: { deactivated: true },
      [second]: { deactivated: false },
    });
  });

  test('a custom emoji replaces a Unicode emoji from the next send on, at every replica', async () => {
    await as('bob').post('users/me/subscriptions', { subscriptions: [{ name: 'garden' }] });
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
      expect(await bodyOf(upload('bob', format, original))).toEqual(done);
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
    expect(await bodyOf(upload('bob', name, await animation(side)))).toEqual(done);
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
      const answer = await upload('bob', name === '' ? ' ' : name, picture);
      expect(answer.body).toEqual(invalidName);
      expect(await listEmoji()).toEqual({});
    },
  );

  test('a name of more than a hundred characters', async () => {
    expect(await bodyOf(upload('bob', 'x'.repeat(101), picture))).toEqual(
      coded('emoji_name is too long (limit: 100 characters)'),
    );
    expect(await bodyOf(upload('bob', 'x'.repeat(100), picture))).toEqual(done);
  });

  test('a text file, with `Image file upload failed.` and no code', async () => {
    const failed = uncoded('Image file upload failed.');
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>';
    for (const content of ['hello', '', svg, picture.subarray(0, 200), hugePicture])
      expect(await bodyOf(upload('bob', 'text', content))).toEqual(failed);
    expect(await listEmoji()).toEqual({});
  });

  test('no file, two files, and more than 5 MB', async () => {
    expect(await bodyOf(upload('bob', 'none'))).toEqual(notOne);
    expect(await bodyOf(upload('bob', 'two', picture, picture))).toEqual(notOne);
    expect(await bodyOf(as('bob').request('POST', 'realm/emoji/none'))).toEqual(notOne);
    expect(await bodyOf(upload('bob', 'large', Buffer.alloc(5 * 1024 * 1024 + 1)))).toEqual(
      uncoded('Uploaded file is larger than the allowed limit of 5 MB'),
    );
    expect(
      await bodyOf(
        upload('bob', 'padded', Buffer.concat([picture, Buffer.alloc(4 * 1024 * 1024)])),
      ),
    ).toEqual(done);
  });

  test('a name that is in use, before it reads the file', async () => {
    await add('party');
    expect(await bodyOf(upload('cat', 'party', 'no picture'))).toEqual(taken);
  });

  test('a missing emoji, before it checks the caller', async () => {
    for (const who of ['ann', 'cat'] as const)
      expect(await remove(who, 'nothing')).toEqual(coded("Emoji 'nothing' does not exist"));
    const id = await add('party');
    expect(await remove('bob', id)).toEqual(coded(`Emoji '${id}' does not exist`));
    expect(await remove('bob', 'party')).toEqual(done);
    expect(await remove('bob', 'party')).toEqual(coded("Emoji 'party' does not exist"));
  });
});

describe('who may', () => {
  test('guests may not add emoji, bots are refused without a code, and a key is required', async () => {
    await add('party');
    const ask = (who?: PersonKey): Promise<FormAnswer> => upload(who, 'other', picture);
    expect(await bodyOf(ask('gil'))).toEqual(coded('Not allowed for guest users'));
    expect(await bodyOf(ask('bobBot'))).toEqual(
      uncoded('This endpoint does not accept bot requests.'),
    );
    for (const who of ['hookBot', undefined] as const) {
      expect((await ask(who)).status).toBe(401);
      expect((await as(who).request('DELETE', 'realm/emoji/party')).status).toBe(401);
    }
  });

  test('deletion checks in one order for all, including guests and bots', async () => {
    await add('party');
    for (const who of ['cat', 'gil', 'bobBot'] as const) {
      expect(await remove(who, 'nothing')).toEqual(coded("Emoji 'nothing' does not exist"));
      expect(await remove(who, 'party')).toEqual(
        coded('Must be an organization administrator or emoji author'),
      );
    }
    await as('ann').patch('realm', { add_emoji_by_admins_only: true });
    for (const who of ['bob', 'gil', 'bobBot'] as const) {
      expect(await remove(who, 'nothing')).toEqual(coded("Emoji 'nothing' does not exist"));
      expect(await remove(who, 'party')).toEqual(notAdministrator);
    }
  });

  test('an author who became a guest may still delete the own emoji', async () => {
    await add('party');
    await as('ann').patch(`users/${organization.id('bob')}`, { is_guest: true });
    try {
      expect(await remove('bob', 'party')).toEqual(done);
    } finally {
      await as('ann').patch(`users/${organization.id('bob')}`, { is_guest: false });
    }
  });

  test("a member may not delete another member's emoji; administrators may", async () => {
    await add('party');
    expect(await remove('cat', 'party')).toEqual(
      coded('Must be an organization administrator or emoji author'),
    );
    expect(await remove('ann', 'party')).toEqual(done);
  });

  test('a policy can require administrators, also for the author', async () => {
    await add('party');
    await as('ann').patch('realm', { add_emoji_by_admins_only: true });
    expect(await bodyOf(upload('bob', 'other', picture))).toEqual(notAdministrator);
    // Names are checked first.
    expect(await bodyOf(upload('bob', 'Other', picture))).toEqual(invalidName);
    expect(await remove('bob', 'party')).toEqual(notAdministrator);
    expect(await remove('bob', 'other')).toEqual(coded("Emoji 'other' does not exist"));
    expect(await bodyOf(upload('ann', 'other', picture))).toEqual(done);
    expect(await remove('ann', 'party')).toEqual(done);
  });
});

test('of two concurrent emoji with one name one is created, on any replica, and no file of the other remains', async () => {
  const queues = await WatchedQueues.open({ gil: as('gil') }, as('cat'));
  const answers = await Promise.all(
    (['ann', 'bob', 'cat', 'ann', 'bob', 'cat'] as const).map((who) =>
      upload(who, 'race', picture),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200, 400, 400, 400, 400, 400,
  ]);
  for (const { body } of answers.filter(({ status }) => status !== 200))
    expect(body).toEqual(taken);
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
