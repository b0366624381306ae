/** How every request is read, for all endpoints (reference facts, people 2 and 3), at two gateways and through every service. */
import { limits } from '@parley/api';
import { endpoints } from '@parley/api/endpoints';
import { settle, waitUntil } from '@parley/test-kit';
import type { ApiClient, JsonObject, Method, Parameters } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { meetTransaction } from '../support/held-transaction.ts';
import { textMatching } from '../support/matchers.ts';
import { movedClockOf } from '../support/moved-clock.ts';
import { sendRaw } from '../support/send-raw.ts';
import type { RawAnswer } from '../support/send-raw.ts';
import { useFixture } from '../support/use-fixture.ts';
import { startSmallOrganization } from './small-organization.ts';
import type { PersonKey } from './small-organization.ts';
import { coded } from './refusals.ts';

let bob: ApiClient;
let streamId: number;

const organization = useFixture(() =>
  startSmallOrganization({ gateways: 2, messages: 1, events: 1 }),
);
beforeAll(async () => {
  bob = organization.client('bob');
  await bob.subscribe('general');
  streamId = Number((await bob.get('get_stream_id', { stream: 'general' }))['stream_id']);
});

const formType = 'application/x-www-form-urlencoded';

type Written = {
  readonly who?: PersonKey;
  readonly type?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
};

let turn = 0;

/** Sends a request exactly as written, to the gateways in turn. */
function send(method: string, path: string, written: Written = {}): Promise<RawAnswer> {
  const { who, type, body, headers = {} } = written;
  const { gatewayUrls } = organization.cluster;
  turn += 1;
  return sendRaw(gatewayUrls[turn % gatewayUrls.length] ?? '', {
    method,
    path: path.startsWith('/') ? path : `/api/v1/${path}`,
    headers: {
      ...organization.client(who).credentials,
      ...(type === undefined ? {} : { 'content-type': type }),
      ...headers,
    },
    body: body === undefined ? undefined : Buffer.from(body),
  });
}

function read({ text }: RawAnswer): JsonObject {
  return JSON.parse(text) as JsonObject;
}

/** Bob's answer, success or not. */
async function ask(method: Method, path: string, parameters?: Parameters): Promise<JsonObject> {
  const { status, body } = await bob.request(method, path, parameters);
  return { status, ...body };
}

function multipart(fields: Readonly<Record<string, string>>): { type: string; body: string } {
  const parts = Object.entries(fields).map(
    ([name, value]) =>
      `--bound\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    type: 'multipart/form-data; boundary=bound',
    body: `${parts.join('')}--bound--\r\n`,
  };
}

const refused = (msg: string): object => coded(msg);

describe('parameters', () => {
  test('unknown parameters are ignored and not repeated in the answer', async () => {
    const plain = await bob.get('streams');
    const answer = await bob.get('streams', { nonsense: 'zzz', '__proto__[x]': '1', '': 'y' });
    expect(answer).toEqual(plain);
    expect(JSON.stringify(await ask('GET', 'get_stream_id', { nonsense: 'zzz' }))).not.toContain(
      'zzz',
    );
  });

  test('the body overrides the query, and the last of several values counts', async () => {
    const rendered = async (path: string, body: string): Promise<unknown> =>
      read(await send('POST', path, { who: 'bob', type: formType, body }))['rendered'];
    expect(await rendered('messages/render?content=query', 'content=body')).toBe('<p>body</p>');
    expect(await rendered('messages/render?content=query', '')).toBe('<p>query</p>');
    expect(await rendered('messages/render', 'content=one&content=two')).toBe('<p>two</p>');
    expect(await rendered('messages/render?content=one&content=two', '')).toBe('<p>two</p>');
  });

  test('plus, percent escapes, semicolons and invalid bytes are decoded', async () => {
    const nameOf = async (text: string, type = formType): Promise<unknown> =>
      read(await send('POST', 'messages/render', { who: 'bob', type, body: `content=${text}` }))[
        'rendered'
      ];
    expect(await nameOf('a+b%20c')).toBe('<p>a b c</p>');
    expect(await nameOf('%C3%BC;x')).toBe('<p>ü;x</p>');
    expect(await nameOf('%ff')).toBe('<p>\ufffd</p>');
    expect(await nameOf('%zz%')).toBe('<p>%zz%</p>');
    expect(await nameOf('%FC', `${formType}; charset=latin1`)).toBe('<p>ü</p>');
    expect(await nameOf('%C3%BC', `${formType}; charset=nonsense`)).toBe('<p>ü</p>');
  });

  test('an empty text is a valid text, and not JSON', async () => {
    expect(await ask('POST', 'messages/render', { content: '' })).toMatchObject({ rendered: '' });
    expect(await ask('GET', 'streams', { include_public: '' })).toEqual(
      refused('Argument "include_public" is not valid JSON.'),
    );
  });

  test('null means that an optional value is absent', async () => {
    const registered = await bob.post('register', {
      event_types: 'null',
      narrow: 'null',
      queue_lifespan_secs: 'null',
    });
    expect(registered).toMatchObject({ result: 'success' });
    expect(Object.keys(registered)).toContain('realm_name');
    expect(await ask('POST', 'users/me/enter-sends', { enter_sends: 'null' })).toEqual(
      refused('enter_sends is not a boolean'),
    );
  });
});

describe('bodies', () => {
  test('PATCH with all parameters in the query works', async () => {
    const answer = await send('PATCH', 'settings/display?night_mode=true', { who: 'bob' });
    expect(read(answer)).toMatchObject({ result: 'success', night_mode: true });
  });

  test('DELETE with all parameters in the query works', async () => {
    await bob.post('users/me/alert_words', { alert_words: ['one', 'two'] });
    const answer = await send('DELETE', `users/me/alert_words?alert_words=["one"]`, {
      who: 'bob',
    });
    expect(read(answer)).toMatchObject({ result: 'success', alert_words: ['two'] });
  });

  test('POST reads forms only, the others read everything that is not multipart as a form', async () => {
    const nightMode = async (): Promise<unknown> =>
      (await bob.post('register', { fetch_event_types: ['update_display_settings'] }))[
        'night_mode'
      ];
    for (const type of ['application/json', 'text/plain', undefined]) {
      await bob.patch('settings/display', { night_mode: true });
      const written = { who: 'bob', body: 'content=x', ...(type && { type }) } as const;
      expect(read(await send('POST', 'messages/render', written))).toMatchObject({
        code: 'REQUEST_VARIABLE_MISSING',
      });
      const changed = await send('PATCH', 'settings/display', {
        ...written,
        body: 'night_mode=false',
      });
      expect(read(changed)['result']).toBe('success');
      expect(await nightMode()).toBe(false);
    }
    const form = multipart({ night_mode: 'true' });
    expect(read(await send('PATCH', 'settings/display', { who: 'bob', ...form }))).toMatchObject({
      night_mode: true,
    });
  });

  test('GET has no parameters in a body', async () => {
    const written = { who: 'bob', type: formType, body: 'stream=general' } as const;
    expect(read(await send('GET', 'get_stream_id', written))).toMatchObject({
      code: 'REQUEST_VARIABLE_MISSING',
    });
  });

  const forms = endpoints.filter(
    ({ method, file, parameters }) =>
      method === 'POST' &&
      file !== 'streamed' &&
      parameters.some(({ from, required }) => from === 'form' && required),
  );
  test.each(forms)(
    'POST $path reads a multipart form without files',
    async ({ path, parameters }) => {
      const first = parameters.find(({ from, required }) => from === 'form' && required);
      const name = first?.name ?? '';
      const filled = path.slice(1).replaceAll(/\{\w+\}/g, '1');
      const messageFor = async (fields: Readonly<Record<string, string>>): Promise<unknown> =>
        read(await send('POST', filled, { who: 'ann', ...multipart(fields) }))['msg'];
      const isReached = (await messageFor({})) === `Missing '${name}' argument`;
      // If the object is looked up first, both answers are the same.
      if (isReached)
        expect(await messageFor({ [name]: 'x' })).not.toBe(`Missing '${name}' argument`);
      expect(await messageFor({})).toBe(
        read(await send('POST', filled, { who: 'ann', type: formType, body: '' }))['msg'],
      );
    },
  );

  test('more than 1000 fields are refused with 400, as JSON', async () => {
    const many = Array.from({ length: limits.bodyFieldsMax + 1 }, (_, n) => `f${n}=`).join('&');
    const tooMany = await send('POST', 'messages/render', {
      who: 'bob',
      type: formType,
      body: many,
    });
    expect([tooMany.status, read(tooMany)['result']]).toEqual([400, 'error']);
  });

  // A statement has at most 65,535 values. A narrow uses some for each of its terms; any other list is one value, whatever its
  // length.
  const manyItems = 65_600;
  const list = (itemOf: (n: number) => string): string =>
    `[${Array.from({ length: manyItems }, (_, n) => itemOf(n + 1)).join(',')}]`;
  const ids = list(String);
  const texts = list((n) => `"t${n}"`);
  const terms = list((n) => `["id","${n}"]`);
  const page = 'method=GET&anchor=newest&num_before=1&num_after=0';
  test.each<[Method, string, string, string]>([
    ['POST', 'messages', 'terms', `${page}&narrow=${terms}`],
    [
      'POST',
      'messages',
      'people of a term',
      `${page}&narrow=[{"operator":"pm-with","operand":${ids}}]`,
    ],
    ['POST', 'messages', 'ids of recipients', `type=private&content=hello&to=${ids}`],
    ['POST', 'messages', 'addresses of recipients', `type=private&content=hello&to=${texts}`],
    ['POST', 'messages/flags', 'messages', `op=add&flag=read&messages=${ids}`],
    ['POST', 'typing', 'recipients', `op=start&to=${ids}`],
    ['POST', 'register', 'terms', `narrow=${terms}`],
    ['POST', 'register', 'types of events', `event_types=${texts}`],
    [
      'POST',
      'users/me/subscriptions',
      'streams',
      `subscriptions=${list((n) => `{"name":"t${n}"}`)}`,
    ],
    [
      'POST',
      'users/me/subscriptions',
      'people',
      `subscriptions=[{"name":"general"}]&principals=${ids}`,
    ],
    ['DELETE', 'users/me/subscriptions', 'streams', `subscriptions=${texts}`],
    [
      'POST',
      'default_stream_groups/create',
      'streams',
      `group_name=a&description=b&stream_names=${texts}`,
    ],
    ['POST', 'users/me/alert_words', 'words', `alert_words=${texts}`],
    ['DELETE', 'users/me/alert_words', 'words', `alert_words=${texts}`],
    ['POST', 'user_groups/create', 'members', `name=a&description=b&members=${ids}`],
    ['PUT', 'bot_storage', 'keys', `storage={${list((n) => `"t${n}":""`).slice(1, -1)}}`],
    ['DELETE', 'bot_storage', 'keys', `keys=${texts}`],
  ])(
    'more items than a statement has values are taken or refused: %s %s, %s',
    async (method, path, _items, body) => {
      const { status, text } = await send(method, path, { who: 'ann', type: formType, body });
      expect([200, 400]).toContain(status);
      expect(/is not valid JSON|Bad value/.test(text)).toBe(false);
    },
  );
});

describe('methods and paths', () => {
  test('a POST with a method field in its form acts as that method', async () => {
    const patched = await send('POST', 'settings/display', {
      who: 'bob',
      type: formType,
      body: 'method=PATCH&dense_mode=false',
    });
    expect(read(patched)).toMatchObject({ result: 'success', dense_mode: false });
    const form = multipart({ method: 'DELETE', alert_words: '["two"]' });
    const removed = await send('POST', 'users/me/alert_words', { who: 'bob', ...form });
    expect(read(removed)).toMatchObject({ result: 'success', alert_words: [] });
    const put = await send('POST', 'bot_storage', {
      who: 'bobBot',
      type: formType,
      body: `method=PUT&storage=${encodeURIComponent('{"a":"b"}')}`,
    });
    expect(read(put)).toMatchObject({ result: 'success' });
  });

  test('a method field in the query, or with an unknown method, has no effect', async () => {
    const inQuery = await send('POST', 'settings/display?method=PATCH&dense_mode=true', {
      who: 'bob',
    });
    expect([inQuery.status, inQuery.headers.allow]).toEqual([405, 'PATCH']);
    const unknown = await send('POST', 'settings/display', {
      who: 'bob',
      type: formType,
      body: 'method=BREW',
    });
    expect(unknown.status).toBe(405);
    // On a path with such a method, the credentials are checked first.
    expect((await send('POST', 'settings/display')).status).toBe(401);
  });

  test('HEAD is GET without a body', async () => {
    for (const path of ['users', 'streams', 'messages?anchor=0&num_before=0&num_after=0']) {
      const [head, get] = [
        await send('HEAD', path, { who: 'bob' }),
        await send('GET', path, { who: 'bob' }),
      ];
      expect([head.status, head.text, head.headers['content-length']]).toEqual([
        200,
        '',
        get.headers['content-length'],
      ]);
    }
    expect((await send('HEAD', 'register')).status).toBe(405);
  });

  test('an unknown path is 404 with a JSON object, before other checks', async () => {
    for (const path of ['nothing', '/api/v2/users', '/', 'messages/x', 'users/me/nothing']) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const answer = await send(method, path, { headers: { authorization: 'Bearer x' } });
        expect([answer.status, read(answer)]).toEqual([404, { result: 'error', msg: 'Not found' }]);
      }
    }
  });

  test('a trailing slash makes another path, and doubled slashes do not', async () => {
    const trailing = await send('GET', 'users/', { who: 'bob' });
    expect([trailing.status, trailing.headers.location]).toEqual([404, undefined]);
    for (const path of ['/api/v1//users', '//api//v1/users', '/api/v1/users//me'])
      expect((await send('GET', path, { who: 'bob' })).status).toBe(200);
    expect(
      (await send('GET', `/api/v1//streams//${streamId}/members`, { who: 'bob' })).status,
    ).toBe(200);
  });
});

describe('the order of checks', () => {
  test('path, method, credentials, role, parameters', async () => {
    expect((await send('POST', 'nothing')).status).toBe(404);
    expect((await send('DELETE', 'users')).status).toBe(405);
    expect((await send('POST', 'users')).status).toBe(401);
    expect(read(await send('POST', 'users', { who: 'bob' }))['msg']).toBe(
      'Must be an organization administrator',
    );
    expect(read(await send('POST', 'users', { who: 'ann' }))).toMatchObject({ var_name: 'email' });
  });
});

describe('answers', () => {
  test('are JSON that must not be cached, including refusals', async () => {
    const requests: readonly (readonly [string, string, PersonKey | undefined])[] = [
      ['GET', 'messages?anchor=0&num_before=0&num_after=0', 'bob'],
      ['GET', 'streams', 'bob'],
      ['GET', 'users', 'bob'],
      ['POST', 'register', 'bob'],
      ['GET', 'events?queue_id=x', 'bob'],
      ['GET', 'server_settings', undefined],
      ['GET', 'users', undefined],
      ['PATCH', 'users', undefined],
      ['GET', 'nothing', undefined],
      ['GET', 'messages', 'bob'],
    ];
    const unkept = 'max-age=0, no-cache, no-store, must-revalidate';
    for (const [method, path, who] of requests) {
      const { headers } = await send(method, path, who === undefined ? {} : { who });
      expect(headers, `of ${path}`).toMatchObject({
        'content-type': 'application/json',
        'cache-control':
          // Its answer contains keys of bots.
          path === 'register' ? `${unkept}, no-transform` : unkept,
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'Authorization',
        'access-control-allow-methods': 'GET, POST, DELETE, PUT, PATCH, HEAD',
        'content-language': 'en',
        'x-request-id': textMatching(/^[0-9a-f]{32}$/),
      });
      expect(headers.vary).toContain('Accept-Language');
      expect(headers.expires).toBe(headers['last-modified']);
      expect(Date.parse(headers.expires ?? '')).not.toBeNaN();
    }
  });

  test('of files and pictures are readable from other origins, including refusals', async () => {
    for (const path of ['/user_uploads/1/x/y.txt', '/avatar/nobody', '/thumbnail'])
      expect((await send('GET', path)).headers['access-control-allow-origin']).toBe('*');
  });

  test('ignore the requested language', async () => {
    const answer = await send('GET', 'get_stream_id', {
      who: 'bob',
      headers: { 'accept-language': 'de' },
    });
    expect(read(answer)['msg']).toBe("Missing 'stream' argument");
  });

  test('begin with result and msg', async () => {
    expect((await send('GET', 'users/me', { who: 'bob' })).text).toMatch(
      /^\{"result":"success","msg":"",/,
    );
    expect((await send('GET', 'get_stream_id', { who: 'bob' })).text).toMatch(
      /^\{"result":"error","msg":"/,
    );
  });
});

describe('a change', () => {
  const status = 'POST users/me/status';
  const entriesOf = async (): Promise<unknown> =>
    (
      await organization.pool.query(
        "SELECT count(*) FROM log_entries WHERE payload::json->>'kind' <> 'tick'",
      )
    ).rows;

  /** Makes a request that a lock holds up. */
  async function meetLock(
    [operation, form, locked]: readonly [operation: string, form: Parameters, locked: string],
    meanwhile: (answered: () => Promise<unknown>) => Promise<unknown>,
  ): Promise<JsonObject> {
    const [method = '', path = ''] = operation.split(' ');
    let answer: JsonObject | undefined;
    return meetTransaction(
      organization.pool,
      (holder) => holder.query(`LOCK TABLE ${locked} IN EXCLUSIVE MODE`),
      async () => {
        answer = (await organization.client('ann').request(method as Method, path, form)).body;
        return answer;
      },
      () => meanwhile(() => waitUntil('it is answered', () => Promise.resolve(answer))),
    );
  }
  const pass = (ms: number): Promise<void> => movedClockOf(organization.cluster).advance(ms);

  const unavailable = {
    result: 'error',
    msg: 'Service temporarily unavailable',
    code: 'SERVICE_UNAVAILABLE',
  };
  const unknown = {
    result: 'error',
    msg: 'It is not known whether the change was made',
    code: 'OUTCOME_UNKNOWN',
  };
  const madeWithinMs = 4_900;
  const person = { email: 'late@example.com', password: 'kR7#vQp2tide', full_name: 'Late' };

  test.each([
    ['POST users', person, 'users'],
    ['POST users/me/subscriptions', { subscriptions: [{ name: 'late' }] }, 'streams'],
    ['POST realm/domains', { domain: 'late.example', allow_subdomains: true }, 'realm_domains'],
    ['POST users/me/status', { status_text: 'late' }, 'user_status'],
  ] as const)('that is refused because it takes too long is not made: %s', async (...change) => {
    const before = await entriesOf();
    const answer = await meetLock(change, async (answered) => {
      await pass(madeWithinMs);
      await answered();
    });
    expect(answer).toEqual(unavailable);
    await settle();
    expect(await entriesOf()).toEqual(before);
  });

  test('that is made in time is answered', async () => {
    const change = [status, { status_text: 'in time' }, 'user_status'] as const;
    const answer = await meetLock(change, () => pass(madeWithinMs - 1));
    expect(answer).toMatchObject({ result: 'success' });
  });

  test('that is being committed when the time is over is answered when its outcome is known', async () => {
    const change = [status, { status_text: 'at the end' }, 'log_head'] as const;
    const before = await entriesOf();
    const answer = await meetLock(change, () => pass(madeWithinMs));
    expect(answer).toMatchObject({ result: 'success' });
    expect(await entriesOf()).not.toEqual(before);
  });

  test.each([
    ['before it is committed', 'user_status', unavailable],
    ['while it is committed', 'log_head', unknown],
  ])('whose connection to Postgres is lost %s', async (_when, locked, refusal) => {
    const answer = await meetLock([status, { status_text: 'lost' }, locked], () =>
      organization.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'`,
      ),
    );
    expect(answer).toEqual(refusal);
  });
});
