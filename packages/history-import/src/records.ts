/**
 * The records that every source gives, and the loader writes. People, streams and files are few enough to be held in memory, and refer to
 * each other by their numbers in the directory's lists. Messages come in batches.
 */
import type { Readable } from 'node:stream';

import type { BotType, Role } from '@parley/api';
import type { RealmSettings } from '@parley/api/organization';
import type { UserSettings } from '@parley/api/people';

import type { MessageKey } from '@parley/store/imports';

import type { Place } from './ledger.ts';

export type { MessageKey };

/** A file of the archive. */
export type ArchiveFile = {
  readonly sizeBytes: number;
  readonly open: () => Promise<Readable>;
};

export type OrganizationRecord = {
  readonly name: string;
  readonly stringId: string;
  readonly description: string;
  readonly settings: Partial<RealmSettings>;
  readonly disabledAuthenticationMethods: readonly string[];
  readonly notificationsStream: number | undefined;
  readonly signupNotificationsStream: number | undefined;
};

export type PersonRecord = {
  readonly place: Place;
  /** Undefined if the source has none that can be used. */
  readonly email: string | undefined;
  /** The beginning of an invented address. */
  readonly handle: string;
  readonly fullName: string;
  readonly role: Role;
  readonly isActive: boolean;
  /** One of the bots that every organization has. */
  readonly systemBot?: string;
  readonly bot?: { readonly type: BotType; readonly owner: number | undefined };
  readonly timezone: string;
  readonly settings: Partial<UserSettings>;
  /** Unix time. */
  readonly joinedAt: number | undefined;
  readonly alertWords: readonly string[];
  readonly avatar?: { readonly place: Place; readonly file: ArchiveFile } | undefined;
};

export type StreamRecord = {
  readonly place: Place;
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean;
  readonly sharesHistory: boolean;
  readonly isAnnouncementOnly: boolean;
  readonly isArchived: boolean;
  readonly isDefault: boolean;
  /** Unix time. */
  readonly createdAt: number | undefined;
  readonly creator: number | undefined;
};

export type SubscriptionRecord = {
  readonly person: number;
  readonly stream: number;
  /** Undefined takes the first free one of the palette. */
  readonly color: string | undefined;
  readonly isMuted: boolean;
  readonly pinToTop: boolean;
  readonly notifications: {
    readonly desktop: boolean | null;
    readonly audible: boolean | null;
    readonly push: boolean | null;
    readonly email: boolean | null;
    readonly wildcardMentions: boolean | null;
  };
};

export type MutedTopicRecord = {
  readonly person: number;
  readonly stream: number;
  readonly topic: string;
  readonly mutedAt: number | undefined;
};

export type GroupRecord = {
  readonly place: Place;
  readonly name: string;
  readonly description: string;
  readonly members: readonly number[];
};

export type ProfileFieldRecord = {
  readonly place: Place;
  readonly name: string;
  readonly type: number;
  readonly hint: string;
  readonly fieldData: string;
};

/** A value of a profile field; for a person picker the people. */
export type ProfileValueRecord = {
  readonly place: Place;
  readonly person: number;
  readonly field: number;
  readonly value: string | readonly number[];
};

export type EmojiRecord = {
  readonly place: Place;
  readonly name: string;
  readonly author: number | undefined;
  readonly isDeactivated: boolean;
  readonly file: ArchiveFile | undefined;
};

export type LinkifierRecord = {
  readonly place: Place;
  readonly pattern: string;
  readonly urlFormat: string;
};

export type DomainRecord = {
  readonly place: Place;
  readonly domain: string;
  readonly allowSubdomains: boolean;
};

/** An uploaded file. */
export type FileRecord = {
  readonly place: Place;
  readonly owner: number;
  readonly name: string;
  readonly createdAt: number;
  readonly file: ArchiveFile;
  /** The messages that open the file to their readers, where the source says it; otherwise all that link to it. */
  readonly messageKeys?: ReadonlySet<string>;
};

/** How far somebody has read a stream or a private conversation; without a position everything is read. */
export type ReadPositionRecord = {
  readonly person: number;
  readonly place: { readonly stream: number } | { readonly participants: readonly number[] };
  /** Unix time. */
  readonly readUpTo: number;
};

/** Everything but messages. */
export type Directory = {
  readonly organization: OrganizationRecord;
  readonly people: readonly PersonRecord[];
  readonly streams: readonly StreamRecord[];
  readonly subscriptions: Iterable<SubscriptionRecord>;
  readonly mutedTopics: readonly MutedTopicRecord[];
  readonly groups: readonly GroupRecord[];
  readonly profileFields: readonly ProfileFieldRecord[];
  readonly profileValues: readonly ProfileValueRecord[];
  readonly emoji: readonly EmojiRecord[];
  readonly linkifiers: readonly LinkifierRecord[];
  readonly domains: readonly DomainRecord[];
  readonly files: readonly FileRecord[];
  /**
   * Whether the source says for each message who got it. Otherwise the members of a stream hold all of it, and everything is read but for
   * `readPositions`.
   */
  readonly hasReceipts: boolean;
  /** For sources that say how far people have read. */
  readonly readPositions?: readonly ReadPositionRecord[];
};

/** What became of the directory's records, for texts that name them. */
export type LoadedNames = {
  readonly person: (index: number) => { readonly id: number; readonly fullName: string };
  readonly stream: (index: number) => { readonly id: number; readonly name: string };
  /** Undefined if the file is not there. */
  readonly filePath: (index: number) => string | undefined;
  /** The code of a custom emoji, undefined if it could not be imported. */
  readonly emoji: (index: number) => { readonly id: number; readonly name: string } | undefined;
};

/** An earlier state of a message, newest first in its list. */
export type EditChange = {
  /** Undefined if the source does not know who edited; the sender then counts. */
  readonly editor: number | undefined;
  /** Unix time. */
  readonly editedAt: number;
  readonly previousContent?: string;
  readonly previousTopic?: string;
};

export type ReactionRecord = {
  readonly place: Place;
  readonly messageKey: string;
  readonly person: number;
  readonly emoji:
    | { readonly kind: 'unicode'; readonly name: string; readonly code: string }
    | { readonly kind: 'extra' }
    | { readonly kind: 'custom'; readonly emoji: number };
  readonly reactedAt: number | null;
};

/** Who got a message and what they did with it; lists of equal length. */
export type Receipts = {
  readonly people: readonly number[];
  /** Bits as in `flagBits` of the store. */
  readonly flags: readonly number[];
};

export type MessageRecord = {
  readonly place: Place;
  readonly key: string;
  readonly sender: number;
  readonly to:
    | { readonly stream: number; readonly topic: string }
    | { readonly participants: readonly number[] };
  /** In our dialect, with our names and ids; links to other messages are mended by the loader. */
  readonly content: string;
  /** Unix time. */
  readonly sentAt: number;
  readonly client: string;
  readonly lastEditedAt: number | undefined;
  readonly edits: readonly EditChange[];
  /** For sources with receipts. */
  readonly receipts?: Receipts;
  readonly starredBy?: readonly number[];
};

/** A batch of messages, with reactions to any message that may come at once. */
export type MessageBatch = {
  readonly messages: readonly MessageRecord[];
  /** Bytes or entries of the source that the batch stands for, for the progress. */
  readonly progress: number;
};

/** Links of a source to its own messages. */
export type MessageLinks = {
  /** @returns the keys of messages that the text links to */
  readonly find: (content: string) => readonly string[];
  /** @returns the text with links to the new messages */
  readonly mend: (content: string, idOf: (key: string) => number | undefined) => string;
};

/** What records are called in accounts that the source itself has no name for. */
export const commonKinds = {
  emoji: 'emoji',
  linkifier: 'linkifiers',
  domain: 'domains',
} as const satisfies Partial<Source['kinds']>;

/** An opened archive. Its readers are called in this order, each once. */
export type Source = {
  /** How the source calls itself, in invented addresses too. */
  readonly name: string;
  /** What the source calls the records that the loader accounts for. */
  readonly kinds: {
    readonly message: string;
    readonly reaction: string;
    readonly emoji: string;
    readonly linkifier: string;
    readonly domain: string;
  };
  /** How many of each kind of record there are, by a reader that shares nothing with the others. */
  readonly count: (signal: AbortSignal) => Promise<ReadonlyMap<string, number>>;
  readonly messageKeys: () => AsyncIterable<readonly MessageKey[]>;
  readonly directory: () => Promise<Directory>;
  /** The total of the batches' `progress`. */
  readonly messagesTotal: () => number;
  readonly messages: (names: LoadedNames) => AsyncIterable<MessageBatch>;
  readonly reactions: (names: LoadedNames) => AsyncIterable<readonly ReactionRecord[]>;
  readonly links: MessageLinks;
  readonly close: () => Promise<void>;
};
