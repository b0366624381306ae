/** Incoming webhooks through two gateways (contract, Incoming webhook; reference facts, people 16 and 17). */
import type { TestAccount } from '@parley/test-kit';
import { settle } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { sendRaw } from '../support/send-raw.ts';
import { useFixture } from '../support/use-fixture.ts';
import { fetchMessages, startMessageFixture } from './message-fixture.ts';
import type { Message } from './message-fixture.ts';

let hook: TestAccount;
const all = useFixture(() => startMessageFixture({ gateways: 2, messages: 2 }));
beforeAll(async () => {
  const { organization, ann, bob } = all;
  hook = await organization.makeAccount('Hook', { owner: bob, botType: 2 });
  await organization.makeStream('pots', [ann, bob]);
  await organization.makeStream('secret', [ann], { inviteOnly: true });
});

type Outcome = Readonly<Record<string, unknown>>;

type Posted = {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text is sent unchanged, everything else as JSON. */
  readonly body?: unknown;
  readonly method?: string;
};

let turn = 0;

/** Posts like external services: to the gateways in turn, without credentials except those in the query. */
async function post(path: string, posted: Posted = {}): Promise<Outcome> {
  const { query = {}, headers = {}, body, method = 'POST' } = posted;
  const { gatewayUrls } = all.cluster;
  turn += 1;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await sendRaw(gatewayUrls[turn % gatewayUrls.length] ?? '', {
    method,
    path: `/api/v1/external/${path}?${new URLSearchParams(query).toString()}`,
    headers: { 'content-type': 'application/json', ...headers },
    body: body === undefined ? undefined : Buffer.from(text),
  });
  const authenticate = answer.headers['www-authenticate'];
  return {
    status: answer.status,
    ...(JSON.parse(answer.text) as Outcome),
    ...(authenticate === undefined ? {} : { authenticate }),
  };
}

const success = { status: 200, result: 'success', msg: '' };
const uncoded = (msg: string, status = 400): Outcome => ({ status, result: 'error', msg });
const coded = (msg: string, code = 'BAD_REQUEST', status = 400): Outcome => ({
  ...uncoded(msg, status),
  code,
});

const article = { featured_title: 'Kiln', featured_url: 'https://w.example/Kiln' };
const articleText =
  'Hello! I am happy to be here! :smile:\nThe Wikipedia featured article for today is **[Kiln](https://w.example/Kiln)**';

function withKey(query: Readonly<Record<string, string>> = {}, account = hook): Outcome & Posted {
  return { query: { api_key: account.apiKey, ...query } };
}

let topics = 0;

/** A new topic in `pots`. */
function newTopic(): string {
  topics += 1;
  return `topic ${topics}`;
}

async function inTopic(topic: string, who = all.bob): Promise<readonly Message[]> {
  const { messages } = await fetchMessages(who, {
    narrow: [
      ['stream', 'pots'],
      ['topic', topic],
    ],
  });
  return messages;
}

async function privatelyTo(owner: TestAccount): Promise<readonly Message[]> {
  return (await fetchMessages(owner, { narrow: [['is', 'private']] })).messages;
}

async function expectTaken(path: string, posted: Posted): Promise<void> {
  expect(await post(path, posted)).toEqual(success);
}

/** An owner with a bot, without messages. */
async function makeOwner(name: string): Promise<{ owner: TestAccount; bot: TestAccount }> {
  const owner = await all.organization.makeAccount(`${name} Owner`);
  return { owner, bot: await all.organization.makeAccount(`${name} Hook`, { owner, botType: 2 }) };
}

async function noticeTo(owner: TestAccount): Promise<unknown> {
  await settle();
  const [notice] = await privatelyTo(owner);
  expect(notice).toMatchObject({ sender_full_name: 'Notification Bot' });
  return notice?.['content'];
}

describe('helloworld', () => {
  test("without a stream sends a private message to the bot's owner, with the documented text", async () => {
    const { owner, bot } = await makeOwner('Private');
    await expectTaken('helloworld', { ...withKey({}, bot), body: article });
    expect(await privatelyTo(owner)).toEqual([
      expect.objectContaining({
        type: 'private',
        subject: '',
        sender_id: bot.id,
        content: articleText,
        client: 'ZulipHelloWorldWebhook',
      }),
    ]);
  });

  test('with a stream and no topic uses the topic Hello World', async () => {
    await expectTaken('helloworld', { ...withKey({ stream: 'POTS' }), body: article });
    expect(await inTopic('Hello World')).toEqual([
      expect.objectContaining({
        subject: 'Hello World',
        content: articleText,
        client: 'ZulipHelloWorldWebhook',
      }),
    ]);
  });
});

describe('who may send', () => {
  const posted = (): Outcome & Posted => ({ ...withKey({ stream: 'pots', topic: newTopic() }) });

  test('a key is required, and refusals of keys have codes and no challenge', async () => {
    expect(await post('helloworld', { body: article })).toEqual({
      ...coded("Missing 'api_key' argument", 'REQUEST_VARIABLE_MISSING'),
      var_name: 'api_key',
    });
    for (const [key, msg] of [
      ['x', 'Malformed API key'],
      ['', 'Malformed API key'],
      ['x'.repeat(32), 'Invalid API key'],
    ] as const)
      expect(await post('helloworld', { query: { api_key: key }, body: article })).toEqual(
        coded(msg, 'INVALID_API_KEY', 401),
      );
  });

  test('the key is checked before the body', async () => {
    expect(await post('helloworld', { query: { api_key: 'x' }, body: '{' })).toMatchObject({
      code: 'INVALID_API_KEY',
    });
  });

  test('a deactivated account is refused', async () => {
    const { bot } = await makeOwner('Gone');
    await all.pool.query('UPDATE users SET is_active = false WHERE id = $1', [bot.id]);
    expect(await post('helloworld', { ...withKey({}, bot), body: article })).toEqual(
      coded('Account is deactivated'),
    );
  });

  test('HTTP Basic works too, and a key in the query has priority', async () => {
    const basic = (text: string): Record<string, string> => ({
      authorization: `Basic ${Buffer.from(text).toString('base64')}`,
    });
    const { stream = '', topic = '' } = posted().query ?? {};
    const query = { stream, topic };
    const right = { headers: basic(`${hook.email}:${hook.apiKey}`), body: article };
    await expectTaken('helloworld', { ...right, query });
    const bearer = { headers: { authorization: 'Bearer x' }, body: article };
    await expectTaken('helloworld', { ...bearer, ...withKey(query) });
    expect(await inTopic(topic)).toHaveLength(2);
    expect(await post('helloworld', { ...bearer, query })).toEqual(
      uncoded('This endpoint requires HTTP basic authentication.'),
    );
    const wrong = { headers: basic(`${hook.email}:${'x'.repeat(32)}`), body: article };
    expect(await post('helloworld', { ...wrong, query })).toEqual({
      ...uncoded('Invalid API key', 401),
      authenticate: 'Basic realm="zulip"',
    });
  });

  test('a generic bot and a person may send too, a person only to a stream', async () => {
    const { stream = '', topic = '' } = posted().query ?? {};
    for (const who of [all.bot, all.cat])
      await expectTaken('helloworld', { ...withKey({ stream, topic }, who), body: article });
    expect((await inTopic(topic)).map(({ sender_id: id }) => id)).toEqual([all.bot.id, all.cat.id]);
    expect(await post('helloworld', { ...withKey({}, all.cat), body: article })).toEqual(
      coded('This account has no owner to send to: name a stream'),
    );
  });
});

describe('a request', () => {
  test('is read as JSON whatever its label, and never as a form', async () => {
    const topic = newTopic();
    const body = { ...article, featured_title: 'a&stream=nowhere&topic=other&method=PATCH&b' };
    for (const type of ['application/x-www-form-urlencoded', 'text/plain'])
      await expectTaken('helloworld', {
        ...withKey({ stream: 'pots', topic }),
        headers: { 'content-type': type },
        body,
      });
    expect(await inTopic(topic)).toHaveLength(2);
  });

  test('may have a slash at the end of its path, and any method', async () => {
    const topic = newTopic();
    const posted = { ...withKey({ stream: 'pots', topic }), body: article };
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      await expectTaken('helloworld/', { ...posted, method });
    expect(await inTopic(topic)).toHaveLength(4);
    expect(await post('helloworld', { ...withKey(), method: 'GET' })).toEqual(
      coded('Malformed JSON', 'INVALID_JSON'),
    );
  });

  test.each(['jenkins', 'grafana', 'json', 'slack_incoming', 'prometheus', 'helloworlds', ''])(
    'for the unknown integration %j is not found',
    async (name) => {
      expect(await post(name, { ...withKey(), body: {} })).toEqual(uncoded('Not found', 404));
    },
  );

  test('that is not JSON is refused, and the owner gets a notice', async () => {
    const { owner, bot } = await makeOwner('Malformed');
    for (const body of ['{', 'x=1', '', '--x\r\n'])
      expect(
        await post('github', {
          ...withKey({}, bot),
          headers: { 'x-github-event': 'ping', 'content-type': 'multipart/form-data; boundary=x' },
          body,
        }),
      ).toEqual(coded('Malformed JSON', 'INVALID_JSON'));
    expect(await noticeTo(owner)).toBe(
      `Your bot \`${bot.email}\` received a request at \`/api/v1/external/github\` whose body is not JSON. Its sender may have to be configured to send JSON.`,
    );
    expect(await privatelyTo(owner)).toHaveLength(1);
  });
});

describe('the stream', () => {
  test('that does not exist gives success, no message, and one notice a minute to the owner', async () => {
    const { owner, bot } = await makeOwner('Nowhere');
    for (let count = 0; count < 3; count += 1)
      await expectTaken('helloworld', { ...withKey({ stream: 'nowhere' }, bot), body: article });
    expect(await noticeTo(owner)).toBe(
      `Your bot \`${bot.email}\` tried to send a message to stream #**nowhere**, but that stream does not exist. Click [here](#streams/new) to create it.`,
    );
    expect(await privatelyTo(owner)).toHaveLength(1);
  });

  test.each(['', ' ', 'x'.repeat(61)])('with the invalid name %j is refused', async (stream) => {
    expect(await post('helloworld', { ...withKey({ stream }), body: article })).toEqual(
      coded(`Invalid stream name '${stream}'`),
    );
  });

  test('that is private requires that the bot or its owner is in it', async () => {
    const query = { stream: 'secret' };
    const { owner, bot } = await makeOwner('Outside');
    await expectTaken('helloworld', { ...withKey(query, bot), body: article });
    expect(await noticeTo(owner)).toContain(
      'to stream #**secret**, but that stream does not exist',
    );
    const annsHook = await all.organization.makeAccount('Ann Hook', { owner: all.ann, botType: 2 });
    await expectTaken('helloworld', { ...withKey(query, annsHook), body: article });
  });

  test('that is announcement-only is refused for others', async () => {
    await all.organization.makeStream('news', [all.bob]);
    await all.pool.query("UPDATE streams SET is_announcement_only = true WHERE name = 'news'");
    expect(await post('helloworld', { ...withKey({ stream: 'news' }), body: article })).toEqual(
      coded('Only organization administrators can send to this stream.'),
    );
  });
});

describe('the message', () => {
  test('has the requested topic as a send would have it, and one line from a payload', async () => {
    const topic = `${newTopic()} of\ttwo  parts`;
    const posted = withKey({ stream: 'pots', topic: ` ${topic} ` });
    await expectTaken('helloworld', { ...posted, body: article });
    expect(await all.bob.client.sendToStream('pots', topic, 'beside it')).toEqual(
      expect.any(Number),
    );
    expect(await inTopic(topic)).toHaveLength(2);
    const body = { topic: `${newTopic()}\n of\ttwo  parts`, content: 'x' };
    await expectTaken('ifttt', { ...withKey({ stream: 'pots' }), body });
    expect(await inTopic(body.topic.replaceAll(/\s+/g, ' '))).toHaveLength(1);
  });

  test('has U+FFFD instead of NUL, which has no effect elsewhere', async () => {
    const topic = newTopic();
    const body = { ...article, featured_title: 'Ki\0ln', 'other\0': ['\0'] };
    await expectTaken('helloworld', { ...withKey({ stream: 'pots', topic }), body });
    const [message] = await inTopic(topic);
    expect(message?.['content']).toBe(articleText.replace('Kiln', 'Ki\ufffdln'));
  });

  test('mentions nobody from a payload', async () => {
    const topic = newTopic();
    const body = {
      ...article,
      featured_title: 'x](y) @**all** @**Bob Ray** @\u0002**all** @*\u0003*Bob Ray** [',
    };
    await expectTaken('helloworld', { ...withKey({ stream: 'pots', topic }), body });
    const [quiet] = await inTopic(topic);
    expect(quiet?.flags).toEqual([]);
    expect(quiet?.['content']).toContain('@_**all** @_**Bob Ray** @_**all** @_**Bob Ray** (');
    // A payload that contains the message's content is sent unchanged.
    const written = { topic: 'x', content: '@**Bob Ray**' };
    await post('ifttt', { ...withKey({ stream: 'pots', topic }), body: written });
    expect((await inTopic(topic)).at(-1)?.flags).toEqual(['mentioned']);
    // A person's text is stored unchanged, although rendering drops a part of it.
    await all.ann.client.sendToStream('pots', topic, '@\u0002**Bob Ray**');
    expect((await inTopic(topic)).at(-1)).toMatchObject({
      content: '@\u0002**Bob Ray**',
      flags: ['mentioned'],
    });
  });

  test('is sent once for each delivery, and again to another stream', async () => {
    const topic = newTopic();
    const body = {
      sender: { login: 'rina' },
      repository: { name: 'kiln', html_url: 'https://git.example/kiln' },
    };
    const delivered = {
      ...withKey({ stream: 'pots', topic }),
      headers: { 'x-github-event': 'public', 'x-github-delivery': 'one' },
      body,
    };
    await Promise.all([1, 2, 3].map(() => post('github', delivered)));
    expect(await inTopic(topic)).toHaveLength(1);
    const other = newTopic();
    await expectTaken('github', { ...delivered, ...withKey({ stream: 'pots', topic: other }) });
    expect(await inTopic(other)).toHaveLength(1);
    const next = { ...delivered.headers, 'x-github-delivery': 'two' };
    await post('github', { ...delivered, headers: next });
    expect(await inTopic(topic)).toHaveLength(2);
  });
});

describe('github', () => {
  const headers = (event: string): Outcome & { readonly headers: Record<string, string> } => ({
    headers: { 'x-github-event': event },
  });
  const common = {
    sender: { login: 'rina' },
    repository: { name: 'kiln', html_url: 'https://git.example/kiln' },
  };

  test("without its header is refused with the header's name, and the owner gets a notice", async () => {
    const { owner, bot } = await makeOwner('Headless');
    expect(await post('github', { ...withKey({}, bot), body: common })).toEqual({
      ...coded("Missing the HTTP event header 'X_GITHUB_EVENT'", 'MISSING_HTTP_EVENT_HEADER'),
      header: 'X_GITHUB_EVENT',
    });
    expect(await noticeTo(owner)).toBe(
      `Your bot \`${bot.email}\` received a request at \`/api/v1/external/github\` without the header \`X-GitHub-Event\`, which says what happened.`,
    );
  });

  test('with an unknown event is refused with both fields', async () => {
    expect(await post('github', { ...withKey(), ...headers('unicorn'), body: common })).toEqual({
      ...coded(
        "The 'unicorn' event isn't currently supported by the GitHub webhook",
        'UNEXPECTED_WEBHOOK_EVENT_TYPE',
      ),
      webhook_name: 'GitHub',
      event_type: 'unicorn',
    });
  });
});

describe('forms', () => {
  const said = { user_name: 'rina', text: 'hot', channel_name: 'kilns' };
  const form = (values: Readonly<Record<string, string>>): Posted => ({
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(values).toString(),
  });

  test('of slack may contain the key and the stream; a missing stream is an error', async () => {
    const api_key = hook.apiKey;
    await expectTaken('slack', form({ ...said, api_key, stream: 'pots' }));
    expect(await inTopic('channel: kilns')).toEqual([
      expect.objectContaining({ content: '**rina**: `hot`', client: 'ZulipSlackWebhook' }),
    ]);
    expect(await post('slack', form({ ...said, api_key }))).toEqual({
      ...coded("Stream 'slack' does not exist", 'STREAM_DOES_NOT_EXIST'),
      stream: 'slack',
    });
    const mapped = { ...said, api_key, channels_map_to_topics: '0', channel_name: 'pots' };
    await expectTaken('slack', form(mapped));
    expect(await inTopic('Message from Slack')).toHaveLength(1);
    expect(await post('slack', form({ ...mapped, channels_map_to_topics: '2' }))).toEqual(
      uncoded('Error: channels_map_to_topics parameter other than 0 or 1'),
    );
    expect(await post('slack', form({ api_key, text: 'x' }))).toEqual({
      ...coded("Missing 'user_name' argument", 'REQUEST_VARIABLE_MISSING'),
      var_name: 'user_name',
    });
    expect(await post('slack', form(said))).toMatchObject({ var_name: 'api_key' });
  });

  test('of heroku are also read as multipart', async () => {
    const values = {
      head: '3eb5f44',
      app: 'kiln app',
      user: 'rina',
      url: 'https://k.example',
      git_log: '* Fix flue',
      api_key: hook.apiKey,
      stream: 'pots',
    };
    const parts = Object.entries(values).map(
      ([name, value]) =>
        `--b1\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    await expectTaken('heroku', {
      headers: { 'content-type': 'multipart/form-data; boundary=b1' },
      body: `${parts.join('')}--b1--\r\n`,
    });
    expect((await inTopic('kiln app'))[0]?.['content']).toBe(
      'rina deployed version 3eb5f44 of [kiln app](https://k.example):\n\n~~~ quote\n* Fix flue\n~~~',
    );
  });

  test('of travis contain the payload', async () => {
    const payload = {
      author_name: 'Rina',
      status_message: 'Passed',
      compare_url: 'https://c.example',
      build_url: 'https://b.example',
    };
    const posted = (text: string): Posted => ({
      ...withKey({ stream: 'pots' }),
      ...form({ payload: text }),
    });
    await expectTaken('travis', posted(JSON.stringify(payload)));
    expect((await inTopic('builds'))[0]?.['content']).toBe(
      'Author: Rina\nBuild status: Passed :thumbs_up:\nDetails: [changes](https://c.example), [build log](https://b.example)',
    );
    expect(await post('travis', posted('x'))).toEqual(
      coded('Argument "payload" is not valid JSON.'),
    );
    expect(await post('travis', posted('{}'))).toEqual(
      coded('author_name key is missing from payload'),
    );
  });
});

describe('others', () => {
  const alert = (status: string, instance: string): object => ({
    status,
    generatorURL: 'https://p.example/graph?tab=1',
    labels: { instance, alertname: 'Hot' },
  });

  test('alertmanager sends none of its messages where it may not send', async () => {
    const { ann, organization } = all;
    const { id } = await organization.makeStream('quiet', [ann, all.bob]);
    await ann.client.patch(`streams/${id}`, { is_announcement_only: true });
    const alerts = [alert('firing', 'a'), alert('firing', 'b')];
    const posted = { ...withKey({ stream: 'quiet' }), body: { alerts } };
    expect(await post('alertmanager', posted)).toEqual(
      coded('Only organization administrators can send to this stream.'),
    );
    const { messages } = await fetchMessages(ann, { narrow: [['stream', 'quiet']] });
    expect(messages.filter(({ sender_id: sender }) => sender === hook.id)).toEqual([]);
  });

  test.each(['no\0de', '"'.repeat(30_000), '\ud800', '@**all**'])(
    'alertmanager loses no alert because of the text of another: %s',
    async (text) => {
      const [first, last] = [newTopic(), newTopic()];
      const odd = { ...alert('firing', text), labels: { instance: text, alertname: text } };
      const alerts = [alert('firing', first), odd, alert('firing', last)];
      const posted = { ...withKey({ stream: 'pots' }), body: { alerts } };
      await expectTaken('alertmanager', posted);
      expect([...(await inTopic(first)), ...(await inTopic(last))]).toHaveLength(2);
    },
  );

  test('alertmanager sends a message for each topic and state', async () => {
    const alerts = [alert('firing', 'a:1'), alert('resolved', 'a:1'), alert('firing', 'b:1')];
    await expectTaken('alertmanager', { ...withKey({ stream: 'pots' }), body: { alerts } });
    const graph = 'Hot ([graph](https://p.example/graph?tab=0))';
    expect((await inTopic('a:1')).map(({ content }) => content)).toEqual([
      `:alert: **FIRING** ${graph}`,
      `:squared_ok: **Resolved** ${graph}`,
    ]);
    expect(await inTopic('b:1')).toHaveLength(1);
    // No alert loses the others.
    const withBlank = [alert('firing', 'c:1'), alert('firing', ' ')];
    await expectTaken('alertmanager', {
      ...withKey({ stream: 'pots' }),
      body: { alerts: withBlank },
    });
    expect(await inTopic('c:1')).toHaveLength(1);
    expect(await inTopic('(unknown)')).toHaveLength(1);
    const nowhere = await makeOwner('Alerts');
    await expectTaken('alertmanager', {
      ...withKey({ stream: 'gone' }, nowhere.bot),
      body: { alerts },
    });
    expect(await noticeTo(nowhere.owner)).toContain('#**gone**');
  });

  test('zapier gets the account of its key', async () => {
    expect(await post('zapier', { ...withKey(), body: { type: 'auth' } })).toEqual({
      ...success,
      full_name: 'Hook',
      email: hook.email,
      id: hook.id,
    });
  });

  test('zabbix with a missing key has an invalid payload, and the owner gets a notice', async () => {
    const { owner, bot } = await makeOwner('Zab');
    expect(await post('zabbix', { ...withKey({}, bot), body: { hostname: 'x' } })).toEqual(
      uncoded('Invalid payload'),
    );
    expect(await noticeTo(owner)).toContain('severity key is missing from payload');
  });

  test('gitlab has its own name in refusals', async () => {
    const headers = { 'x-gitlab-event': 'System Hook' };
    expect(await post('gitlab', { ...withKey(), headers, body: {} })).toEqual({
      ...coded(
        "The 'System Hook' event isn't currently supported by the GitLab webhook",
        'UNEXPECTED_WEBHOOK_EVENT_TYPE',
      ),
      webhook_name: 'GitLab',
      event_type: 'System Hook',
    });
  });

  test('gitlab, circleci, sentry and splunk send the messages of their declarations', async () => {
    const posts: readonly (readonly [string, Record<string, string>, object, string, string])[] = [
      [
        'gitlab',
        { 'x-gitlab-event': 'Test Hook' },
        { project: { name: 'lab' } },
        'lab',
        'ZulipGitlabWebhook',
      ],
      [
        'circleci',
        {},
        {
          payload: {
            reponame: 'circle',
            build_url: 'https://ci.example/9',
            username: 'rina',
            branch: 'dev',
            status: 'success',
          },
        },
        'circle',
        'ZulipCircleCIWebhook',
      ],
      [
        'sentry',
        {},
        { project_name: 'watch', url: 'x', level: 'error', message: 'Oh' },
        'watch',
        'ZulipSentryWebhook',
      ],
      ['splunk', {}, { search_name: 'heat' }, 'heat', 'ZulipSplunkWebhook'],
      ['ifttt', {}, { topic: 'door', content: 'opened' }, 'door', 'ZulipIFTTTWebhook'],
    ];
    for (const [name, headers, body, topic, client] of posts) {
      await expectTaken(name, { ...withKey({ stream: 'pots' }), headers, body });
      expect(await inTopic(topic)).toEqual([expect.objectContaining({ client, subject: topic })]);
    }
  });
});
