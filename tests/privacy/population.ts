/** Creates the organization of the privacy test through the interface, and records who was where when. */
import type { Role } from '@parley/api';
import { readObjects } from '@parley/test-kit';
import type { ApiClient, Parameters, TestAccount, TestOrganization } from '@parley/test-kit';

import { makeMark } from './marks.ts';
import type { SeededRandom } from './seeded-random.ts';
import {
  StreamRecord,
  World,
  isRefused,
  mayHaveKnown,
  mayKnow,
  mayChange,
  mayRead,
  mayReceive,
} from './world.ts';
import type { FileRecord, MessageRecord, Person, StreamKind } from './world.ts';

const streamsOfEachKind = 20;
const initialMembersMax = 9;
const groupName = 'somebody';

const accounts: readonly {
  readonly name: string;
  readonly count: number;
  readonly role?: Role;
  readonly botType?: number;
}[] = [
  { name: 'Admin', count: 3, role: 'administrator' },
  { name: 'Member', count: 16 },
  { name: 'Guest', count: 8, role: 'guest' },
  { name: 'Bot', count: 6, botType: 1 },
  { name: 'Hook', count: 3, botType: 2 },
  { name: 'Outgoing', count: 4, botType: 3 },
  { name: 'Gone', count: 3 },
  { name: 'Gone Guest', count: 1, role: 'guest' },
];

/** Outgoing-webhook bots hold nothing of what they get. */
function holds(person: Person): boolean {
  return !isRefused(person) && person.botType !== 3;
}

export class Population {
  readonly world = new World();
  readonly #random: SeededRandom;
  #moment = 0;

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  async makePeople(organization: TestOrganization): Promise<void> {
    const owners: TestAccount[] = [];
    for (const { name, count, role = 'member', botType } of accounts) {
      for (let n = 1; n <= count; n += 1) {
        const owner = botType === undefined ? undefined : this.#random.pick(owners);
        const account = await organization.makeAccount(`${name} ${n}`, {
          role,
          ...(botType === undefined || owner === undefined ? {} : { botType, owner }),
        });
        if (name === 'Admin' || name === 'Member') owners.push(account);
        const { id, email, apiKey, client, user } = account;
        this.world.people.push({
          id,
          email,
          fullName: user.fullName,
          role,
          botType: botType ?? null,
          ownerId: owner?.id,
          apiKey,
          client,
          isActive: true,
        });
      }
    }
  }

  /** Streams of each kind, created by members for others. */
  async makeStreams(): Promise<void> {
    const kinds: readonly StreamKind[] = ['public', 'shared', 'protected'];
    this.#moment += 1;
    for (const kind of kinds) {
      for (let n = 0; n < streamsOfEachKind; n += 1) {
        const keeper = this.#random.pick(this.#called('Member'));
        const name = makeMark(this.#random);
        const description = makeMark(this.#random);
        const others = this.#joinable().filter((person) => person !== keeper);
        const members = this.#random.sample(others, this.#random.below(initialMembersMax));
        await keeper.client.post('users/me/subscriptions', {
          subscriptions: [{ name, description }],
          invite_only: kind !== 'public',
          history_public_to_subscribers: kind === 'shared',
          principals: [keeper, ...members].map((person) => person.email),
        });
        const listed = await keeper.client.get('streams');
        const made = (listed['streams'] as { name: string; stream_id: number }[]).find(
          (stream) => stream.name === name,
        );
        const stream = new StreamRecord(Number(made?.stream_id), name, kind, keeper);
        for (const person of [keeper, ...members]) stream.join(person.id, this.#moment);
        this.world.addStream(stream);
        this.#ofStream(stream, 'name', name);
        this.#ofStream(stream, 'description', description);
      }
    }
  }

  /** Some streams become private and some public, with new names. Those who lose sight of a stream may not see its new name. */
  async changePrivacy(): Promise<void> {
    this.#moment += 1;
    const admins = this.#called('Admin');
    const [admin] = admins;
    const { streams } = this.world;
    const closing = streams.filter(({ kind }) => kind === 'public');
    const opening = streams.filter(
      (stream) => stream.kind !== 'public' && admins.some(({ id }) => stream.isMember(id)),
    );
    for (const stream of this.#random.sample(closing, 5)) {
      const isShared = this.#random.chance(0.5);
      stream.become(isShared ? 'shared' : 'protected', this.#moment);
      const description = makeMark(this.#random);
      await this.#rename(stream, admin, {
        is_private: true,
        history_public_to_subscribers: isShared,
        description,
      });
      this.#newDescription(stream, description);
    }
    for (const stream of this.#random.sample(opening, 5)) {
      stream.become('public', this.#moment);
      const member = admins.find(({ id }) => stream.isMember(id));
      await this.#rename(stream, member, { is_private: false });
    }
    for (const stream of this.#random.sample(streams, 8)) await this.#rename(stream, admin, {});
  }

  async #rename(stream: StreamRecord, admin: Person | undefined, more: Parameters): Promise<void> {
    const name = makeMark(this.#random);
    await admin?.client.patch(`streams/${stream.id}`, { new_name: name, ...more });
    stream.name = name;
    this.#ofStream(stream, 'name', name);
  }

  /** A secret of a stream, visible in answers and in events from now on. */
  #ofStream(stream: StreamRecord, what: string, mark: string): void {
    const moment = this.#moment;
    this.world.secrets.set(mark, {
      what: `the ${what} of ${stream.kind} stream ${stream.id}`,
      maySee: (person) => mayKnow(person, stream),
      mayHaveGotEvent: (person) => mayHaveKnown(person, stream, moment),
    });
  }

  /** Default streams, some of them private and known to administrators; and a group that messages mention. */
  async makeLists(): Promise<void> {
    const [admin] = this.#called('Admin');
    const streams = this.#random.sample(
      this.world.streams.filter(
        (stream) => stream.kind === 'public' || stream.isMember(admin?.id ?? 0),
      ),
      12,
    );
    for (const { name } of streams.slice(0, 6))
      await admin?.client.post('default_streams', { stream_name: name });
    await admin?.client.post('default_stream_groups/create', {
      group_name: 'group',
      description: 'for some',
      stream_names: streams.slice(6).map(({ name }) => name),
    });
    const members = this.#random.sample(this.#called('Member'), 5);
    await admin?.client.post('user_groups/create', {
      name: groupName,
      description: 'for all to name',
      members: members.map(({ id }) => id),
    });
  }

  /** A new description is hidden from those who left before. */
  async describeStreams(): Promise<void> {
    this.#moment += 1;
    const [admin] = this.#called('Admin');
    for (const stream of this.#random.sample(this.world.streams, 30)) {
      const mark = makeMark(this.#random);
      await admin?.client.patch(`streams/${stream.id}`, { description: mark });
      this.#newDescription(stream, mark);
    }
  }

  #newDescription(stream: StreamRecord, mark: string): void {
    const moment = this.#moment;
    this.world.secrets.set(mark, {
      what: `the new description of ${stream.kind} stream ${stream.id}`,
      maySee: (person) =>
        person.role === 'administrator' ||
        (stream.kind === 'public' && person.role !== 'guest') ||
        [person.id, person.ownerId ?? person.id].some((id) => stream.wasMemberAfter(id, moment)),
      mayHaveGotEvent: (person) => person.role !== 'guest' && stream.wasPublicAfter(moment),
    });
  }

  /** Some leave, some join, some rejoin. */
  async changeMembers(): Promise<void> {
    this.#moment += 1;
    for (const stream of this.world.streams) {
      const others = this.#joinable().filter((person) => person !== stream.keeper);
      const members = others.filter((person) => stream.isMember(person.id));
      for (const person of this.#random.sample(members, this.#random.below(4))) {
        await person.client.delete('users/me/subscriptions', { subscriptions: [stream.name] });
        stream.leave(person.id, this.#moment);
      }
      const newcomers = this.#random.sample(
        others.filter((person) => !members.includes(person)),
        this.#random.below(4),
      );
      if (newcomers.length === 0) continue;
      await stream.keeper.client.post('users/me/subscriptions', {
        subscriptions: [{ name: stream.name }],
        principals: newcomers.map((person) => person.email),
      });
      for (const person of newcomers) stream.join(person.id, this.#moment);
    }
  }

  /** A message in each stream, and private ones among one, two and more people. */
  async sendMessages(): Promise<void> {
    this.#moment += 1;
    for (const stream of this.world.streams) await this.#sendToStream(stream);
    for (let n = 0; n < 14; n += 1) {
      const participants = this.#random.sample(this.#active(), this.#random.pick([1, 2, 2, 3, 5]));
      const sender = participants.find(holds);
      if (sender !== undefined) await this.#sendPrivately(sender, participants);
    }
  }

  /** Old and new text are secret like the message itself. */
  async editMessages(): Promise<void> {
    const editable = this.world.messages.filter(
      (message) =>
        holds(message.sender) &&
        mayChange(message.sender, message) &&
        !this.world.files.some(({ linkedBy }) => linkedBy === message),
    );
    for (const message of this.#random.sample(editable, 25)) {
      const topic = message.stream === undefined ? {} : { topic: this.#keep(message, 'a topic') };
      const content = `${message.word} ${this.#keep(message, 'an edited text')}`;
      for (const person of this.world.people)
        if (mayChange(person, message)) message.editEvents.add(person);
      await message.sender.client.patch(`messages/${message.id}`, { content, ...topic });
    }
  }

  /** Reactions and submessages of people who may add them to a message. */
  async hangOn(): Promise<void> {
    for (const message of this.#random.sample(this.world.messages, 60)) {
      const readers = this.world.people.filter((one) => holds(one) && mayChange(one, message));
      const [reader] = this.#random.sample(readers, 1);
      if (reader === undefined) continue;
      // A reaction makes a person who only sees a message its holder, whatever happens to the stream later.
      const holder = readers.find((one) =>
        message.stream === undefined ? true : message.stream.wasMember(one.id, message.sentAt),
      );
      await holder?.client.post(`messages/${message.id}/reactions`, { emoji_name: 'tada' });
      await reader.client.post('submessage', {
        message_id: message.id,
        msg_type: 'x',
        content: JSON.stringify(this.#keep(message, 'a submessage')),
      });
    }
  }

  async uploadFiles(): Promise<void> {
    for (let n = 0; n < 16; n += 1) {
      const stream = this.#random.pick(this.world.streams);
      const owner = this.#senderIn(stream);
      const fileName = `${makeMark(this.#random)}.txt`;
      const text = makeMark(this.#random);
      const uri = await upload(owner.client, fileName, text);
      const message =
        n % 2 === 0
          ? await this.#sendToStream(stream, owner, `[file](${uri})`)
          : await this.#sendPrivately(
              owner,
              [owner, ...this.#random.sample(this.#active(), 2)],
              `[file](${uri})`,
            );
      const listed = await owner.client.get('attachments');
      const attachment = (listed['attachments'] as { id: number; path_id: string }[]).find(
        ({ path_id: pathId }) => uri === `/user_uploads/${pathId}`,
      );
      const attachmentId = Number(attachment?.id);
      const file: FileRecord = { uri, attachmentId, owner, linkedBy: message };
      this.world.files.push(file);
      for (const mark of [fileName.slice(0, -4), text])
        this.world.secrets.set(mark, {
          what: `the file of message ${message.id}`,
          maySee: (person) => (person === owner && person.isActive) || mayRead(person, message),
          mayHaveGotEvent: (person) => mayReceive(person, message),
        });
    }
  }

  /** Each person's private data. */
  async setOwnSecrets(): Promise<void> {
    for (const person of this.#active().filter((one) => !isRefused(one))) {
      const mark = makeMark(this.#random);
      await person.client.post('users/me/alert_words', { alert_words: [mark] });
      this.world.secrets.set(mark, {
        what: `an alert word of ${person.fullName}`,
        maySee: (other) => other === person,
      });
      await this.#schedule(person);
      await this.#draft(person);
    }
    for (const bot of this.#called('Bot')) {
      const mark = makeMark(this.#random);
      await bot.client.put('bot_storage', { storage: { key: mark } });
      this.world.secrets.set(mark, {
        what: `what ${bot.fullName} stored`,
        maySee: (other) => other === bot,
      });
    }
  }

  async #schedule(sender: Person): Promise<void> {
    const mark = makeMark(this.#random);
    await sender.client.post('messages', {
      type: 'private',
      to: [sender.id],
      content: mark,
      delivery_type: 'send_later',
      deliver_at: '2999-01-01T12:00Z',
    });
    const listed = await sender.client.get('scheduled_messages');
    for (const { scheduled_message_id: id } of readObjects(listed, 'scheduled_messages'))
      this.world.scheduled.push({ id: Number(id), sender });
    this.world.secrets.set(mark, {
      what: `what ${sender.fullName} sends later`,
      maySee: (other) => other === sender,
    });
  }

  async #draft(author: Person): Promise<void> {
    // Bots have no drafts.
    if (author.botType !== null) return;
    const mark = makeMark(this.#random);
    const draft = { type: 'private', to: [author.id], topic: '', content: mark };
    const { ids } = await author.client.post('drafts', { drafts: [draft] });
    for (const id of Array.isArray(ids) ? ids : [])
      this.world.drafts.push({ id: Number(id), sender: author });
    this.world.secrets.set(mark, {
      what: `a draft of ${author.fullName}`,
      maySee: (other) => other === author,
    });
  }

  /** Deactivates the accounts meant for it, which ends their memberships. */
  async deactivate(): Promise<void> {
    this.#moment += 1;
    const [admin] = this.#called('Admin');
    for (const person of this.#called('Gone')) {
      await admin?.client.delete(`users/${person.id}`);
      person.isActive = false;
      for (const stream of this.world.streams) stream.leave(person.id, this.#moment);
    }
  }

  #called(name: string): Person[] {
    return this.world.people.filter((person) => person.fullName.startsWith(name));
  }

  #active(): Person[] {
    return this.world.people.filter((person) => person.isActive);
  }

  #joinable(): Person[] {
    return this.#active().filter((person) => person.botType !== 2);
  }

  #senderIn(stream: StreamRecord): Person {
    const senders = this.#active().filter(
      (person) => !isRefused(person) && stream.isMember(person.id),
    );
    return this.#random.pick(senders);
  }

  /** Creates a word that all permitted readers of the message may see. */
  #keep(message: MessageRecord, what: string): string {
    const mark = makeMark(this.#random);
    this.#secret(mark, message, what);
    return mark;
  }

  #secret(mark: string, message: MessageRecord, what: string): void {
    this.world.secrets.set(mark, {
      what: `${what} of message ${message.id}`,
      message,
      // Outgoing-webhook bots see messages as they arrive.
      maySee: (person) =>
        mayRead(person, message) ||
        (person.botType === 3 && message.stream?.wasMember(person.id, message.sentAt) === true),
      mayHaveGotEvent: (person) => mayReceive(person, message),
    });
  }

  async #sendToStream(
    stream: StreamRecord,
    sender = this.#senderIn(stream),
    more = this.#ornament(),
  ): Promise<MessageRecord> {
    const [topic, word, other] = [1, 2, 3].map(() => makeMark(this.#random)) as [
      string,
      string,
      string,
    ];
    const namedBots = this.#random.chance(0.15) ? [this.#random.pick(this.#called('Bot'))] : [];
    for (const bot of namedBots) stream.namedBots.add(bot);
    const names = namedBots.map((bot) => `@**${bot.fullName}**`).join(' ');
    const id = await sender.client.sendToStream(
      stream.name,
      topic,
      `/poll ${word} ${other} ${names} ${more}`,
    );
    const editEvents = new Set<Person>();
    const message = {
      id,
      sentAt: this.#moment,
      sender,
      stream,
      topic,
      namedBots,
      word,
      editEvents,
    };
    this.#record(message, [
      [topic, 'the topic'],
      [word, 'the text'],
      [other, 'the text'],
    ]);
    return message;
  }

  async #sendPrivately(
    sender: Person,
    participants: readonly Person[],
    more = this.#ornament(),
  ): Promise<MessageRecord> {
    const [word, other] = [makeMark(this.#random), makeMark(this.#random)];
    const emails = participants.map((person) => person.email);
    const id = await sender.client.sendPrivately(emails, `/poll ${word} ${other} ${more}`);
    const editEvents = new Set<Person>();
    const message = {
      id,
      sentAt: this.#moment,
      sender,
      participants,
      namedBots: [],
      word,
      editEvents,
    };
    this.#record(message, [
      [word, 'the text'],
      [other, 'the text'],
    ]);
    return message;
  }

  #record(message: MessageRecord, marks: readonly (readonly [string, string])[]): void {
    this.world.addMessage(message);
    for (const [mark, what] of marks) this.#secret(mark, message, what);
  }

  /** Mentions people who may not be in the conversation; a mention gives nobody the message. */
  #ornament(): string {
    const someone = this.#random.pick(this.#active().filter((person) => person.botType !== 1));
    return this.#random.pick([
      '',
      '@**all**',
      `@**${someone.fullName}**`,
      `@*${groupName}*`,
      'https://example.com',
    ]);
  }
}

async function upload(client: ApiClient, fileName: string, text: string): Promise<string> {
  const body = new FormData();
  body.append('file', new Blob([text], { type: 'text/plain' }), fileName);
  const answer = await fetch(`${client.urls[0]}/api/v1/user_uploads`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${client.email}:${client.apiKey}`).toString('base64')}`,
    },
    body,
  });
  const { uri } = (await answer.json()) as { uri?: string };
  if (uri === undefined) throw new Error(`an upload was refused with ${answer.status}`);
  return uri;
}
