/** An organization with something of everything, created through the gateway as its people would. */
import type { ParametersOf } from '@parley/client';
import { drawDefaultAvatar } from '@parley/files/images';
import { insertIdentity } from '@parley/store';
import { makeOrganization, openTestPool } from '@parley/test-kit';
import type { Cluster, TestAccount } from '@parley/test-kit';

export const password = 'the tide is low on tuesdays';

/** Ann, Ada: administrators; Bob, Cat, Dan: members; Gil: a guest; Eve: deactivated; the rest are bots. */
export type WholeOrganization = {
  readonly accounts: Readonly<Record<string, TestAccount>>;
  /** Addresses of files, as messages link to them. */
  readonly fileUrls: readonly string[];
  readonly close: () => Promise<void>;
};

function fileOf(content: Uint8Array, name: string): File {
  return new File([new Uint8Array(content)], name);
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
  const whole = new Maker(accounts);
  await whole.makeStreams();
  await whole.converse();
  await whole.read();
  await whole.arrange();
  await whole.leave();
  await linkIdentity(cluster, bob);
  await nameForProvider(cluster, bob);
  return { accounts, fileUrls: whole.fileUrls, close: () => organization.close() };
}

/** As if the person had signed in by an OpenID provider, which takes a provider that runs. */
async function linkIdentity({ settings }: Cluster, { user }: TestAccount): Promise<void> {
  const pool = openTestPool(settings.databaseUrl, 1);
  await insertIdentity(pool, user.id, { issuer: 'https://id.example', subject: 'bob' });
  await pool.end();
}

/** As if an identity provider kept the person and the groups by SCIM. */
async function nameForProvider({ settings }: Cluster, { user }: TestAccount): Promise<void> {
  const pool = openTestPool(settings.databaseUrl, 1);
  await pool.query({
    text: "UPDATE users SET external_id = 'provider-bob' WHERE id = $1",
    values: [user.id],
  });
  await pool.query({ text: "UPDATE user_groups SET external_id = 'provider-' || name" });
  await pool.end();
}

class Maker {
  readonly #people: Readonly<
    Record<
      'ann' | 'ada' | 'bob' | 'cat' | 'dan' | 'gil' | 'eve' | 'bot' | 'hook' | 'poster' | 'eveBot',
      TestAccount
    >
  >;
  readonly fileUrls: string[] = [];
  #streamIds: Readonly<Record<string, number>> = {};
  #messageIds: number[] = [];

  constructor(people: Maker['people']) {
    this.#people = people;
  }

  get people() {
    return this.#people;
  }

  #streamId(name: string): number {
    const id = this.#streamIds[name];
    if (id === undefined) throw new Error(`there is no stream ${name}`);
    return id;
  }

  #messageId(index: number): number {
    const id = this.#messageIds[index];
    if (id === undefined) throw new Error(`there is no message ${index}`);
    return id;
  }

  async #subscribe(
    who: TestAccount,
    names: readonly string[],
    others: readonly TestAccount[],
    options: Partial<ParametersOf<'POST /users/me/subscriptions'>> = {},
  ): Promise<void> {
    await who.typed.request('POST /users/me/subscriptions', {
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
    const { streams } = await ann.typed.request('GET /streams', { include_all_active: true });
    this.#streamIds = Object.fromEntries(streams.map(({ name, stream_id: id }) => [name, id]));
    await ann.typed.request('POST /default_streams', { stream_name: 'general' });
    await ann.typed.request('POST /default_stream_groups/create', {
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

  /** Linkifiers, words, groups and emoji come first, because messages are matched with them when they are sent. */
  async converse(): Promise<void> {
    const { ann, ada, bob, cat, dan, gil, eve, bot } = this.#people;
    await ann.typed.request('POST /realm/filters', {
      pattern: 'T(?P<id>[0-9]+)',
      url_format_string: 'https://tickets.example/%(id)s',
    });
    await cat.typed.request('POST /users/me/alert_words', { alert_words: ['barnacle', 'Ölzeug'] });
    await ann.typed.request('POST /user_groups/create', {
      name: 'crew',
      description: 'All hands',
      members: [bob.id, cat.id],
    });
    await ann.typed.request('POST /realm/emoji/{emoji_name}', {
      emoji_name: 'heron',
      file: fileOf(await drawDefaultAvatar(40), 'h.png'),
    });
    await ann.typed.request('POST /realm/emoji/{emoji_name}', {
      emoji_name: 'owl',
      file: fileOf(await drawDefaultAvatar(50), 'o.png'),
    });
    for (const name of ['picture.png', 'notes.txt', 'unused.bin']) {
      const content = name.endsWith('png') ? await drawDefaultAvatar(80) : Buffer.from(name);
      const { uri } = await bob.typed.request('POST /user_uploads', {
        file: fileOf(content, name),
      });
      this.fileUrls.push(uri);
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
    const old = await this.#say(bob, 'archive', 'old', 'Before Ada came');
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
    await dan.typed.request('PATCH /messages/{message_id}', {
      message_id: edited,
      content: 'Hello',
      topic: 'no typo',
    });
    const moved = await this.#say(ann, 'general', 'move me', 'One');
    await this.#say(bob, 'general', 'move me', 'Two');
    await ann.typed.request('PATCH /messages/{message_id}', {
      message_id: moved,
      topic: 'moved',
      propagate_mode: 'change_all',
    });
    const deleted = await this.#say(ann, 'general', 'hello', 'To be deleted');
    await ann.typed.request('DELETE /messages/{message_id}', { message_id: deleted });
    for (const [who, emoji] of [
      [bob, { emoji_name: 'tada' }],
      [cat, { emoji_name: 'heron' }],
      [dan, { emoji_name: 'owl' }],
      [ann, { emoji_name: 'tada' }],
    ] as const)
      await who.typed.request('POST /messages/{message_id}/reactions', {
        message_id: first,
        ...emoji,
      });
    await ann.typed.request('DELETE /realm/emoji/{emoji_name}', { emoji_name: 'owl' });
    await bob.typed.request('POST /messages', {
      type: 'stream',
      to: 'general',
      topic: 'Gezeiten',
      content: 'High water \u2028 again',
      delivery_type: 'send_later',
      deliver_at: '2999-12-31T12:00:00+01:00',
    });
    const poll = await this.#say(cat, 'general', 'hello', '/poll Tea?');
    await bob.typed.request('POST /submessage', {
      message_id: poll,
      msg_type: 'whatever',
      content: '{"salutation":"hello"}',
    });
    await dan.typed.request('DELETE /users/me/subscriptions', { subscriptions: ['archive'] });
    await bob.typed.request('PATCH /messages/{message_id}', {
      message_id: old,
      content: 'Before Ada came, and after Dan left',
    });
  }

  async read(): Promise<void> {
    const { ann, bob, cat, dan, gil } = this.#people;
    const first = this.#messageId(0);
    const second = this.#messageId(1);
    const third = this.#messageId(2);
    const flag = (who: TestAccount, op: string, name: string, ids: readonly number[]) =>
      who.typed.request('POST /messages/flags', { op, flag: name, messages: ids });
    await bob.typed.request('POST /mark_all_as_read');
    await flag(bob, 'remove', 'read', [first]);
    await flag(cat, 'add', 'read', [second]);
    await flag(cat, 'add', 'starred', [first, third]);
    await flag(dan, 'add', 'starred', [first]);
    await flag(cat, 'add', 'collapsed', [first]);
    await cat.typed.request('POST /mark_topic_as_read', {
      stream_id: this.#streamId('general'),
      topic_name: 'moved',
    });
    await ann.typed.request('POST /mark_topic_as_read', {
      stream_id: this.#streamId('general'),
      topic_name: 'hello',
    });
    await gil.typed.request('POST /mark_stream_as_read', { stream_id: this.#streamId('general') });
    await ann.typed.request('POST /users/me/pointer', { pointer: second });
    await this.#say(ann, 'general', 'after', 'Nobody has read this, @**Cat Moe**');
    await this.#say(ann, 'general', 'after', 'Nor this');
  }

  async arrange(): Promise<void> {
    const { ann, ada, bob, cat, dan, gil, bot, poster } = this.#people;
    const general = this.#streamId('general');
    await cat.typed.request('PATCH /users/me/subscriptions/muted_topics', {
      stream: 'general',
      topic: 'Hello',
      op: 'add',
    });
    await cat.typed.request('POST /users/me/subscriptions/properties', {
      subscription_data: [
        { stream_id: this.#streamId('news'), property: 'color', value: '#00aa88' },
        { stream_id: general, property: 'is_muted', value: true },
        { stream_id: general, property: 'pin_to_top', value: true },
      ].filter(({ stream_id }) => stream_id === general),
    });
    await this.#addProfileFields();
    await gil.typed.request('POST /drafts', {
      drafts: [
        { type: 'stream', to: [general], topic: 'tides', content: 'Half a \u2028 sentence' },
        { type: 'private', to: [bob.id], topic: '', content: 'To be sent later' },
      ],
    });
    await dan.typed.request('POST /users/me/status', { away: true, status_text: 'At sea' });
    await dan.typed.request('PATCH /settings/display', {
      night_mode: true,
      timezone: 'Europe/Berlin',
    });
    await dan.typed.request('PATCH /settings/notifications', { enable_sounds: false });
    await dan.typed.request('POST /users/me/enter-sends', { enter_sends: true });
    await dan.typed.request('POST /users/me/hotspots', { hotspot: 'intro_reply' });
    await bot.typed.request('PUT /bot_storage', { storage: { tide: 'low', [`k\u2028`]: '"\\' } });
    await ann.typed.request('PATCH /bots/{bot_id}', {
      bot_id: poster.id,
      service_payload_url: 'http://127.0.0.1:9/hook',
      service_interface: 1,
    });
    await bob.typed.request('POST /bots', {
      full_name: 'Outgoing Bot',
      short_name: 'outgoing',
      bot_type: 3,
      payload_url: 'http://127.0.0.1:9/',
    });
    await ann.typed.request('POST /realm/domains', {
      domain: 'example.com',
      allow_subdomains: true,
    });
    await ann.typed.request('PATCH /realm', {
      name: 'Harbour',
      description: 'We **build** boats',
      message_content_edit_limit_seconds: 0,
      notifications_stream_id: general,
    });
    const picture = await drawDefaultAvatar(120);
    await ann.typed.request('POST /realm/icon', { file: fileOf(picture, 'icon.png') });
    await ann.typed.request('POST /realm/logo', {
      night: false,
      file: fileOf(picture, 'logo.png'),
    });
    await cat.typed.request('POST /users/me/avatar', { file: fileOf(picture, 'me.png') });
    await ada.typed.request('PATCH /settings', { full_name: 'Ada Bó' });
    await ann.typed.request('DELETE /users/me/subscriptions', {
      subscriptions: ['news'],
      principals: [gil.email],
    });
  }

  async #addProfileFields(): Promise<void> {
    const { ann, bob, cat } = this.#people;
    const add = async (parameters: ParametersOf<'POST /realm/profile_fields'>): Promise<number> =>
      (await ann.typed.request('POST /realm/profile_fields', parameters)).id;
    const phone = await add({ name: 'Phone', hint: 'With prefix', field_type: 1 });
    const mentor = await add({ name: 'Mentor', field_type: 6 });
    await bob.typed.request('PATCH /users/me/profile_data', {
      data: [
        { id: phone, value: '+49 **1**' },
        { id: mentor, value: [cat.id] },
      ],
    });
  }

  /** People are deactivated and reactivated, and streams are deactivated. */
  async leave(): Promise<void> {
    const { ann, bob, cat, dan, eve } = this.#people;
    await cat.typed.request('DELETE /users/me/subscriptions', { subscriptions: ['general'] });
    await this.#say(ann, 'general', 'while Cat is away', 'Not for Cat, @**Cat Moe**');
    await this.#subscribe(cat, ['general'], []);
    await this.#say(ann, 'general', 'while Cat is back', 'For Cat again');
    await ann.typed.request('DELETE /streams/{stream_id}', { stream_id: this.#streamId('gone') });
    await ann.typed.request('PATCH /streams/{stream_id}', {
      stream_id: this.#streamId('vault'),
      description: 'New words',
    });
    await ann.typed.request('PATCH /users/{user_id}', { user_id: bob.id, full_name: 'Bob Rey' });
    await ann.typed.request('PATCH /users/{user_id}', { user_id: dan.id, is_admin: true });
    await ann.typed.request('PATCH /users/{user_id}', { user_id: dan.id, is_admin: false });
    await ann.typed.request('DELETE /users/{user_id}', { user_id: dan.id });
    await ann.typed.request('POST /users/{user_id}/reactivate', { user_id: dan.id });
    await ann.typed.request('DELETE /users/{user_id}', { user_id: eve.id });
  }
}
