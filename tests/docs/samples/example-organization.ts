/** The demo organization on a separate cluster, with everything that the examples refer to. */
import { rmSync } from 'node:fs';

import { connectMaker, people, seedDemo } from '@parley/demo';
import type { ConnectedMaker, NewAccount } from '@parley/demo';
import { exampleVariables } from '@parley/api';
import type { ExampleCaller, ExampleVariable, ExampleVariableName } from '@parley/api';
import type { SampleRequest } from '@parley/api/samples';
import { drawDefaultAvatar } from '@parley/files/images';
import { ApiClient, openTestPool, readObjects, startCluster, waitUntil } from '@parley/test-kit';
import type { Cluster, JsonObject } from '@parley/test-kit';

import { makeMailFolder, tokenIn, waitForMail } from '../../support/kept-mails.ts';

/** Links in recorded answers begin with it. */
const publicUrl = 'https://chat.example.com';
const password = 'the tide is low on tuesdays';

const laterMessage = {
  type: 'stream',
  to: 'boatyard',
  topic: 'oars',
  delivery_type: 'send_later',
  deliver_at: '2999-05-01T09:30:00+02:00',
};

const draft = { type: 'private', to: [], topic: '', content: 'I meant to say' };

/** Calls that take something away from their caller that later calls need. */
const usesUpItsCaller: ReadonlySet<string> = new Set([
  'DELETE /users/me',
  'POST /users/me/api_key/regenerate',
]);

/** The needs of one call: its caller, and the values that it refers to. */
type Call = {
  readonly client: ApiClient;
  readonly made: Map<string, Promise<JsonObject>>;
};

type Make = (call: Call) => Promise<unknown>;

export type PreparedCall = {
  readonly client: ApiClient;
  /** By the names of variables. */
  readonly values: Readonly<Record<string, string | number>>;
};

function lastPart(address: unknown): string {
  return String(address).replace(/\?.*$/, '').split('/').at(-1) ?? '';
}

function idOf(listed: readonly JsonObject[], key: string, wanted: unknown, idKey: string): unknown {
  const found = listed.find((each) => each[key] === wanted);
  if (found === undefined) throw new Error(`nothing has the ${key} ${String(wanted)}`);
  return found[idKey];
}

export class ExampleOrganization {
  readonly cluster: Cluster;
  /** The file that examples send. */
  readonly picture: Uint8Array;
  readonly #mailFolder: string;
  readonly #connected: ConnectedMaker;
  readonly #keys: ReadonlyMap<string, string>;
  readonly #fieldIds: unknown[] = [];
  #count = 0;

  static async start(): Promise<ExampleOrganization> {
    const mailFolder = makeMailFolder();
    const cluster = await startCluster({
      environment: { PARLEY_PUBLIC_URL: publicUrl, PARLEY_MAIL_DIR: mailFolder },
    });
    const connected = connectMaker(cluster.settings);
    const { accounts } = await seedDemo(connected.maker, {
      passwords: new Map([people.tobias, people.maren].map((email) => [email, password])),
      publicUrl,
      nowSecs: Math.floor(Date.now() / 1000),
    });
    const [hook] = await connected.maker.makeAccounts([
      {
        email: 'door-bot@harbour.example',
        fullName: 'Door Bot',
        botType: 2,
        ownerEmail: people.maren,
      },
    ]);
    if (hook === undefined) throw new Error('no bot was made');
    const keys = new Map([
      ...accounts.map(({ email, api_key: key }) => [email, key] as const),
      [hook.user.email, hook.apiKey] as const,
    ]);
    const organization = new ExampleOrganization(
      cluster,
      mailFolder,
      connected,
      keys,
      await drawDefaultAvatar(256),
    );
    await organization.#arrange();
    return organization;
  }

  private constructor(
    cluster: Cluster,
    mailFolder: string,
    connected: ConnectedMaker,
    keys: ReadonlyMap<string, string>,
    picture: Uint8Array,
  ) {
    this.cluster = cluster;
    this.#mailFolder = mailFolder;
    this.#connected = connected;
    this.#keys = keys;
    this.picture = picture;
  }

  /** Prepares what one call needs, so that it succeeds whatever ran before. */
  async prepare(request: SampleRequest): Promise<PreparedCall> {
    const client = usesUpItsCaller.has(request.operation)
      ? await this.#makePerson()
      : this.#clientOf(request.as);
    const call: Call = { client, made: new Map() };
    const values: Record<string, string | number> = {};
    for (const variable of request.variables) {
      const value = await this.#makers[nameOf(variable)](call);
      if (typeof value !== 'string' && typeof value !== 'number')
        throw new Error(`${variable.name} is ${JSON.stringify(value)}`);
      values[variable.name] = value;
    }
    await this.#prepareFor(request.operation, client, values);
    return { client, values };
  }

  async stop(): Promise<void> {
    await this.#connected.close();
    await this.cluster.stop();
    rmSync(this.#mailFolder, { recursive: true, force: true });
  }

  get #administrator(): ApiClient {
    return this.#clientOf('administrator');
  }

  #client(email: string, apiKey: string | undefined): ApiClient {
    if (apiKey === undefined) throw new Error(`${email} has no key`);
    return new ApiClient({ urls: this.cluster.gatewayUrls, email, apiKey });
  }

  #clientOf(caller: ExampleCaller): ApiClient {
    const emails: Readonly<Record<ExampleCaller, string>> = {
      member: people.tobias,
      administrator: people.maren,
      bot: people.tide,
      'incoming-webhook bot': 'door-bot@harbour.example',
      // The account that others read.
      nobody: people.tobias,
    };
    return this.#client(emails[caller], this.#keys.get(emails[caller]));
  }

  async #makeAccount(account: NewAccount): Promise<{ readonly id: number; readonly key: string }> {
    const [made] = await this.#connected.maker.makeAccounts([account]);
    if (made === undefined) throw new Error('no account was made');
    return { id: made.user.id, key: made.apiKey };
  }

  #nextName(names: readonly string[]): string {
    this.#count += 1;
    return `${names[this.#count % names.length]} ${this.#count}`;
  }

  async #makePerson(): Promise<ApiClient> {
    const fullName = this.#nextName(['Nils Ask', 'Pia Rask', 'Ole Dahl']);
    const email = `${fullName.toLowerCase().replaceAll(' ', '.')}@harbour.example`;
    return this.#client(email, (await this.#makeAccount({ email, fullName, password })).key);
  }

  async #upload(client: ApiClient, path: string): Promise<JsonObject> {
    const form = new FormData();
    form.append('file', new File([new Uint8Array(this.picture)], 'heron.png'));
    const credentials = Buffer.from(`${client.email}:${client.apiKey}`).toString('base64');
    const answer = await fetch(new URL(`/api/v1/${path}`, this.cluster.url), {
      method: 'POST',
      body: form,
      headers: { authorization: `Basic ${credentials}` },
    });
    const body = (await answer.json()) as JsonObject;
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  }

  async #arrange(): Promise<void> {
    const administrator = this.#administrator;
    const member = this.#clientOf('member');
    await this.#upload(administrator, 'realm/icon');
    await this.#upload(administrator, 'realm/logo?night=false');
    await this.#upload(administrator, 'realm/emoji/heron');
    await this.#upload(member, 'users/me/avatar');
    for (const name of ['Phone', 'Birthday']) {
      const made = await administrator.post('realm/profile_fields', { name, field_type: 1 });
      this.#fieldIds.push(made['id']);
    }
    await administrator.post('realm/domains', { domain: 'boats.example', allow_subdomains: true });
    await administrator.subscribe('counter');
    await member.post('users/me/alert_words', { alert_words: ['keel'] });
    await member.post('user_groups/create', {
      name: 'gate',
      description: 'Who opens the gate',
      members: [await this.#findUserId(people.tobias)],
    });
    await this.#clientOf('bot').put('bot_storage', { storage: { tide: 'high' } });
    await this.#client(people.rahul, this.#keys.get(people.rahul)).post('users/me/presence', {
      status: 'active',
    });
    await this.#upload(member, 'user_uploads');
    await member.post('messages', { ...laterMessage, content: 'Who **oils** the oars?' });
    await member.post('drafts', { drafts: [draft] });
  }

  async #findUserId(email: string): Promise<unknown> {
    return idOf(
      readObjects(await this.#administrator.get('users'), 'members'),
      'email',
      email,
      'user_id',
    );
  }

  async #findStreamId(name: string): Promise<unknown> {
    return (await this.#administrator.get('get_stream_id', { stream: name }))['stream_id'];
  }

  /** Creates what a call changes, in a state in which it can be changed. */
  async #prepareFor(
    operation: string,
    client: ApiClient,
    values: PreparedCall['values'],
  ): Promise<void> {
    if (operation === 'DELETE /messages/{message_id}/reactions')
      await client.post(`messages/${values['MESSAGE_ID']}/reactions`, { emoji_name: 'wave' });
    if (operation === 'GET /events' || operation === 'GET /events/stream')
      await client.sendToStream('boatyard', 'tides', 'High water **08:05**');
  }

  /** Read once for all variables of a call that come from the same answer. */
  #once(call: Call, name: string, make: () => Promise<JsonObject>): Promise<JsonObject> {
    const known = call.made.get(name);
    if (known !== undefined) return known;
    const made = make();
    call.made.set(name, made);
    return made;
  }

  #registration(call: Call): Promise<JsonObject> {
    return this.#once(call, 'queue', () =>
      call.client.post('register', { event_types: ['message'] }),
    );
  }

  async #uploaded(call: Call): Promise<string> {
    return String(
      (await this.#once(call, 'upload', () => this.#upload(call.client, 'user_uploads')))['uri'],
    );
  }

  async #makeInvitationLink(): Promise<unknown> {
    return (await this.#administrator.post('invites/multiuse'))['invite_link'];
  }

  async #makeSpareUser(): Promise<unknown> {
    const { email } = await this.#makePerson();
    return this.#findUserId(email ?? '');
  }

  readonly #makers: Readonly<Record<ExampleVariableName, Make>> = {
    messageId: ({ client }) =>
      client.sendToStream('boatyard', 'oars', 'The *Heron* needs new oars'),
    pollId: ({ client }) => client.sendToStream('boatyard', 'oars', '/poll Whose turn is it?'),
    streamId: () => this.#findStreamId('boatyard'),
    spareStreamId: async () => {
      const name = this.#nextName(['regatta', 'spring cleaning']);
      await this.#administrator.subscribe(name);
      return this.#findStreamId(name);
    },
    userId: () => this.#findUserId(people.rahul),
    spareUserId: () => this.#makeSpareUser(),
    deactivatedUserId: async () => {
      const id = await this.#makeSpareUser();
      await this.#administrator.delete(`users/${String(id)}`);
      return id;
    },
    botId: async ({ client }) => {
      const fullName = this.#nextName(['Gull Bot']);
      await client.post('bots', {
        full_name: fullName,
        short_name: fullName.toLowerCase().replaceAll(' ', '-'),
      });
      const listed = readObjects(await client.get('users'), 'members');
      return idOf(listed, 'full_name', fullName, 'user_id');
    },
    userGroupId: async ({ client }) => {
      const name = this.#nextName(['rowers', 'painters']);
      const own = (await client.get('users/me'))['user_id'];
      await client.post('user_groups/create', { name, description: 'For a day', members: [own] });
      return idOf(readObjects(await client.get('user_groups'), 'user_groups'), 'name', name, 'id');
    },
    defaultStreamGroupId: async () => {
      const name = this.#nextName(['guests']);
      await this.#administrator.post('default_stream_groups/create', {
        group_name: name,
        description: 'For people who rent boats',
        stream_names: ['counter'],
      });
      const state = await this.#administrator.post('register', {
        event_types: [],
        fetch_event_types: ['default_stream_groups'],
      });
      return idOf(readObjects(state, 'realm_default_stream_groups'), 'name', name, 'id');
    },
    profileFieldId: () => Promise.resolve(this.#fieldIds[0]),
    otherProfileFieldId: () => Promise.resolve(this.#fieldIds[1]),
    linkifierId: async () => {
      const made = await this.#administrator.post('realm/filters', {
        pattern: `boat-(?P<id>[0-9]+)`,
        url_format_string: 'https://boats.harbour.example/%(id)s',
      });
      return made['id'];
    },
    attachmentId: async (call) => {
      const uri = await this.#uploaded(call);
      const listed = readObjects(await call.client.get('attachments'), 'attachments');
      return listed.find(({ path_id: path }) => uri.endsWith(String(path)))?.['id'];
    },
    draftId: async ({ client }) => {
      const added = await client.post('drafts', { drafts: [draft] });
      return Array.isArray(added['ids']) ? Number(added['ids'][0]) : undefined;
    },
    scheduledMessageId: async ({ client }) => {
      await client.post('messages', { ...laterMessage, content: 'The *Heron* is back' });
      const listed = await client.get('scheduled_messages');
      return readObjects(listed, 'scheduled_messages').at(-1)?.['scheduled_message_id'];
    },
    queueId: async (call) => (await this.#registration(call))['queue_id'],
    lastEventId: async (call) => (await this.#registration(call))['last_event_id'],
    sessionId: async ({ client }) => {
      const opened = await client.post(
        'sessions',
        { username: client.email },
        { headers: { 'Sec-Fetch-Site': 'same-origin' } },
      );
      return opened['session_id'];
    },
    identityId: async ({ client }) => {
      const own = (await client.get('users/me'))['user_id'];
      const pool = openTestPool(this.cluster.settings.databaseUrl, 1);
      const { rows } = await pool.query<{ id: number }>({
        text: `INSERT INTO linked_identities (user_id, issuer, subject) VALUES ($1, 'https://id.harbour.example', $2)
          RETURNING id`,
        values: [own, this.#nextName(['tobias'])],
      });
      await pool.end();
      return rows[0]?.id;
    },
    newPassword: () => Promise.resolve('the heron sleeps on one leg'),
    resetToken: async () => {
      const { email = '' } = await this.#makePerson();
      await this.#administrator.post('password_reset', { email });
      return tokenIn(await waitForMail(this.#mailFolder, email));
    },
    confirmToken: async () => {
      const person = await this.#makePerson();
      const email = `new.${person.email}`;
      await person.patch('settings', { email, old_password: password });
      return tokenIn(await waitForMail(this.#mailFolder, email));
    },
    joinToken: async () => {
      const email = `guest.${this.#nextName(['a', 'b']).replace(' ', '')}@harbour.example`;
      await this.#administrator.post('invites', {
        invitee_emails: email,
        stream_ids: [await this.#findStreamId('boatyard')],
      });
      return tokenIn(await waitForMail(this.#mailFolder, email));
    },
    invitationLinkToken: async () => lastPart(await this.#makeInvitationLink()),
    scimTokenId: async () =>
      (await this.#administrator.post('scim_tokens', { name: 'Identity provider', password }))[
        'id'
      ],
    invitationId: async () => {
      const email = `guest.${this.#nextName(['a', 'b']).replace(' ', '')}@harbour.example`;
      await this.#administrator.post('invites', {
        invitee_emails: email,
        stream_ids: [await this.#findStreamId('boatyard')],
      });
      const listed = readObjects(await this.#administrator.get('invites'), 'invites');
      return idOf(listed, 'email', email, 'id');
    },
    exportId: async () => {
      await this.#administrator.post('export/realm');
      return waitUntil('an export is made', async () => {
        const listed = readObjects(await this.#administrator.get('export/realm'), 'exports');
        const made = listed.findLast(({ export_url: url }) => url !== null);
        return made?.['id'] as number | undefined;
      });
    },
    invitationLinkId: async () => {
      const link = await this.#makeInvitationLink();
      const listed = readObjects(await this.#administrator.get('invites'), 'invites');
      return idOf(listed, 'link_url', link, 'id');
    },
    password: () => Promise.resolve(password),
    email: () => Promise.resolve(people.tobias),
    realmId: async (call) => (await this.#uploaded(call)).split('/')[2],
    uploadedPath: async (call) => (await this.#uploaded(call)).split('/').slice(3).join('/'),
    uploadedUri: async (call) => (await this.#uploaded(call)).slice(1),
    avatarFile: async () => {
      const listed = readObjects(await this.#administrator.get('users'), 'members');
      return lastPart(idOf(listed, 'email', people.tobias, 'avatar_url'));
    },
    emojiFile: async () => {
      const { emoji } = await this.#administrator.get('realm/emoji');
      const listed = Object.values(emoji as Record<string, JsonObject>);
      return lastPart(idOf(listed, 'name', 'heron', 'source_url'));
    },
    realmPictureFile: async () =>
      lastPart((await this.#administrator.get('server_settings'))['realm_icon']),
  };
}

function nameOf(variable: ExampleVariable): ExampleVariableName {
  const names = Object.keys(exampleVariables) as ExampleVariableName[];
  const found = names.find((name) => exampleVariables[name] === variable);
  if (found === undefined) throw new Error(`${variable.name} is none of the variables of examples`);
  return found;
}
