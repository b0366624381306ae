import { readObjects } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';
import { beforeEach, describe, expect, test } from 'vitest';

import { anyNumber } from '../support/matchers.ts';
import { useFixture } from '../support/use-fixture.ts';
import { refusalOf } from './message-fixture.ts';
import { expectOneSuccess, expectRefusal, missing, success, uncoded } from './refusals.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';
import { WatchedQueues } from './watched-queues.ts';

const organization = useFixture(() => startSmallOrganization());
beforeEach(() => organization.pool.query('DELETE FROM linkifiers'));

const as = (who?: PersonKey): ApiClient => organization.client(who);
const invalidPattern = 'Invalid filter pattern.  Valid characters are [ a-zA-Z_#=/:+!-].';
const ticket = {
  pattern: '#(?P<id>[0-9]+)',
  url_format_string: 'https://t.example.com/issues/%(id)s',
};

async function add(linkifier: object = {}): Promise<number> {
  return (await as('ann').post('realm/filters', { ...ticket, ...linkifier }))['id'] as number;
}

function tryToAdd(linkifier: object): Promise<JsonObject> {
  return as('ann').post('realm/filters', { ...ticket, ...linkifier });
}

/** A refusal with all errors, by field; the first text is the message. */
function refusal(errors: Readonly<Record<string, readonly string[]>>): JsonObject {
  return { ...uncoded(Object.values(errors)[0]?.[0] ?? ''), errors };
}

test('linkifiers are added and removed, and listed as triples for everybody', async () => {
  const answer = await as('ann').post('realm/filters', {
    pattern: ` ${ticket.pattern}\t`,
    url_format_string: ` ${ticket.url_format_string} `,
  });
  expect(answer).toEqual({ ...success, id: anyNumber });
  const first = answer['id'] as number;
  const second = await add({ pattern: 'TKT-(?P<n>[1-9]+)' });
  const triples = [
    [ticket.pattern, ticket.url_format_string, first],
    ['TKT-(?P<n>[1-9]+)', ticket.url_format_string, second],
  ];
  for (const who of ['ann', 'bob', 'gil', 'bobBot'] as const) {
    expect(await as(who).get('realm/filters')).toEqual({ ...success, filters: triples });
    expect(await as(who).post('register', { fetch_event_types: ['realm_filters'] })).toMatchObject({
      realm_filters: triples,
    });
  }
  expect(await as('ann').delete(`realm/filters/${first}`)).toEqual(success);
  await expectRefusal(as('ann').delete(`realm/filters/${first}`), uncoded('Filter not found'));
  expect((await as('ann').request('DELETE', 'realm/filters/9999999999')).status).toBe(400);
});

describe('invalid linkifiers', () => {
  test('a pattern without a named group is refused with `errors.pattern`', async () => {
    await expectRefusal(tryToAdd({ pattern: '#[0-9]+' }), refusal({ pattern: [invalidPattern] }));
  });

  test('a URL without `%(name)s` is refused', async () => {
    await expectRefusal(
      tryToAdd({ url_format_string: 'https://t.example.com/' }),
      refusal({ url_format_string: ['Invalid URL format string.'] }),
    );
  });

  test.each([
    ['#(?P<id>[0-9]+', 'a group without an end'],
    ['#(?P<id>[0-9]+).', 'something after the group'],
    ['$(?P<id>[0-9]+)', 'another character before it'],
    ['(?P<id>(?=x)x)', 'what the engine does not know'],
    [`(?P<id>${'x'.repeat(500)})`, 'a long one'],
    ['(?P<id>(((a{100}){100}){100}){100})', 'a large one'],
    ['(?P<id>a\nb)', 'two lines'],
  ])('a pattern: %s (%s)', async (pattern) => {
    await expectRefusal(tryToAdd({ pattern }), refusal({ pattern: [invalidPattern] }));
  });

  test.each([
    ['t.example.com/%(id)s', ['Enter a valid URL.']],
    ['https://%(id)s', ['Enter a valid URL.']],
    ['javascript:%(id)s', ['Enter a valid URL.']],
    ['https://nowhere/%(id)s', ['Enter a valid URL.']],
    ['https://t.example.com/%(id)s.html', ['Invalid URL format string.']],
    ['https://t.example.com/~x/%(id)s', ['Invalid URL format string.']],
    ['https://t.example.com/%(i d)s', ['Enter a valid URL.', 'Invalid URL format string.']],
    ['nothing of it', ['Enter a valid URL.', 'Invalid URL format string.']],
    [`https://t.example.com/${'x'.repeat(2000)}%(id)s`, ['Enter a valid URL.']],
  ])('a URL format: %s', async (url, texts) => {
    await expectRefusal(
      tryToAdd({ url_format_string: url }),
      refusal({ url_format_string: texts }),
    );
  });

  test.each([
    'http://localhost:8000/%(id)s',
    'ftp://10.0.0.1/%(id)s',
    'https://a.example.com/%(org)s/%(repo)s?x=1&y=2#z',
    'HTTPS://example.com/%(id)s/tail-_;=',
  ])('accepted: %s', async (url) => {
    expect(await tryToAdd({ url_format_string: url })).toMatchObject(success);
  });

  test('empty and missing fields', async () => {
    const blank = ['This field cannot be blank.'];
    await expectRefusal(
      tryToAdd({ pattern: ' ', url_format_string: '' }),
      refusal({ pattern: blank, url_format_string: blank }),
    );
    await expectRefusal(as('ann').post('realm/filters'), missing('pattern'));
    await expectRefusal(
      as('ann').post('realm/filters', { pattern: 'x' }),
      missing('url_format_string'),
    );
    await refusalOf(tryToAdd({ pattern: 'a\0(?P<id>x)' }));
  });

  test('an existing pattern, after all other checks', async () => {
    await add();
    const taken = 'Realm filter with this Realm and Pattern already exists.';
    await expectRefusal(tryToAdd({}), refusal({ __all__: [taken] }));
    await expectRefusal(
      tryToAdd({ url_format_string: 'x' }),
      refusal({
        url_format_string: ['Enter a valid URL.', 'Invalid URL format string.'],
        __all__: [taken],
      }),
    );
  });

  test('a pattern that many add at once is added once', async () => {
    const taken = 'Realm filter with this Realm and Pattern already exists.';
    await expectOneSuccess(
      Array.from({ length: 6 }, () => tryToAdd({})),
      refusal({ __all__: [taken] }),
    );
  });

  test('the last event has the actual list, however many changes are concurrent', async () => {
    const queues = await WatchedQueues.open({ gil: as('gil') }, as('cat'));
    await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        as('ann').request('POST', 'realm/filters', { ...ticket, pattern: `x${n}(?P<id>y)` }),
      ),
    );
    const { gil: events } = await queues.step();
    expect(events.map((event) => (event['realm_filters'] as unknown[]).length)).toEqual(
      Array.from({ length: 12 }, (_, n) => n + 1),
    );
    const { filters } = await as('gil').get('realm/filters');
    expect(events.at(-1)?.['realm_filters']).toEqual(filters);
  });

  test('more than a hundred', async () => {
    await organization.pool.query(
      "INSERT INTO linkifiers (pattern, url_format) SELECT 'x' || n || '(?P<id>y)', '' FROM generate_series(1, 100) n",
    );
    await expectRefusal(tryToAdd({}), uncoded('There may be at most 100 filters.'));
  });
});

test('messages and topics have links from the next send on and none after removal, at every replica', async () => {
  await organization.removeStreams();
  await as('ann').subscribe('garden');
  const sent = async (): Promise<JsonObject | undefined> => {
    const anchor = await as('ann').sendToStream('garden', 'about #7', 'see #12');
    const answer = await as('ann').get('messages', {
      anchor,
      num_before: 0,
      num_after: 0,
    });
    return readObjects(answer, 'messages')[0];
  };
  const plain = { content: '<p>see #12</p>', subject_links: [] };
  expect(await sent()).toMatchObject(plain);
  const id = await add();
  const url = 'https://t.example.com/issues/12';
  const linked = {
    content: `<p>see <a href="${url}" target="_blank" title="${url}">#12</a></p>`,
    subject_links: ['https://t.example.com/issues/7'],
  };
  for (const _turn of [1, 2, 3, 4]) expect(await sent()).toMatchObject(linked);
  await as('ann').delete(`realm/filters/${id}`);
  for (const _turn of [1, 2, 3, 4]) expect(await sent()).toMatchObject(plain);
});
