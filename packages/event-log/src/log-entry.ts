/**
 * The entries of an organization's log. An entry is self-contained: names, flags and privacy as they were at its position. It occupies a
 * run of positions, one for each possible event, in an order that its writer sets; an event's id is its position. Ids that only the log can
 * give (the message id, positions) are columns beside the payload.
 */
import type { Role } from '@parley/api';
import type { ApiEvent } from '@parley/api/events';
import type { ManagedBot } from '@parley/api/people';
import type { SubscriptionObject } from '@parley/api/streams';

/**
 * The newest format. An entry carries the oldest format that can read it: 2 for events of earlier messages (`of-message`) and submessages
 * that come with a message, 3 and 4 for the members that `ChangeEntry` marks so.
 */
export const logEntryVersion = 4;
export type LogEntryVersion = 1 | 2 | 3 | 4;

/** The events that a client sees under `message`, without the parts that differ between queues (id, content, avatar). */
export type LoggedMessage = {
  readonly type: 'stream' | 'private';
  readonly sender_id: number;
  readonly recipient_id: number;
  readonly timestamp: number;
  readonly client: string;
  readonly subject: string;
  readonly subject_links: readonly string[];
  readonly is_me_message: boolean;
  readonly reactions: readonly never[];
  /** Without `message_id`, which only the log can give. */
  readonly submessages: readonly LoggedSubmessage[];
  readonly sender_full_name: string;
  readonly sender_short_name: string;
  readonly sender_email: string;
  readonly sender_realm_str: string;
  readonly display_recipient: string | readonly DisplayRecipient[];
  readonly stream_id?: number;
};

export type LoggedSubmessage = {
  readonly id: number;
  readonly sender_id: number;
  readonly msg_type: string;
  /** JSON as text. */
  readonly content: string;
};

export type DisplayRecipient = {
  readonly id: number;
  readonly email: string;
  readonly full_name: string;
  readonly short_name: string;
  readonly is_mirror_dummy: boolean;
};

export type MessageSentEntry = {
  readonly v: LogEntryVersion;
  readonly kind: 'message.sent';
  readonly message: LoggedMessage;
  readonly content: string;
  readonly renderedContent: string;
  readonly avatar: { readonly url: string; readonly isGravatar: boolean };
  /** Present for stream messages; their holders follow from membership at the entry's position. */
  readonly stream?: { readonly id: number; readonly isPublic: boolean };
  /** Present for private messages: all participants, including the sender. */
  readonly participantIds?: readonly number[];
  readonly readBySender: boolean;
  readonly mentionsWildcard: boolean;
  /** Named by a user mention. Counts only for holders. */
  readonly mentionedIds: readonly number[];
  /** Members, at send time, of mentioned groups. Counts only for holders. */
  readonly groupMentionedIds: readonly number[];
  /** Users whose alert word occurs. Counts only for holders. */
  readonly alertWordIds: readonly number[];
  /** Mentioned bots that hold the message although they are not subscribed. */
  readonly lateReceiptIds: readonly number[];
  /** Outgoing-webhook and embedded bots among the recipients: they get the event but do not hold the message. */
  readonly reactingBotIds: readonly number[];
  /** Outgoing-webhook bots that are called for it. They do not affect its events, so every format may contain them. */
  readonly calledBotIds?: readonly number[];
  /** The people besides the sender for whom it is read from the start: those who made the change that a notice is about. */
  readonly readByIds?: readonly number[];
  /** Local echo: the only queue whose event contains the sender's local id. */
  readonly local?: { readonly queueId: string; readonly localId: string };
};

/**
 * The accounts that an event may concern, decided at the entry's position with the entry's own effects applied (reference facts, events
 * 10).
 */
export type Audience =
  | { readonly to: 'everyone' }
  | { readonly to: 'members' }
  | { readonly to: 'administrators' }
  /** Members who are not administrators; format 3. */
  | { readonly to: 'plain-members' }
  | { readonly to: 'users'; readonly userIds: readonly number[] }
  | {
      readonly to: 'stream-viewers';
      readonly streamId: number;
      readonly inviteOnly: boolean;
      /** The members directly before the entry, whose effects end their memberships; format 3. */
      readonly asBefore?: true;
    }
  /** Viewers of the stream and all who were ever its members: register lists the stream for all of them; format 4. */
  | { readonly to: 'stream-knowers'; readonly streamId: number; readonly inviteOnly: boolean }
  /** Former members who know the stream but are not viewers; format 4. */
  | {
      readonly to: 'former-viewers';
      readonly streamId: number;
      readonly inviteOnly: boolean;
      /** Those who were not viewers directly before the entry either. */
      readonly asBefore?: true;
    }
  /**
   * Members of the organization who see the stream while it is public but not while it is private: neither administrators nor guests nor
   * its members. `wereMembers` selects those who once were members, or those who never were; format 4.
   */
  | { readonly to: 'stream-outsiders'; readonly streamId: number; readonly wereMembers: boolean };

/** A change by the entry in who may see what; every follower applies it at the entry's position. */
export type LogEffect =
  | {
      readonly effect: 'joined' | 'left';
      readonly streamId: number;
      readonly userIds: readonly number[];
    }
  /** All memberships of the stream end; format 3. */
  | { readonly effect: 'stream-ended'; readonly streamId: number }
  | {
      readonly effect: 'account';
      readonly userId: number;
      readonly role: Role;
      readonly isActive: boolean;
    }
  | { readonly effect: 'key-changed'; readonly userId: number }
  | { readonly effect: 'queue-ended'; readonly queueId: string };

/** The holders of an earlier message, decided at the position of the entry about it. */
export type HeldMessage = {
  readonly id: number;
  /** The position of its own entry, whose members hold it. */
  readonly position: number;
  readonly streamId?: number;
  /** Present for private messages. */
  readonly participantIds?: readonly number[];
  /** Other holders: by a star, by a reaction, or as named bots. */
  readonly lateHolderIds: readonly number[];
  /** Outgoing-webhook and embedded bots among members or participants, which do not hold it. */
  readonly reactingBotIds: readonly number[];
  /** Holders who left its private stream before: they hold it as it was then, and get no such event. */
  readonly formerHolderIds?: readonly number[];
};

/** The event of an edit without the recipient's flags. */
export type UpdateWithoutFlags = Omit<Extract<ApiEvent, { type: 'update_message' }>, 'flags'>;

/** The event of a bot without its key and its services. */
type SealedEvent = {
  readonly type: 'realm_bot';
  readonly op: 'add' | 'update';
  readonly bot: Partial<ManagedBot> & Pick<ManagedBot, 'email' | 'user_id'>;
};

export type EventPart =
  /** One event about an earlier message, for its holders (reference facts, events 10, MSG). */
  | {
      readonly form: 'of-message';
      readonly message: HeldMessage;
      /** Also for members of its stream at this entry who do not hold it, as read. */
      readonly alsoSubscribers: boolean;
      /** Each recipient gets personal `flags` of the message, read when the event is made: never older than the entry. */
      readonly withFlags: boolean;
      readonly event: ApiEvent | UpdateWithoutFlags;
    }
  /** One event, the same for its whole audience. */
  | {
      readonly form: 'same';
      readonly audience: Audience;
      readonly event: ApiEvent;
      readonly sealed?: undefined;
    }
  /** The same for an event with secrets. */
  | {
      readonly form: 'same';
      readonly audience: Audience;
      readonly event: SealedEvent;
      /**
       * Secrets of the event, such as a bot's key: members of `event[member]`, encrypted with `sealEventMembers` of the store package and
       * added when the event is made.
       */
      readonly sealed: { readonly member: string; readonly text: string };
    }
  /** One `peer_add` or `peer_remove` for each of `userIds` (reference facts, streams 11.2). */
  | {
      readonly form: 'peers';
      readonly op: 'peer_add' | 'peer_remove';
      readonly streamId: number;
      readonly streamName: string;
      readonly inviteOnly: boolean;
      readonly userIds: readonly number[];
      /**
       * `list-holders` are all who have the list of subscribers at the entry: viewers of the stream, including guests among its members. A
       * new member gets the list with the subscription and no `peer_add`; a removed one gets the events about the others.
       * `stream-outsiders` are those to whom a private stream is opened. Format 4; without it the events go to viewers of the stream who
       * are neither among `userIds` nor guests of a public one.
       */
      readonly to?: 'list-holders' | 'stream-outsiders';
    }
  /**
   * One `subscription`/`add` for one user. The subscribers of each stream are read from the membership periods as of the entry's position
   * when the event is made, so that a join has the same cost in any stream.
   */
  | {
      readonly form: 'subscription-add';
      readonly userId: number;
      readonly subscriptions: readonly LoggedSubscription[];
    }
  /** The same for several users with equal subscriptions, at one position; format 3. */
  | {
      readonly form: 'shared-subscription-add';
      readonly userIds: readonly number[];
      readonly subscriptions: readonly LoggedSubscription[];
    }
  /**
   * One `update_message_flags` for each of the users, at one position: the newest messages that the user held in a stream that this entry
   * ends for the user are read. They are looked up when the event is made, so leaving has the same cost however many were unread; format 3.
   */
  | {
      readonly form: 'left-stream-read';
      readonly streamId: number;
      readonly userIds: readonly number[];
      /**
       * The unread messages of all of them up to this one, if the writer listed them: then only messages that came into the log between the
       * list and the entry are looked up. A reader that does not know this member looks up all.
       */
      readonly listed?: { readonly unreadIds: readonly number[]; readonly upToMessageId: number };
    };

/** A subscription object in an entry; its subscribers are those of the entry's position. */
export type LoggedSubscription = Omit<SubscriptionObject, 'subscribers'>;

/**
 * A side effect of a change: rows of `side_effects`, one for each, made once from the log and then run as jobs. `target` distinguishes
 * those of one kind and entry.
 */
export type SideEffect = { readonly target: number } & (
  | {
      /** The notification bot notifies a person whom somebody subscribed; the target is that person (reference facts, streams 5.2). */
      readonly kind: 'subscribed-notice';
      readonly actorId: number;
      readonly streamIds: readonly number[];
    }
  | {
      /**
       * The first messages of new streams, one after the other, if a request created more streams than its transaction sends to; the target
       * is the first.
       */
      readonly kind: 'stream-created-notice';
      readonly actorId: number;
      /** The streams after the target, in the requested order. */
      readonly following: readonly number[];
      /** The notices about all created streams, after their first messages. */
      readonly announcement?: { readonly target: number; readonly streamIds: readonly number[] };
    }
  | {
      /** Announces new public streams in the notifications stream, the target. */
      readonly kind: 'new-streams-notice';
      readonly actorId: number;
      readonly streamIds: readonly number[];
    }
  | {
      /** Notifies a stream, the target, of its new name. */
      readonly kind: 'stream-renamed-notice';
      readonly actorId: number;
      readonly oldName: string;
      readonly newName: string;
    }
  | {
      /** Notifies topics of a stream, the target, that messages moved from one to the other. */
      readonly kind: 'messages-moved-notice';
      readonly actorId: number;
      readonly oldTopic: string;
      readonly newTopic: string;
      readonly count: number;
      /** Where to. */
      readonly notified: readonly ('old' | 'new')[];
    }
  | {
      /** Notifies the stream for sign-ups, the target, of a new person. */
      readonly kind: 'signed-up-notice';
      /** The account that created the new one; no account's id for the operator. */
      readonly actorId: number;
      readonly personId: number;
    }
  | {
      /** Calls the service of an outgoing-webhook bot, the target, for a message (reference facts, people 18). */
      readonly kind: 'outgoing-webhook';
      readonly messageId: number;
    }
);

/** Side effects that differ only in their targets. */
export type SideEffects = SideEffect extends infer One
  ? One extends SideEffect
    ? Omit<One, 'target'> & { readonly targets: readonly number[] }
    : never
  : never;

export type ChangeEntry = {
  readonly v: LogEntryVersion;
  readonly kind: 'change';
  readonly effects: readonly LogEffect[];
  readonly events: readonly EventPart[];
  readonly sideEffects?: readonly (SideEffect | SideEffects)[];
};

/** A change as its writer describes it; the format follows from it. */
export type ChangeContent = {
  readonly effects?: readonly LogEffect[];
  readonly events: readonly EventPart[];
  readonly sideEffects?: readonly (SideEffect | SideEffects)[];
};

function isOfFormat4(part: EventPart): boolean {
  if (part.form === 'peers') return part.to !== undefined;
  if (part.form !== 'same') return false;
  const { to } = part.audience;
  return to === 'stream-knowers' || to === 'former-viewers' || to === 'stream-outsiders';
}

function isOfFormat3(part: EventPart): boolean {
  switch (part.form) {
    case 'shared-subscription-add':
    case 'left-stream-read':
      return true;
    case 'same': {
      const { audience } = part;
      return (
        audience.to === 'plain-members' ||
        (audience.to === 'stream-viewers' && audience.asBefore === true)
      );
    }
    default:
      return false;
  }
}

function formatOf(effects: readonly LogEffect[], events: readonly EventPart[]): LogEntryVersion {
  if (events.some(isOfFormat4)) return 4;
  if (events.some(isOfFormat3) || effects.some(({ effect }) => effect === 'stream-ended')) return 3;
  return events.some(({ form }) => form === 'of-message') ? 2 : 1;
}

/** @returns the entry of a change, in the oldest format that can contain it */
export function changeEntry({
  effects = [],
  events,
  sideEffects = [],
}: ChangeContent): ChangeEntry {
  return {
    v: formatOf(effects, events),
    kind: 'change',
    effects,
    events,
    ...(sideEffects.length > 0 && { sideEffects }),
  };
}

/** An entry that advances the log when there is no other, so that a heartbeat has an id above the client's last acknowledged one. */
export type TickEntry = { readonly v: 1; readonly kind: 'tick' };

export type LogEntry = MessageSentEntry | ChangeEntry | TickEntry;

/** @returns the side effects of a change */
export function sideEffectsOf(entry: LogEntry): readonly SideEffect[] {
  if (entry.kind !== 'change') return [];
  return (entry.sideEffects ?? []).flatMap((given) => {
    if (!('targets' in given)) return [given];
    const { targets, ...shared } = given;
    return targets.map((target): SideEffect => ({ ...shared, target }));
  });
}

/**
 * @param messageId of the entry; only the log can give it
 * @returns the calls that a message causes
 */
export function callsOf(entry: LogEntry, messageId: number): readonly SideEffect[] {
  if (entry.kind !== 'message.sent') return [];
  return (entry.calledBotIds ?? []).map((target) => ({
    kind: 'outgoing-webhook',
    target,
    messageId,
  }));
}

/** @returns the number of events of an event part, each with its own position */
export function eventPartLength(part: EventPart): number {
  return part.form === 'peers' ? part.userIds.length : 1;
}

/** @returns the number of positions of an entry; at least one, so that an entry without events has a position too */
export function entryLength(entry: LogEntry): number {
  if (entry.kind !== 'change') return 1;
  const events = entry.events.reduce((sum, part) => sum + eventPartLength(part), 0);
  return Math.max(1, events);
}

/**
 * The key by which replay finds the entries that can concern a user: the key of everyone, of the user's streams, of the user's private
 * conversations, and the user's own. An entry that concerns more than one of these has the key of everyone.
 */
export const audienceKey = {
  everyone: 0,
  stream: (streamId: number): number => streamId * 4 + 1,
  user: (userId: number): number => userId * 4 + 2,
  conversation: (conversationId: number): number => conversationId * 4 + 3,
} as const;

/** @returns the stream of an audience's key, if it has one */
export function streamOfAudience(audience: number): number | undefined {
  const streamId = Math.floor(audience / 4);
  return audience === audienceKey.stream(streamId) ? streamId : undefined;
}

/** An entry with the numbers that the log gave it. */
export type PositionedEntry = {
  readonly position: number;
  readonly length: number;
  /** The newest message id at this entry; for a `message.sent` entry the id of its own message. */
  readonly messageId: number;
  readonly audience: number;
  /** The entry as JSON text, exactly as stored. */
  readonly payload: string;
};
