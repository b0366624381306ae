import { createHash } from 'node:crypto';

import { drawDefaultAvatar } from '@parley/files/images';
import type { Answer, ApiClient, JsonObject } from '@parley/test-kit';
import sharp from 'sharp';
import { beforeAll, describe, expect, test } from 'vitest';

import { useFixture } from '../support/use-fixture.ts';
import { success } from './refusals.ts';
import { fetchAnonymously, hugePicture, sendForm } from './send-form.ts';
import type { FormAnswer } from './send-form.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';
import { WatchedQueues } from './watched-queues.ts';

let picture: Buffer;
const organization = useFixture(() => startSmallOrganization({ events: 1, people: 2 }));
beforeAll(async () => {
  picture = await drawDefaultAvatar(1000);
});

const as = (who?: PersonKey): ApiClient => organization.client(who);
const uncoded = (msg: string): object => ({ result: 'error', msg });
const badImage = {
  result: 'error',
  msg: 'Could not decode image; did you upload an image file?',
  code: 'BAD_IMAGE',
};
const gravatar = `https://secure.gravatar.com/avatar/${createHash('md5').update('example').digest('hex')}?d=identicon`;
const defaults = {
  logo: '/static/images/logo/parley-logo.png?version=0',
  night_logo: '/static/images/logo/parley-logo-night.png?version=0',
} as const;

async function bodyOf(answer: Promise<Answer | FormAnswer>): Promise<JsonObject> {
  return (await answer).body;
}

const upload = (
  path: string,
  files: readonly (Buffer | string)[],
  fields: Readonly<Record<string, string>> = {},
  who: PersonKey = 'ann',
): Promise<JsonObject> => bodyOf(sendForm(organization, who, path, files, fields));

function watch(): Promise<WatchedQueues<'ann' | 'gil' | 'bobBot'>> {
  return WatchedQueues.open({ ann: as('ann'), gil: as('gil'), bobBot: as('bobBot') }, as('cat'));
}

const makeEvent = (picture: string, url: string, source: string): JsonObject => ({
  type: 'realm',
  op: 'update_dict',
  property: picture,
  data: { [`${picture}_url`]: url, [`${picture}_source`]: source },
});
async function locationOf(path: string, who: PersonKey = 'gil'): Promise<unknown> {
  const answer = await as(who).withoutChecks('GET', path);
  return [answer.status, answer.headers.location];
}

async function noFileIsLeft(): Promise<void> {
  const { rows } = await organization.pool.query('SELECT * FROM files_to_remove');
  expect(rows).toEqual([]);
}

test('the icon is cropped, announced, served without a key, replaced and removed', async () => {
  expect(await locationOf('realm/icon')).toEqual([302, gravatar]);
  expect(await locationOf('realm/icon?s=50&api_key=x')).toEqual([302, `${gravatar}&s=50`]);
  const queues = await watch();
  const url = (version: number): string => `/user_avatars/1/realm/icon.png?version=${version}`;
  expect(await upload('realm/icon', [picture])).toEqual({ ...success, icon_url: url(2) });
  const first = await fetchAnonymously(organization, url(2));
  expect(await sharp(first.content).metadata()).toMatchObject({
    format: 'png',
    width: 100,
    height: 100,
  });
  expect(first.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  expect(await locationOf('realm/icon')).toEqual([302, url(2)]);
  const jpeg = await sharp(picture).negate().jpeg().toBuffer();
  expect(await upload('realm/icon', [jpeg])).toEqual({ ...success, icon_url: url(3) });
  const second = await fetchAnonymously(organization, url(3));
  expect(second.content.equals(first.content)).toBe(false);
  // An old address returns the current picture, and is not to be cached.
  const old = await fetchAnonymously(organization, url(2));
  expect(old.content.equals(second.content)).toBe(true);
  expect(old.headers.get('cache-control')).toBe('public, no-cache');
  expect(await as().get('server_settings')).toMatchObject({ realm_icon: url(3) });
  expect(await as('gil').post('register', { fetch_event_types: ['realm'] })).toMatchObject({
    realm_icon_url: url(3),
    realm_icon_source: 'U',
  });
  expect(await as('ann').delete('realm/icon')).toEqual({ ...success, icon_url: gravatar });
  expect(await as('ann').delete('realm/icon')).toEqual({ ...success, icon_url: gravatar });
  expect(await queues.shared()).toEqual([
    makeEvent('icon', url(2), 'U'),
    makeEvent('icon', url(3), 'U'),
    makeEvent('icon', gravatar, 'G'),
  ]);
  expect((await fetchAnonymously(organization, url(3))).status).toBe(404);
  await noFileIsLeft();
});

test('logos for day and night are fitted, announced, served and removed', async () => {
  for (const [night, name, other] of [
    [false, 'logo', 'night_logo'],
    [true, 'night_logo', 'logo'],
  ] as const) {
    const queues = await watch();
    expect(await locationOf(`realm/logo?night=${night}`)).toEqual([
      302,
      `${defaults[name]}&night=${night}`,
    ]);
    const shipped = await fetchAnonymously(organization, defaults[name]);
    expect(await sharp(shipped.content).metadata()).toMatchObject({ format: 'png', height: 100 });
    const wide = await sharp(picture).resize(1600, 100).png().toBuffer();
    expect(await upload('realm/logo', [wide], { night: String(night) })).toEqual(success);
    const url = `/user_avatars/1/realm/${name}.png?version=2`;
    const served = await fetchAnonymously(organization, url);
    expect(await sharp(served.content).metadata()).toMatchObject({ width: 800, height: 50 });
    expect(await locationOf(`realm/logo?night=${night}`)).toEqual([302, `${url}&night=${night}`]);
    expect(await as().get('server_settings')).toMatchObject({
      [`realm_${name}`]: url,
      [`realm_${other}`]: defaults[other],
    });
    expect(await as('gil').post('register', { fetch_event_types: ['realm'] })).toMatchObject({
      [`realm_${name}_url`]: url,
      [`realm_${name}_source`]: 'U',
      [`realm_${other}_source`]: 'D',
    });
    expect(await bodyOf(as('ann').request('DELETE', `realm/logo?night=${night}`))).toEqual(success);
    expect(await queues.shared()).toEqual([
      makeEvent(name, url, 'U'),
      makeEvent(name, defaults[name], 'D'),
    ]);
    expect((await fetchAnonymously(organization, url)).status).toBe(404);
  }
  await noFileIsLeft();
});

describe('refuses', () => {
  test.each([
    ['realm/icon', 'You must upload exactly one icon.'],
    ['realm/logo', 'You must upload exactly one logo.'],
  ])('%s: anything except one picture of at most 5 MB', async (path, notOne) => {
    const fields = { night: 'false' };
    expect(await upload(path, [], fields)).toEqual(uncoded(notOne));
    expect(await upload(path, [picture, picture], fields)).toEqual(uncoded(notOne));
    expect(await upload(path, [Buffer.alloc(5 * 1024 * 1024 + 1)], fields)).toEqual(
      uncoded('Uploaded file is larger than the allowed limit of 5 MB'),
    );
    for (const content of ['hello', '', '<svg xmlns="http://www.w3.org/2000/svg"/>'])
      expect(await upload(path, [content], fields)).toEqual(badImage);
    expect(await upload(path, [hugePicture], fields)).toEqual({
      ...badImage,
      msg: 'Image size exceeds limit.',
    });
    expect(await as().get('server_settings')).toMatchObject({
      realm_icon: gravatar,
      realm_logo: defaults.logo,
    });
    await noFileIsLeft();
  });

  test('unknown files', async () => {
    for (const path of ['1/realm/other.png', '2/realm/icon.png', '1/realm/..', '1/realm/icon.gif'])
      expect((await fetchAnonymously(organization, `/user_avatars/${path}`)).status).toBe(404);
  });
});

test.each(['realm/icon', 'realm/logo?night=false'])(
  '%s: the redirect to a picture may change at any time and must not be cached',
  async (path) => {
    const { headers } = await as('gil').withoutChecks('GET', path);
    expect(headers).toMatchObject({
      'cache-control': 'max-age=0, no-cache, no-store, must-revalidate',
      'content-language': 'en',
    });
    expect(headers.vary).toContain('Accept-Language');
    expect(headers.expires).toBe(headers['last-modified']);
    expect(Date.parse(headers.expires ?? '')).not.toBeNaN();
  },
);

test('of many concurrent uploads the last announced picture remains, and no other file', async () => {
  const queues = await watch();
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => upload('realm/icon', [picture])),
  );
  const { gil: events } = await queues.step();
  expect(events).toHaveLength(answers.length);
  const settings = await as().get('server_settings');
  expect(events.at(-1)).toMatchObject({ data: { icon_url: settings['realm_icon'] } });
  expect((await fetchAnonymously(organization, String(settings['realm_icon']))).status).toBe(200);
  await as('ann').delete('realm/icon');
  await noFileIsLeft();
});
