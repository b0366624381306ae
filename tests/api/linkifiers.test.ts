import { readObjects } from '@parley/test-kit';
import type { Answer, ApiClient, JsonObject } from '@parley/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';

import { anyNumber } from '../support/matchers.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey, SmallOrganization } from './small-organization.ts';
import { WatchedQueues } from './watched-queues.ts';

let organization: SmallOrganization;
beforeAll(async () => {
  organization = await startSmallOrganization({ events: 1, people: 2, messages: 2 });
});
afterAll(() => organization.stop());
beforeEach(() => organization.pool.query('DELETE FROM linkifiers'));

const as = (who?: PersonKey): ApiClient => organization.client(who);
const done = { result: 'success', msg: '' };
const notAdministrator = {
  result: 'error',
  msg: 'Must be an organization administrator',
  code: 'UNAUTHORIZED_PRINCIPAL',
};
const invalidPattern = 'Invalid filter pattern.  Valid characters are [ a-zA-Z_#=/:+!-].';
const ticket = {
  pattern: '#(?P<id>[0-9]+)',
  url_format_string: 'https://t.example.com/issues/%(id)s',
};

async function bodyOf(answer: Promise<Answer>): Promise<Answer['body']> {
  return (await answer).body;
}

async function add(linkifier: object = {}): Promise<number> {
  return (await as('ann').post('realm/filters', { ...ticket, ...linkifier }))['id'] as number;
}

function tryToAdd(linkifier: object): Promise<JsonObject> {
  return bodyOf(as('ann').request('POST', 'realm/filters', { ...ticket, ...linkifier }));
}

/** A refusal with all errors, by field; the first text is the message. */
function refusal(errors: Readonly<Record<string, readonly string[]>>): object {
  return { result: 'error', msg: Object.values(errors)[0]?.[0], errors };
}

test('linkifiers are added and removed, listed as triples for everybody, with events for everybody', async () => {
  const queues = await WatchedQueues.open(
    { ann: as('ann'), bob: as('bob'), gil: as('gil'), bobBot: as('bobBot') },
    as('cat'),
  );
  const answer = await as('ann').post('realm/filters', {
    pattern: ` ${ticket.pattern}\t`,
    url_format_string: ` ${ticket.url_format_string} `,
  });
  expect(answer).toEqual({ ...done, id: anyNumber });
  const first = answer['id'] as number;
  const second = await add({ pattern: 'TKT-(?P<n>[1-9]+)' });
  const triples = [
    [ticket.pattern, ticket.url_format_string, first],
    ['TKT-(?P<n>[1-9]+)', ticket.url_format_string, second],
  ];
  for (const who of ['ann', 'bob', 'gil', 'bobBot'] as const) {
    expect(await as(who).get('realm/filters')).toEqual({ ...done, filters: triples });
    expect(await as(who).post('register', { fetch_event_types: ['realm_filters'] })).toMatchObject({
      realm_filters: triples,
    });
  }
  expect(await as('ann').delete(`realm/filters/${first}`)).toEqual(done);
  const events = [triples.slice(0, 1), triples, triples.slice(1)].map((list) => ({
    type: 'realm_filters',
    realm_filters: list,
  }));
  expect(await queues.step()).toEqual({ ann: events, bob: events, gil: events, bobBot: events });
  expect(await bodyOf(as('ann').request('DELETE', `realm/filters/${first}`))).toEqual({
    result: 'error',
    msg: 'Filter not found',
  });
  expect((await as('ann').request('DELETE', 'realm/filters/9999999999')).status).toBe(400);
});

test('only administrators change them, checked before anything else', async () => {
  const id = await add();
  for (const who of ['bob', 'gil', 'bobBot'] as const) {
    expect(await bodyOf(as(who).request('POST', 'realm/filters'))).toEqual(notAdministrator);
    expect(await bodyOf(as(who).request('DELETE', `realm/filters/${id}`))).toEqual(
      notAdministrator,
    );
  }
  for (const method of ['GET', 'POST'] as const) {
    expect((await as().request(method, 'realm/filters')).status).toBe(401);
    expect((await as('hookBot').request(method, 'realm/filters')).status).toBe(401);
  }
  expect((await as('ann').request('GET', 'realm/linkifiers')).status).toBe(404);
});

describe('invalid linkifiers', () => {
  test('a pattern without a named group is refused with `errors.pattern`', async () => {
    expect(await tryToAdd({ pattern: '#[0-9]+' })).toEqual(refusal({ pattern: [invalidPattern] }));
  });

  test('a URL without `%(name)s` is refused', async () => {
    expect(await tryToAdd({ url_format_string: 'https://t.example.com/' })).toEqual(
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
    expect(await tryToAdd({ pattern })).toEqual(refusal({ pattern: [invalidPattern] }));
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
    expect(await tryToAdd({ url_format_string: url })).toEqual(
      refusal({ url_format_string: texts }),
    );
  });

  test.each([
    'http://localhost:8000/%(id)s',
    'ftp://10.0.0.1/%(id)s',
    'https://a.example.com/%(org)s/%(repo)s?x=1&y=2#z',
    'HTTPS://example.com/%(id)s/tail-_;=',
  ])('accepted: %s', async (url) => {
    expect(await tryToAdd({ url_format_string: url })).toMatchObject(done);
  });

  test('empty and missing fields', async () => {
    const blank = ['This field cannot be blank.'];
    expect(await tryToAdd({ pattern: ' ', url_format_string: '' })).toEqual(
      refusal({ pattern: blank, url_format_string: blank }),
    );
    expect(await bodyOf(as('ann').request('POST', 'realm/filters'))).toMatchObject({
      code: 'REQUEST_VARIABLE_MISSING',
      var_name: 'pattern',
    });
    expect(
      await bodyOf(as('ann').request('POST', 'realm/filters', { pattern: 'x' })),
    ).toMatchObject({ var_name: 'url_format_string' });
    expect(await tryToAdd({ pattern: 'a\0(?P<id>x)' })).toMatchObject({ result: 'error' });
  });

  test('an existing pattern, after all other checks', async () => {
    await add();
    const taken = 'Realm filter with this Realm and Pattern already exists.';
    expect(await tryToAdd({})).toEqual(refusal({ __all__: [taken] }));
    expect(await tryToAdd({ url_format_string: 'x' })).toEqual(
      refusal({
        url_format_string: ['Enter a valid URL.', 'Invalid URL format string.'],
        __all__: [taken],
      }),
    );
  });

  test('a pattern that many add at once is added once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => as('ann').request('POST', 'realm/filters', ticket)),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
      200, 400, 400, 400, 400, 400,
    ]);
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
    expect(await tryToAdd({})).toEqual({
      result: 'error',
      msg: 'There may be at most 100 filters.',
    });
  });
});

test('messages and topics have links from the next send on and none after removal, at every replica', async () => {
  await organization.removeStreams();
  await as('ann').post('users/me/subscriptions', { subscriptions: [{ name: 'garden' }] });
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
