/** A log as the tests of delivery see it: filled with entries of all kinds, and read from its beginning for every question. */
import type {
  Audience,
  ChangeEntry,
  EventPart,
  LogEffect,
  LogEntry,
  MessageSentEntry,
  PositionedEntry,
  LoggedSubscription,
} from '@parley/event-log';
import type { Role } from '@parley/api';
import { audienceKey, changeEntry, entryLength } from '@parley/event-log';

import { UserView } from '../src/feed/user-view.ts';
import type { AccountPeriod, Period } from '../src/feed/user-view.ts';
import type { EventQueue } from '../src/queues/event-queue.ts';

export const userIds = [1, 2, 3, 4];
const streams = [
  { id: 1, isPublic: true },
  { id: 2, isPublic: false },
];
const roles: readonly Role[] = ['administrator', 'member', 'member', 'guest'];
export const conversations = [
  { id: 1, userIds: [1, 2] },
  { id: 2, userIds: [1, 3, 4] },
];

/** @returns the item at the index, counted around */
export function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('the list is empty');
  return item;
}

export function messageEntry(overrides: Partial<MessageSentEntry>): MessageSentEntry {
  return {
    v: 1,
    kind: 'message.sent',
    message: {
      type: overrides.stream === undefined ? 'private' : 'stream',
      sender_id: 1,
      recipient_id: 1,
      timestamp: 1,
      client: 'test',
      subject: 'lunch',
      subject_links: [],
      is_me_message: false,
      reactions: [],
      submessages: [],
      sender_full_name: 'Ann',
      sender_short_name: 'ann',
      sender_email: 'ann@example.com',
      sender_realm_str: 'demo',
      display_recipient: 'social',
    },
    content: 'hello',
    renderedContent: '<p>hello</p>',
    avatar: { url: '/avatar', isGravatar: false },
    readBySender: false,
    mentionsWildcard: false,
    mentionedIds: [],
    groupMentionedIds: [],
    alertWordIds: [],
    lateReceiptIds: [],
    reactingBotIds: [],
    ...overrides,
  };
}

function change(effects: readonly LogEffect[], events: readonly EventPart[]): ChangeEntry {
  return changeEntry({ effects, events });
}

/** A subscription as the entry of a join has it. */
export function subscriptionTo(streamId: number): LoggedSubscription {
  return {
    stream_id: streamId,
    name: 'social',
    description: '',
    rendered_description: '',
    invite_only: false,
    is_web_public: false,
    is_announcement_only: false,
    history_public_to_subscribers: true,
    first_message_id: 1,
    color: '#c2c2c2',
    is_muted: false,
    in_home_view: true,
    pin_to_top: false,
    desktop_notifications: true,
    audible_notifications: true,
    push_notifications: true,
    email_notifications: true,
    wildcard_mentions_notify: null,
    email_address: '',
    is_old_stream: false,
    stream_weekly_traffic: null,
  };
}

function same(audience: Audience): EventPart {
  return { form: 'same', audience, event: { type: 'pointer', pointer: 1 } };
}

/** What is true after some prefix of the log, by plain sets. */
class World {
  readonly members = new Map(streams.map(({ id }) => [id, new Set<number>()]));
  readonly #everMembers = new Map(streams.map(({ id }) => [id, new Set<number>()]));
  /** Of a stream that ended with the newest entry. */
  #membersOfEnded: ReadonlySet<number> = new Set();
  readonly accounts = new Map(
    userIds.map((id, index) => [id, { role: at(roles, index), isActive: true }]),
  );

  /** Who holds the message whose entry is at a position, of any that was sent. */
  readonly holders = new Map<number, ReadonlySet<number>>();

  apply(entry: LogEntry, position: number): void {
    if (entry.kind === 'message.sent') {
      const { stream, lateReceiptIds, participantIds = [] } = entry;
      const members = stream === undefined ? participantIds : (this.members.get(stream.id) ?? []);
      this.holders.set(position, new Set([...members, ...lateReceiptIds]));
    }
    if (entry.kind !== 'change') return;
    for (const effect of entry.effects) {
      if (effect.effect === 'joined')
        for (const id of effect.userIds) {
          this.members.get(effect.streamId)?.add(id);
          this.#everMembers.get(effect.streamId)?.add(id);
        }
      else if (effect.effect === 'left')
        for (const id of effect.userIds) this.members.get(effect.streamId)?.delete(id);
      else if (effect.effect === 'stream-ended') {
        this.#membersOfEnded = new Set(this.members.get(effect.streamId));
        this.members.get(effect.streamId)?.clear();
      } else if (effect.effect === 'account')
        this.accounts.set(effect.userId, { role: effect.role, isActive: effect.isActive });
    }
  }

  isMember(streamId: number, userId: number): boolean {
    return this.members.get(streamId)?.has(userId) === true;
  }

  /** @returns the offsets, within the entry's run, of the events that the user's queue gets */
  offsetsFor(entry: LogEntry, userId: number, isListening: boolean): number[] {
    const account = this.accounts.get(userId);
    if (account?.isActive !== true || entry.kind === 'tick') return [];
    if (entry.kind === 'message.sent') {
      const { stream } = entry;
      const gets =
        stream === undefined
          ? entry.participantIds?.includes(userId) === true
          : entry.lateReceiptIds.includes(userId) ||
            this.isMember(stream.id, userId) ||
            (isListening && stream.isPublic && account.role !== 'guest');
      return gets ? [0] : [];
    }
    const offsets: number[] = [];
    let offset = 0;
    for (const part of entry.events) {
      if (part.form === 'peers') {
        for (const [index, id] of part.userIds.entries())
          if (id !== userId && this.#getsPeerEvents(part, userId, account.role))
            offsets.push(offset + index);
        offset += part.userIds.length;
        continue;
      }
      const gets = this.#gets(part, userId, account.role);
      if (gets) offsets.push(offset);
      offset += 1;
    }
    return offsets;
  }

  #getsPeerEvents(
    part: Extract<EventPart, { form: 'peers' }>,
    userId: number,
    role: Role,
  ): boolean {
    const isMember = this.isMember(part.streamId, userId);
    const isAmongThem = part.userIds.includes(userId);
    switch (part.to) {
      case 'stream-outsiders':
        return role === 'member' && !isMember;
      case 'list-holders':
        if (part.op === 'peer_add' && isAmongThem) return false;
        return isMember || (part.inviteOnly ? role === 'administrator' : role !== 'guest');
      default:
        if (isAmongThem) return false;
        return part.inviteOnly ? isMember || role === 'administrator' : role !== 'guest';
    }
  }

  #gets(part: Exclude<EventPart, { form: 'peers' }>, userId: number, role: Role): boolean {
    if (part.form === 'subscription-add') return part.userId === userId;
    if (part.form === 'shared-subscription-add' || part.form === 'left-stream-read')
      return part.userIds.includes(userId);
    if (part.form === 'same') return this.#isInAudience(part.audience, userId, role);
    const { message, alsoSubscribers } = part;
    return (
      message.lateHolderIds.includes(userId) ||
      this.holders.get(message.position)?.has(userId) === true ||
      (alsoSubscribers && message.streamId !== undefined && this.isMember(message.streamId, userId))
    );
  }

  #wasMember(streamId: number, userId: number): boolean {
    return this.#everMembers.get(streamId)?.has(userId) === true;
  }

  #views(
    {
      streamId,
      inviteOnly,
      asBefore,
    }: { readonly streamId: number; readonly inviteOnly: boolean; readonly asBefore?: true },
    userId: number,
    role: Role,
  ): boolean {
    const isMember =
      asBefore === true ? this.#membersOfEnded.has(userId) : this.isMember(streamId, userId);
    return isMember || (inviteOnly ? role === 'administrator' : role !== 'guest');
  }

  #isInAudience(audience: Audience, userId: number, role: Role): boolean {
    switch (audience.to) {
      case 'everyone':
        return true;
      case 'members':
        return role !== 'guest';
      case 'administrators':
        return role === 'administrator';
      case 'plain-members':
        return role === 'member';
      case 'users':
        return audience.userIds.includes(userId);
      case 'stream-viewers':
        return this.#views(audience, userId, role);
      case 'stream-knowers':
        return this.#views(audience, userId, role) || this.#wasMember(audience.streamId, userId);
      case 'former-viewers':
        return this.#wasMember(audience.streamId, userId) && !this.#views(audience, userId, role);
      case 'stream-outsiders':
        return (
          role === 'member' &&
          !this.isMember(audience.streamId, userId) &&
          this.#wasMember(audience.streamId, userId) === audience.wereMembers
        );
    }
  }
}

/** A log in memory, with what a reader of all of it finds. */
export class ModelledLog {
  readonly entries: PositionedEntry[] = [];
  readonly world = new World();

  get end(): number {
    const last = this.entries.at(-1);
    return last === undefined ? 0 : last.position + last.length - 1;
  }

  append(entry: LogEntry, audience: number): void {
    this.entries.push({
      position: this.end + 1,
      length: entryLength(entry),
      messageId: this.entries.length,
      audience,
      payload: JSON.stringify(entry),
    });
    this.world.apply(entry, this.end);
  }

  /** Appends what happened to one of the messages sent so far. */
  appendAboutMessage(who: number, what: number): void {
    const sent = this.entries.filter(({ payload }) => payload.includes('"message.sent"'));
    if (sent.length === 0) return;
    const { position, messageId, payload } = at(sent, who + what);
    const { stream, participantIds, lateReceiptIds } = JSON.parse(payload) as MessageSentEntry;
    const lateHolderIds = what % 2 === 0 ? lateReceiptIds : [...lateReceiptIds, at(userIds, who)];
    this.append(
      change(
        [],
        [
          {
            form: 'of-message',
            message: {
              id: messageId,
              position,
              lateHolderIds,
              reactingBotIds: [],
              ...(stream === undefined ? {} : { streamId: stream.id }),
              ...(participantIds === undefined ? {} : { participantIds }),
            },
            alsoSubscribers: what % 3 === 0,
            withFlags: what % 5 === 0,
            event: { type: 'pointer', pointer: 1 },
          },
        ],
      ),
      lateHolderIds.length > 0 || stream === undefined
        ? audienceKey.everyone
        : audienceKey.stream(stream.id),
    );
  }

  /** Appends one of the kinds of entries there are, chosen by three numbers. */
  appendSome(kind: number, who: number, what: number): void {
    switch (kind % 10) {
      case 0:
      case 1:
        this.#appendStreamMessage(who, what);
        break;
      case 2: {
        const conversation = at(conversations, what);
        this.append(
          messageEntry({ participantIds: conversation.userIds }),
          audienceKey.conversation(conversation.id),
        );
        break;
      }
      case 3:
      case 4:
        this.#appendJoinOrLeave(who, what);
        break;
      case 5:
        this.#appendAccount(who, what);
        break;
      case 6:
        if (what % 2 === 0) this.#appendForUser(at(userIds, who));
        else this.#appendForPartsOfStream(who, what);
        break;
      case 7:
        this.appendAboutMessage(who, what);
        break;
      case 8:
        this.#appendEndOfStream(what);
        break;
      default:
        this.append({ v: 1, kind: 'tick' }, audienceKey.everyone);
    }
  }

  #appendStreamMessage(who: number, what: number): void {
    const stream = at(streams, what);
    const lateReceiptIds = what % 3 === 2 ? [at(userIds, who)] : [];
    this.append(
      messageEntry({ stream, lateReceiptIds }),
      lateReceiptIds.length > 0 ? audienceKey.everyone : audienceKey.stream(stream.id),
    );
  }

  #appendJoinOrLeave(who: number, what: number): void {
    const stream = at(streams, what);
    const user = at(userIds, who);
    const hasJoined = !this.world.isMember(stream.id, user);
    const users = userIds.filter(
      (id) =>
        (id === user || id === at(userIds, who + what)) &&
        this.world.isMember(stream.id, id) !== hasJoined,
    );
    const subscriptions = [subscriptionTo(stream.id)];
    const left: EventPart[] = [{ form: 'left-stream-read', streamId: stream.id, userIds: users }];
    const joined: EventPart[] =
      what % 2 === 0
        ? [{ form: 'shared-subscription-add', userIds: users, subscriptions }]
        : users.map((userId) => ({ form: 'subscription-add', userId, subscriptions }));
    const added = hasJoined ? joined : left;
    this.append(
      change(
        [{ effect: hasJoined ? 'joined' : 'left', streamId: stream.id, userIds: users }],
        [
          ...added,
          {
            form: 'peers',
            op: hasJoined ? 'peer_add' : 'peer_remove',
            streamId: stream.id,
            streamName: 'social',
            inviteOnly: !stream.isPublic,
            userIds: users,
            ...(who % 3 === 0 ? {} : { to: at(['list-holders', 'stream-outsiders'], who) }),
          },
        ],
      ),
      audienceKey.everyone,
    );
  }

  #appendAccount(who: number, what: number): void {
    this.append(
      change(
        [
          {
            effect: 'account',
            userId: at(userIds, who),
            role: at(['guest', 'member', 'administrator'] as const, what),
            isActive: what % 5 !== 4,
          },
        ],
        [
          same({ to: 'everyone' }),
          same({ to: 'administrators' }),
          same({ to: 'members' }),
          same({ to: 'plain-members' }),
        ],
      ),
      audienceKey.everyone,
    );
  }

  #appendForUser(userId: number): void {
    this.append(change([], [same({ to: 'users', userIds: [userId] })]), audienceKey.user(userId));
  }

  #appendForPartsOfStream(who: number, what: number): void {
    const { id: streamId, isPublic } = at(streams, what);
    const inviteOnly = !isPublic;
    this.append(
      change(
        [],
        [
          same({ to: 'stream-viewers', streamId, inviteOnly }),
          same({ to: 'stream-knowers', streamId, inviteOnly }),
          same({ to: 'former-viewers', streamId, inviteOnly }),
          same({ to: 'stream-outsiders', streamId, wereMembers: who % 2 === 0 }),
        ],
      ),
      audienceKey.everyone,
    );
  }

  #appendEndOfStream(what: number): void {
    const { id: streamId, isPublic } = at(streams, what);
    const inviteOnly = !isPublic;
    this.append(
      change(
        [{ effect: 'stream-ended', streamId }],
        [
          same({ to: 'stream-viewers', streamId, inviteOnly, asBefore: true }),
          same({ to: 'former-viewers', streamId, inviteOnly, asBefore: true }),
        ],
      ),
      audienceKey.everyone,
    );
  }

  /** @returns the ids that a queue gets above `after` of the entries up to `upTo`, by reading the whole log */
  idsFor(queue: EventQueue, after: number, upTo: number): number[] {
    const world = new World();
    return this.entries
      .filter((entry) => entry.position <= upTo)
      .flatMap((positioned) => {
        const entry = JSON.parse(positioned.payload) as LogEntry;
        world.apply(entry, positioned.position);
        return world
          .offsetsFor(entry, queue.userId, queue.descriptor.allPublicStreams)
          .map((offset) => positioned.position + offset);
      })
      .filter((id) => id > after);
  }

  viewOf(userId: number): UserView {
    const memberships: { streamId: number; from: number; until: number | undefined }[] = [];
    const accounts: AccountPeriod[] = [];
    const world = new World();
    const open = new Map<number, number>();
    const close = (streamId: number, until: number | undefined): void => {
      const from = open.get(streamId);
      if (from !== undefined) memberships.push({ streamId, from, until });
      open.delete(streamId);
    };
    let account = { from: 0, ...world.accounts.get(userId) };
    const closeAccount = (period: Period): void => {
      const { role, isActive } = account;
      if (role !== undefined && isActive !== undefined)
        accounts.push({ ...period, role, isActive });
    };
    for (const { position, payload } of this.entries) {
      world.apply(JSON.parse(payload) as LogEntry, position);
      for (const { id } of streams) {
        if (world.isMember(id, userId) && !open.has(id)) open.set(id, position);
        if (!world.isMember(id, userId)) close(id, position);
      }
      const now = world.accounts.get(userId);
      if (now?.role !== account.role || now?.isActive !== account.isActive) {
        closeAccount({ from: account.from, until: position });
        account = { from: position, ...now };
      }
    }
    for (const { id } of streams) close(id, undefined);
    closeAccount({ from: account.from, until: undefined });
    return new UserView(userId, memberships, accounts);
  }
}
