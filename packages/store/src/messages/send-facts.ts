/**
 * The facts that a send needs before its checks, read in one statement for each kind (part of the module that owns `messages`).
 */
import type { Role } from '@parley/api';
import { foldName } from '@parley/api';
import type { Queryable } from '@parley/database';

import {
  isPrivateSql,
  isReactingBotSql,
  mayReadStreamSql,
  sharesHistorySql,
} from '../visibility/visibility-sql.ts';

/** An account, as messages show it and permissions need it. */
export type SendPerson = {
  readonly id: number;
  readonly email: string;
  /** The real address, which differs if the organization hides addresses. */
  readonly deliveryEmail: string;
  readonly fullName: string;
  readonly shortName: string;
  readonly role: Role;
  readonly isActive: boolean;
  readonly isSystem: boolean;
  readonly botType: number | null;
  readonly recipientId: number;
  readonly avatarSource: 'G' | 'U';
  readonly avatarVersion: number;
};

export type SendSender = SendPerson & {
  readonly botOwnerId: number | null;
  readonly botOwnerRole: Role | null;
  readonly translateEmoticons: boolean;
};

const personJson = (
  alias: string,
): string => `json_build_object('id', ${alias}.id, 'email', ${alias}.email,
  'deliveryEmail', coalesce(${alias}.delivery_email, ${alias}.email), 'fullName', ${alias}.full_name, 'shortName', ${alias}.short_name, 'role', ${alias}.role, 'isActive', ${alias}.is_active,
  'isSystem', ${alias}.is_system, 'botType', ${alias}.bot_type, 'recipientId', ${alias}.recipient_id,
  'avatarSource', ${alias}.avatar_source, 'avatarVersion', ${alias}.avatar_version)`;

const senderColumns = `u.id, u.email, coalesce(u.delivery_email, u.email) AS "deliveryEmail", u.full_name AS "fullName", u.short_name AS "shortName", u.role, u.is_active AS "isActive",
  u.is_system AS "isSystem", u.bot_type AS "botType", u.recipient_id AS "recipientId", u.avatar_source AS "avatarSource",
  u.avatar_version AS "avatarVersion", u.bot_owner_id AS "botOwnerId", owner.role AS "botOwnerRole",
  coalesce((u.settings ->> 'translate_emoticons')::boolean, false) AS "translateEmoticons"`;

/** The facts about the addressed stream; all null if there is no such stream. */
type StreamColumns = {
  readonly streamId: number | null;
  readonly streamName: string;
  readonly inviteOnly: boolean;
  readonly sharesHistory: boolean;
  readonly isAnnouncementOnly: boolean;
  readonly version: number;
  readonly streamRecipientId: number;
  readonly senderSubscribed: boolean;
  readonly ownerSubscribed: boolean;
  readonly hasMessages: boolean;
  readonly conversationId: number | null;
  readonly reactingBotIds: number[];
};

export type StreamSendFacts = {
  readonly sender: SendSender;
  readonly stream:
    | {
        readonly id: number;
        readonly name: string;
        readonly inviteOnly: boolean;
        readonly sharesHistory: boolean;
        readonly isAnnouncementOnly: boolean;
        readonly version: number;
        readonly recipientId: number;
        readonly senderSubscribed: boolean;
        readonly ownerSubscribed: boolean;
        readonly hasMessages: boolean;
        /** Undefined while the topic has no messages. */
        readonly conversationId: number | undefined;
        /** Subscribed outgoing-webhook and embedded bots. */
        readonly reactingBotIds: readonly number[];
      }
    | undefined;
};

/** The stream of a send: by its trimmed name in any letter case, by its id, or the sender's own default. */
export type StreamAddress =
  | { readonly name: string }
  | { readonly streamId: number }
  | { readonly default: true };

/** The input of a stream message's facts. */
export type StreamSendQuestion = {
  readonly senderId: number;
  readonly address: StreamAddress;
  readonly topic: string;
};

/** The organization's data for every send, as one JSON value; null while there is no organization. */
const realmJson = `(SELECT json_build_object('stringId', r.string_id,
    'inlineImagePreview', coalesce((r.settings ->> 'inline_image_preview')::boolean, true),
    'linkifiers', coalesce((SELECT json_agg(json_build_object('id', l.id, 'pattern', l.pattern, 'urlFormat', l.url_format) ORDER BY l.id)
      FROM linkifiers l), '[]'),
    'alertWordsVersion', (SELECT v.version FROM alert_words_version v))
  FROM realm r LIMIT 1)`;

// Subscriptions are scalar look-ups. With a join or EXISTS, a plan could read all subscribers of the stream, or of all streams, instead.
// Accounts and streams are looked up one by one, or a plan without statistics reads all of them.
// The questions come from sub-selects, so that the planner does not see their number: otherwise it would plan again for each batch.
const streamSendText = `SELECT ${senderColumns}, q.ordinality AS "ordinal", s.id AS "streamId", s.name AS "streamName", ${isPrivateSql('s')} AS "inviteOnly",
      ${sharesHistorySql('s')} AS "sharesHistory", s.is_announcement_only AS "isAnnouncementOnly", s.version, s.recipient_id AS "streamRecipientId",
      coalesce((SELECT m.is_active FROM subscriptions m WHERE m.user_id = u.id AND m.stream_id = s.id), false) AS "senderSubscribed",
      coalesce(owner.is_active AND (SELECT m.is_active FROM subscriptions m WHERE m.user_id = owner.id AND m.stream_id = s.id), false) AS "ownerSubscribed",
      coalesce((SELECT true FROM stream_first_messages f WHERE f.stream_id = s.id), false) AS "hasMessages",
      (SELECT c.id FROM conversations c WHERE c.stream_id = s.id AND c.topic_folded = q.topic_folded) AS "conversationId",
      ARRAY(SELECT b.id FROM users b WHERE ${isReactingBotSql('b')} AND b.is_active
        AND (SELECT m.is_active FROM subscriptions m WHERE m.user_id = b.id AND m.stream_id = s.id)
        ORDER BY b.id) AS "reactingBotIds", CASE WHEN q.ordinality = 1 THEN ${realmJson} END AS realm
    FROM unnest((SELECT $1::bigint[]), (SELECT $2::text[]), (SELECT $3::bigint[]), (SELECT $4::text[])) WITH ORDINALITY
      AS q (sender_id, name_folded, stream_id, topic_folded, ordinality)
    CROSS JOIN LATERAL (SELECT a.* FROM users a WHERE a.id = q.sender_id OFFSET 0) u
    LEFT JOIN LATERAL (SELECT a.* FROM users a WHERE a.id = u.bot_owner_id OFFSET 0) owner ON true
    LEFT JOIN LATERAL (SELECT a.* FROM streams a WHERE NOT a.is_deactivated AND a.id = CASE
      WHEN q.name_folded IS NOT NULL THEN (SELECT named.id FROM streams named WHERE named.name_folded = q.name_folded)
      ELSE coalesce(q.stream_id, u.default_sending_stream_id) END OFFSET 0) s ON true`;

export type SendFactsRead<Question, Facts> = {
  /** For each question, except those whose sender does not exist. */
  readonly facts: ReadonlyMap<Question, Facts>;
  /** Undefined if the sender of the first question does not exist. */
  readonly realm: SendRealm | undefined;
};

/** What each row has beside its facts. */
type Answered = { readonly ordinal: number; readonly realm: SendRealm | null };

function factsRead<Question, Row extends Answered, Facts>(
  questions: readonly Question[],
  rows: readonly Row[],
  factsOf: (row: Row) => Facts,
): SendFactsRead<Question, Facts> {
  const facts = new Map<Question, Facts>();
  for (const row of rows) {
    const question = questions[row.ordinal - 1];
    if (question !== undefined) facts.set(question, factsOf(row));
  }
  return { facts, realm: rows.find(({ realm }) => realm !== null)?.realm ?? undefined };
}

/**
 * Reads everything that the sends of stream messages must check, and the organization's data that they need, in one statement for all of
 * them.
 */
export async function findStreamSendFacts(
  db: Queryable,
  questions: readonly StreamSendQuestion[],
): Promise<SendFactsRead<StreamSendQuestion, StreamSendFacts>> {
  const addresses = questions.map(({ address }) => address);
  const { rows } = await db.query<SendSender & StreamColumns & Answered>({
    name: 'send-facts-stream',
    text: streamSendText,
    values: [
      questions.map(({ senderId }) => senderId),
      addresses.map((address) => ('name' in address ? foldName(address.name) : null)),
      addresses.map((address) => ('streamId' in address ? address.streamId : null)),
      questions.map(({ topic }) => foldName(topic)),
    ],
  });
  return factsRead(questions, rows, (row) => ({ sender: row, stream: streamOf(row) }));
}

function streamOf(row: StreamColumns): StreamSendFacts['stream'] {
  if (row.streamId === null) return undefined;
  return {
    id: row.streamId,
    name: row.streamName,
    inviteOnly: row.inviteOnly,
    sharesHistory: row.sharesHistory,
    isAnnouncementOnly: row.isAnnouncementOnly,
    version: row.version,
    recipientId: row.streamRecipientId,
    senderSubscribed: row.senderSubscribed,
    ownerSubscribed: row.ownerSubscribed,
    hasMessages: row.hasMessages,
    conversationId: row.conversationId ?? undefined,
    reactingBotIds: row.reactingBotIds,
  };
}

export type PrivateSendFacts = {
  readonly sender: SendSender;
  /** The existing addressed accounts, by ascending id. */
  readonly recipients: readonly SendPerson[];
  /** Of the addressed accounts and the sender. */
  readonly conversation: { readonly id: number; readonly recipientId: number | null } | undefined;
};

/** The input of a private message's facts. */
export type PrivateSendQuestion = {
  readonly senderId: number;
  readonly addressees:
    | { readonly emails: readonly string[] }
    | { readonly userIds: readonly number[] };
};

// The addressees of all questions are in one list, of which each question has a part.
const privateSendText = `SELECT ${senderColumns}, q.ordinality AS "ordinal", people.recipients, c.id AS "conversationId",
      c.recipient_id AS "groupRecipientId", CASE WHEN q.ordinality = 1 THEN ${realmJson} END AS realm
    FROM unnest((SELECT $1::bigint[]), (SELECT $2::integer[]), (SELECT $3::integer[])) WITH ORDINALITY
      AS q (sender_id, first_addressee, last_addressee, ordinality)
    CROSS JOIN LATERAL (SELECT a.* FROM users a WHERE a.id = q.sender_id OFFSET 0) u
    LEFT JOIN LATERAL (SELECT a.* FROM users a WHERE a.id = u.bot_owner_id OFFSET 0) owner ON true
    CROSS JOIN LATERAL (
      SELECT json_agg(${personJson('p')} ORDER BY p.id) AS recipients, array_agg(p.id) AS ids
      FROM unnest(((SELECT $4::text[]))[q.first_addressee:q.last_addressee], ((SELECT $5::bigint[]))[q.first_addressee:q.last_addressee])
        AS addressee (email_folded, id)
      CROSS JOIN LATERAL (SELECT a.* FROM users a WHERE a.id = CASE WHEN addressee.email_folded IS NOT NULL
        THEN (SELECT named.id FROM users named WHERE named.email_folded = addressee.email_folded) ELSE addressee.id END OFFSET 0) p) people
    LEFT JOIN LATERAL (SELECT a.* FROM conversations a
      WHERE a.participant_ids = ARRAY(SELECT e.id FROM unnest(people.ids || u.id) AS e (id) GROUP BY e.id ORDER BY e.id) OFFSET 0) c ON true`;

/**
 * Reads everything that the sends of private messages must check, and the organization's data that they need, in one statement for all of
 * them.
 */
export async function findPrivateSendFacts(
  db: Queryable,
  questions: readonly PrivateSendQuestion[],
): Promise<SendFactsRead<PrivateSendQuestion, PrivateSendFacts>> {
  const addressees = questions.map((question) =>
    'emails' in question.addressees
      ? [...new Set(question.addressees.emails.map(foldName))].map((email) => ({ email, id: null }))
      : [...new Set(question.addressees.userIds)].map((id) => ({ email: null, id })),
  );
  let last = 0;
  const parts = addressees.map(({ length }) => ({ first: last + 1, last: (last += length) }));
  const all = addressees.flat();
  const { rows } = await db.query<
    SendSender &
      Answered & {
        readonly recipients: SendPerson[] | null;
        readonly conversationId: number | null;
        readonly groupRecipientId: number | null;
      }
  >({
    name: 'send-facts-private',
    text: privateSendText,
    values: [
      questions.map(({ senderId }) => senderId),
      parts.map((part) => part.first),
      parts.map((part) => part.last),
      all.map(({ email }) => email),
      all.map(({ id }) => id),
    ],
  });
  return factsRead(questions, rows, (row) => ({
    sender: row,
    recipients: row.recipients ?? [],
    conversation:
      row.conversationId === null
        ? undefined
        : { id: row.conversationId, recipientId: row.groupRecipientId },
  }));
}

/** Whether an account wants its emoticons converted to emoji (reference facts, events 4.6). */
export async function translatesEmoticons(db: Queryable, userId: number): Promise<boolean> {
  const { rows } = await db.query<{ translates: boolean }>({
    name: 'translates-emoticons',
    text: `SELECT coalesce((settings ->> 'translate_emoticons')::boolean, false) AS translates FROM users WHERE id = $1`,
    values: [userId],
  });
  return rows[0]?.translates ?? false;
}

/** Names in a message's text that the renderer has to look up. */
export type NamesInMessage = {
  readonly names: readonly string[];
  readonly userIds: readonly number[];
  readonly groupNames: readonly string[];
  readonly streamNames: readonly string[];
  readonly emails: readonly string[];
  readonly emojiNames: readonly string[];
};

export type NamedInMessage = {
  readonly users: readonly {
    readonly id: number;
    readonly fullName: string;
    readonly email: string;
    readonly botType: number | null;
  }[];
  readonly groups: readonly {
    readonly id: number;
    readonly name: string;
    readonly memberIds: readonly number[];
  }[];
  readonly streams: readonly { readonly id: number; readonly name: string }[];
  readonly emoji: readonly {
    readonly id: number;
    readonly name: string;
    readonly fileName: string;
  }[];
};

/**
 * Looks up the names in a message. It finds only streams that the sender may read, because a link would reveal a private one. Full names
 * and addresses match in any letter case, names of groups and streams exactly.
 */
export async function findNamedInMessage(
  db: Queryable,
  senderId: number,
  wanted: NamesInMessage,
): Promise<NamedInMessage> {
  const { rows } = await db.query<{ [Kind in keyof NamedInMessage]: NamedInMessage[Kind] | null }>({
    name: 'send-named',
    text: `SELECT
        (SELECT json_agg(json_build_object('id', u.id, 'fullName', u.full_name, 'email', u.email, 'botType', u.bot_type) ORDER BY u.id)
          FROM users u WHERE u.is_active
            AND (u.full_name_folded = ANY ($2::text[]) OR u.id = ANY ($3::bigint[]) OR u.email_folded = ANY ($4::text[]))) AS users,
        (SELECT json_agg(json_build_object('id', g.id, 'name', g.name, 'memberIds', ARRAY(
            SELECT m.user_id FROM user_group_members m JOIN users u ON u.id = m.user_id AND u.is_active
            WHERE m.group_id = g.id ORDER BY m.user_id))) FROM user_groups g WHERE g.name = ANY ($5::text[])) AS groups,
        (SELECT json_agg(json_build_object('id', s.id, 'name', s.name)) FROM streams s JOIN users sender ON sender.id = $1
          WHERE s.name_folded = ANY ($6::text[]) AND ${mayReadStreamSql('s', 'sender')}) AS streams,
        (SELECT json_agg(json_build_object('id', e.id, 'name', e.name, 'fileName', e.file_name)) FROM realm_emoji e
          WHERE e.name = ANY ($7::text[]) AND NOT e.is_deactivated) AS emoji`,
    values: [
      senderId,
      wanted.names.map(foldName),
      wanted.userIds,
      wanted.emails.map(foldName),
      wanted.groupNames,
      wanted.streamNames.map(foldName),
      wanted.emojiNames,
    ],
  });
  const row = rows[0];
  return {
    users: row?.users ?? [],
    groups: row?.groups ?? [],
    streams: row?.streams ?? [],
    emoji: row?.emoji ?? [],
  };
}

/** The organization's data for every send. */
export type SendRealm = {
  readonly stringId: string;
  readonly inlineImagePreview: boolean;
  readonly linkifiers: readonly {
    readonly id: number;
    readonly pattern: string;
    readonly urlFormat: string;
  }[];
  /** The version of `listAllAlertWords`, which changes with every word that is added or removed. */
  readonly alertWordsVersion: string;
};

/** @throws Error while there is no organization */
export async function getSendRealm(db: Queryable): Promise<SendRealm> {
  const { rows } = await db.query<{ realm: SendRealm | null }>({
    name: 'send-realm',
    text: `SELECT ${realmJson} AS realm`,
  });
  const realm = rows[0]?.realm ?? null;
  if (realm === null) throw new Error('no organization has been created in this database');
  return realm;
}
