/** An organization in which there is something of everything, made through the gateway as its people would. */
import { drawDefaultAvatar } from '@parley/images';
import { makeOrganization, readObjects } from '@parley/test-kit';
import type { Cluster, JsonObject, Method, TestAccount } from '@parley/test-kit';

export const password = 'the tide is low on tuesdays';

/** Ann, Ada: administrators; Bob, Cat, Dan: members; Gil: a guest; Eve: deactivated; the rest are bots. */
export type WholeOrganization = {
  readonly accounts: Readonly<Record<string, TestAccount>>;
  /** Addresses of files, as messages link to them. */
  readonly fileUrls: readonly string[];
  readonly close: () => Promise<void>;
};

type Send = (
  who: TestAccount,
  method: Method,
  path: string,
  parameters?: Readonly<Record<string, unknown>>,
) => Promise<JsonObject>;

function basicOf({ email, apiKey }: TestAccount): string {
  return `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}`;
}

/** Sends one file as a browser does. */
async function sendFile(
  cluster: Cluster,
  who: TestAccount,
  path: string,
  content: Uint8Array,
  name: string,
): Promise<JsonObject> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(content)]), name);
  const answer = await fetch(new URL(`/api/v1/${path}`, cluster.url), {
    method: 'POST',
    body: form,
    headers: { authorization: basicOf(who) },
  });
  const body = (await answer.json()) as JsonObject;
  if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(body)}`);
  return body;
}

export async function makeWholeOrganization(cluster: Cluster): Promise<WholeOrganization> {
  const organization = await makeOrganization(cluster);
  const person = (name: string, role: 'administrator' | 'member' | 'guest'): Promise<TestAccount> =>
    organization.makeAccount(name, { role, password });
  const ann = await person('Ann Lee', 'administrator');
  const ada = await person('Ada Bo', 'administrator');
  const bob = await person('Bob Ray', 'member');
  const cat = await person('Cat Moe', 'member');
  const dan = await person('Dan Fox', 'member');
  const gil = await person('Gil Ito', 'guest');
  const eve = await person('Eve Sun', 'member');
  const bot = await organization.makeAccount('Tide Bot', { botType: 1, owner: bob });
  const hook = await organization.makeAccount('Hook Bot', { botType: 2, owner: bob });
  const poster = await organization.makeAccount('Post Bot', { botType: 3, owner: ann });
  const eveBot = await organization.makeAccount('Eve Bot', { botType: 1, owner: eve });
  const accounts = { ann, ada, bob, cat, dan, gil, eve, bot, hook, poster, eveBot };
  const whole = new Maker(cluster, accounts);
  await whole.makeStreams();
  await whole.converse();
  await whole.read();
  await whole.arrange();
  await whole.leave();
  return { accounts, fileUrls: whole.fileUrls, close: () => organization.close() };
}

class Maker {
  readonly #cluster: Cluster;
  readonly #people: Readonly<
    Record<
      'ann' | 'ada' | 'bob' | 'cat' | 'dan' | 'gil' | 'eve' | 'bot' | 'hook' | 'poster' | 'eveBot',
      TestAccount
    >
  >;
  readonly fileUrls: string[] = [];
  #streamIds: Readonly<Record<string, number>> = {};
  #messageIds: number[] = [];

  constructor(cluster: Cluster, people: Maker['people']) {
    this.#cluster = cluster;
    this.#people = people;
  }

  get people() {
    return this.#people;
  }

  readonly #send: Send = async (who, method, path, parameters) =>
    who.client.call(method, path, parameters);

  async #subscribe(
    who: TestAccount,
    names: readonly string[],
    others: readonly TestAccount[],
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    await this.#send(who, 'POST', 'users/me/subscriptions', {
      subscriptions: names.map((name) => ({ name, description: `About *${name}*` })),
      principals: [who, ...others].map(({ email }) => email),
      ...options,
    });
  }

  async makeStreams(): Promise<void> {
    const { ann, bob, cat, dan, gil, eve, bot } = this.#people;
    await this.#subscribe(ann, ['general', 'Öffentlich \u2028 dry'], [bob, cat, gil, eve, bot]);
    await this.#subscribe(bob, ['vault'], [cat, ann], { invite_only: true });
    await this.#subscribe(bob, ['archive'], [dan], {
      invite_only: true,
      history_public_to_subscribers: true,
    });
    await this.#subscribe(ann, ['news'], [bob, gil], { is_announcement_only: true });
    await this.#subscribe(ann, ['gone'], [bob, cat]);
    const { streams } = await this.#send(ann, 'GET', 'streams', { include_all_active: true });
    this.#streamIds = Object.fromEntries(
      readObjects({ streams }, 'streams').map((stream) => [
        stream['name'] as string,
        stream['stream_id'] as number,
      ]),
    );
    await this.#send(ann, 'POST', 'default_streams', { stream_name: 'general' });
    await this.#send(ann, 'POST', 'default_stream_groups/create', {
      group_name: 'crew',
      description: 'For the crew',
      stream_names: ['news'],
    });
  }

  async #say(who: TestAccount, stream: string, topic: string, content: string): Promise<number> {
    const id = await who.client.sendToStream(stream, topic, content);
    this.#messageIds.push(id);
    return id;
  }

  /** Linkifiers, words, groups and emoji come first, since what is sent is matched with them. */
  async converse(): Promise<void> {
    const { ann, ada, bob, cat, dan, gil, eve, bot } = this.#people;
    await this.#send(ann, 'POST', 'realm/filters', {
      pattern: 'T(?P<id>[0-9]+)',
      url_format_string: 'https://tickets.example/%(id)s',
    });
    await this.#send(cat, 'POST', 'users/me/alert_words', { alert_words: ['barnacle', 'Ölzeug'] });
    await this.#send(ann, 'POST', 'user_groups/create', {
      name: 'crew',
      description: 'All hands',
      members: [bob.id, cat.id],
    });
    await sendFile(this.#cluster, ann, 'realm/emoji/heron', await drawDefaultAvatar(40), 'h.png');
    await sendFile(this.#cluster, ann, 'realm/emoji/owl', await drawDefaultAvatar(50), 'o.png');
    for (const name of ['picture.png', 'notes.txt', 'unused.bin']) {
      const content = name.endsWith('png') ? await drawDefaultAvatar(80) : Buffer.from(name);
      const { uri } = await sendFile(this.#cluster, bob, 'user_uploads', content, name);
      this.fileUrls.push(uri as string);
    }
    const [picture = '', notes = ''] = this.fileUrls;
    const first = await this.#say(ann, 'general', 'hello', 'Hello **all** :heron: and T12');
    await this.#say(bob, 'general', 'hello', `A [picture](${picture}) and [notes](${notes})`);
    await this.#say(bob, 'vault', 'plans', `Only here: [notes](${notes}) barnacle`);
    await this.#say(cat, 'general', 'hello', `@*crew* and @**Bob Ray**, see https://a.example/`);
    await this.#say(eve, 'general', 'hello', '/me waves @**all** with her ölzeug');
    await this.#say(
      bot,
      'general',
      'Gezeiten',
      'High water at \u2028 noon\n```js\nlet a = "\\\\";\n```',
    );
    await this.#say(ann, 'news', 'week', 'Nobody answers here');
    await this.#say(bob, 'archive', 'old', 'Before Ada came');
    await this.#say(cat, 'gone', 'last', 'Soon gone');
    for (const [from, to, text] of [
      [bob, [cat], 'Between us :tada:'],
      [cat, [bob], 'Yes'],
      [ann, [bob, gil], 'The three of us'],
      [bob, [bob], 'Note to self'],
      [eve, [ann], 'I am leaving'],
    ] as const)
      this.#messageIds.push(
        await from.client.sendPrivately(
          to.map(({ email }) => email),
          text,
        ),
      );
    await this.#subscribe(bob, ['archive'], [ada], {});
    await this.#say(ada, 'archive', 'old', 'After Ada came');
    const edited = await this.#say(dan, 'archive', 'typo', 'Helo');
    await this.#send(dan, 'PATCH', `messages/${edited}`, { content: 'Hello', topic: 'no typo' });
    const moved = await this.#say(ann, 'general', 'move me', 'One');
    await this.#say(bob, 'general', 'move me', 'Two');
    await this.#send(ann, 'PATCH', `messages/${moved}`, {
      topic: 'moved',
      propagate_mode: 'change_all',
    });
    const deleted = await this.#say(ann, 'general', 'hello', 'To be deleted');
    await this.#send(ann, 'DELETE', `messages/${deleted}`);
    for (const [who, emoji] of [
      [bob, { emoji_name: 'tada' }],
      [cat, { emoji_name: 'heron' }],
      [dan, { emoji_name: 'owl' }],
      [ann, { emoji_name: 'tada' }],
    ] as const)
      await this.#send(who, 'POST', `messages/${first}/reactions`, emoji);
    await this.#send(ann, 'DELETE', 'realm/emoji/owl');
    await this.#send(bob, 'POST', 'submessage', {
      message_id: this.#messageIds[1],
      msg_type: 'whatever',
      content: { salutation: 'hello' },
    });
  }

  async read(): Promise<void> {
    const { ann, bob, cat, dan, gil } = this.#people;
    const [first, second, third] = this.#messageIds;
    const flag = (who: TestAccount, op: string, name: string, ids: readonly unknown[]) =>
      this.#send(who, 'POST', 'messages/flags', { op, flag: name, messages: ids });
    await this.#send(bob, 'POST', 'mark_all_as_read');
    await flag(bob, 'remove', 'read', [first]);
    await flag(cat, 'add', 'read', [second]);
    await flag(cat, 'add', 'starred', [first, third]);
    await flag(dan, 'add', 'starred', [first]);
    await flag(cat, 'add', 'collapsed', [first]);
    await this.#send(cat, 'POST', 'mark_topic_as_read', {
      stream_id: this.#streamIds['general'],
      topic_name: 'moved',
    });
    await this.#send(ann, 'POST', 'mark_topic_as_read', {
      stream_id: this.#streamIds['general'],
      topic_name: 'hello',
    });
    await this.#send(gil, 'POST', 'mark_stream_as_read', { stream_id: this.#streamIds['general'] });
    await this.#send(ann, 'POST', 'users/me/pointer', { pointer: second });
    await this.#say(ann, 'general', 'after', 'Nobody has read this, @**Cat Moe**');
    await this.#say(ann, 'general', 'after', 'Nor this');
  }

  async arrange(): Promise<void> {
    const { ann, ada, bob, cat, dan, gil, bot, poster } = this.#people;
    const general = this.#streamIds['general'];
    await this.#send(cat, 'PATCH', 'users/me/subscriptions/muted_topics', {
      stream: 'general',
      topic: 'Hello',
      op: 'add',
    });
    await this.#send(cat, 'POST', 'users/me/subscriptions/properties', {
      subscription_data: [
        { stream_id: this.#streamIds['news'] ?? general, property: 'color', value: '#00aa88' },
        { stream_id: general, property: 'is_muted', value: true },
        { stream_id: general, property: 'pin_to_top', value: true },
      ].filter(({ stream_id }) => stream_id === general),
    });
    await this.#addProfileFields();
    await this.#send(dan, 'POST', 'users/me/status', { away: true, status_text: 'At sea' });
    await this.#send(dan, 'PATCH', 'settings/display', {
      night_mode: true,
      timezone: 'Europe/Berlin',
    });
    await this.#send(dan, 'PATCH', 'settings/notifications', { enable_sounds: false });
    await this.#send(dan, 'POST', 'users/me/enter-sends', { enter_sends: true });
    await this.#send(bot, 'PUT', 'bot_storage', { storage: { tide: 'low', [`k\u2028`]: '"\\' } });
    await this.#send(ann, 'PATCH', `bots/${poster.id}`, {
      service_payload_url: 'http://127.0.0.1:9/hook',
      service_interface: 1,
    });
    await this.#send(bob, 'POST', 'bots', {
      full_name: 'Outgoing Bot',
      short_name: 'outgoing',
      bot_type: 3,
      payload_url: 'http://127.0.0.1:9/',
    });
    await this.#send(ann, 'POST', 'realm/domains', {
      domain: 'example.com',
      allow_subdomains: true,
    });
    await this.#send(ann, 'PATCH', 'realm', {
      name: 'Harbour',
      description: 'We **build** boats',
      message_content_edit_limit_seconds: 0,
      notifications_stream_id: general,
    });
    const picture = await drawDefaultAvatar(120);
    await sendFile(this.#cluster, ann, 'realm/icon', picture, 'icon.png');
    await sendFile(this.#cluster, ann, 'realm/logo?night=false', picture, 'logo.png');
    await sendFile(this.#cluster, cat, 'users/me/avatar', picture, 'me.png');
    await this.#send(ada, 'PATCH', 'settings', { full_name: 'Ada Bó' });
    await this.#send(ann, 'DELETE', 'users/me/subscriptions', {
      subscriptions: ['news'],
      principals: [gil.email],
    });
  }

  async #addProfileFields(): Promise<void> {
    const { ann, bob, cat } = this.#people;
    const add = async (parameters: Readonly<Record<string, unknown>>): Promise<unknown> =>
      (await this.#send(ann, 'POST', 'realm/profile_fields', parameters))['id'];
    const phone = await add({ name: 'Phone', hint: 'With prefix', field_type: 1 });
    const mentor = await add({ name: 'Mentor', field_type: 6 });
    await this.#send(bob, 'PATCH', 'users/me/profile_data', {
      data: [
        { id: phone, value: '+49 **1**' },
        { id: mentor, value: [cat.id] },
      ],
    });
  }

  /** People leave and come back, streams end. */
  async leave(): Promise<void> {
    const { ann, bob, cat, dan, eve } = this.#people;
    await this.#send(cat, 'DELETE', 'users/me/subscriptions', { subscriptions: ['general'] });
    await this.#say(ann, 'general', 'while Cat is away', 'Not for Cat, @**Cat Moe**');
    await this.#subscribe(cat, ['general'], []);
    await this.#say(ann, 'general', 'while Cat is back', 'For Cat again');
    await this.#send(ann, 'DELETE', `streams/${this.#streamIds['gone'] ?? 0}`);
    await this.#send(ann, 'PATCH', `streams/${this.#streamIds['vault'] ?? 0}`, {
      description: 'New words',
    });
    await this.#send(ann, 'PATCH', `users/${bob.id}`, { full_name: 'Bob Rey' });
    await this.#send(ann, 'PATCH', `users/${dan.id}`, { is_admin: true });
    await this.#send(ann, 'PATCH', `users/${dan.id}`, { is_admin: false });
    await this.#send(ann, 'DELETE', `users/${dan.id}`);
    await this.#send(ann, 'POST', `users/${dan.id}/reactivate`);
    await this.#send(ann, 'DELETE', `users/${eve.id}`);
  }
}
