/** Writes a generated organization as an export of the reference server. */
import { at, isMember, linkedAddress, timeOf, topicOf } from '../generated/organization.ts';
import type { ModelMessage, ModelOrganization, TextPart } from '../generated/organization.ts';
import { mayLink, receiptOf } from '../generated/rules.ts';
import type { Receipt } from '../generated/rules.ts';
import { onePixel, writeTar } from '../write-archives.ts';
import { asExported } from '../zulip-fixture.ts';

type Row = Readonly<Record<string, unknown>>;

const messagesPerFile = 5;
const filePath = '2/3f/abc/';
const bits = { read: 1, starred: 2, mentioned: 8, historical: 1024 } as const;

const personId = (n: number): number => 10 + n;
const streamId = (n: number): number => 21 + n;
const messageId = (n: number): number => 101 + n;
const roleIds = { administrator: 200, member: 400, guest: 600 } as const;

/** The name of a stream in the archive: one that was archived is called so. */
function streamName({ streams }: ModelOrganization, stream: number): string {
  const { name, isArchived } = at(streams, stream);
  return isArchived ? `!DEACTIVATED:${name}` : name;
}

function textOf(organization: ModelOrganization, message: ModelMessage): string {
  const write = (part: TextPart): string => {
    switch (part.kind) {
      case 'plain':
        return part.text;
      case 'bold':
        return `**${part.text}**`;
      case 'code':
        return `\`${part.text}\``;
      case 'person':
        return `@**${at(organization.people, part.person).name}|${personId(part.person)}**`;
      case 'stream':
        return mayLink(organization, message, part.stream)
          ? `#**${streamName(organization, part.stream)}**`
          : '#private channel';
      case 'link':
        return `[the keel](${linkedAddress})`;
      case 'emoji':
        return ':tada:';
      case 'everybody':
        return '@**all**';
    }
  };
  const { name } = organization.file;
  return [
    message.word,
    ...message.parts.map(write),
    ...(message.file === undefined ? [] : [`[${name}](/user_uploads/${filePath}${name})`]),
  ].join('\n');
}

/** The recipients of private messages to several people, by their people. */
function groupsOf({ messages }: ModelOrganization): Map<string, number> {
  const groups = new Map<string, number>();
  for (const { to } of messages)
    if ('participants' in to && to.participants.length > 2) {
      const key = to.participants.join();
      groups.set(key, groups.get(key) ?? 301 + groups.size);
    }
  return groups;
}

function recipientOf(message: ModelMessage, groups: ReadonlyMap<string, number>): number {
  const { to, sender } = message;
  if ('stream' in to) return 200 + to.stream;
  const group = groups.get(to.participants.join());
  return group ?? 100 + (to.participants.find((person) => person !== sender) ?? sender);
}

function flagsOf(receipt: Receipt): number {
  return (
    (receipt.isRead ? bits.read : 0) |
    (receipt.isStarred ? bits.starred : 0) |
    (receipt.isMentioned ? bits.mentioned : 0) |
    (receipt.isLate ? bits.historical : 0)
  );
}

function messageFiles(organization: ModelOrganization): Row[] {
  const { messages, people } = organization;
  const groups = groupsOf(organization);
  const files: { zerver_message: Row[]; zerver_usermessage: Row[] }[] = [];
  for (const [n, message] of messages.entries()) {
    if (n % messagesPerFile === 0) files.push({ zerver_message: [], zerver_usermessage: [] });
    const edited = timeOf(n) + 30;
    files.at(-1)?.zerver_message.push({
      id: messageId(n),
      sender: personId(message.sender),
      recipient: recipientOf(message, groups),
      subject: 'stream' in message.to ? topicOf(organization, n) : '',
      content: textOf(organization, message),
      rendered_content: '<p>old</p>',
      date_sent: timeOf(n) + 0.25,
      sending_client: 4,
      last_edit_time: message.earlier.length === 0 ? null : edited + 0.5,
      edit_history:
        message.earlier.length === 0
          ? null
          : JSON.stringify(
              message.earlier.map(({ content, topic }, m) => ({
                user_id: personId(message.sender),
                timestamp: edited - m,
                ...(content === undefined
                  ? {}
                  : { prev_content: content, prev_rendered_content: '' }),
                ...(topic === undefined ? {} : { prev_subject: topic }),
              })),
            ),
    });
    for (const person of people.keys()) {
      const receipt = receiptOf(organization, person, n);
      if (receipt !== undefined && !receipt.isOwed)
        files.at(-1)?.zerver_usermessage.push({
          id: 1_000 + n * people.length + person,
          user_profile: personId(person),
          message: messageId(n),
          flags_mask: flagsOf(receipt),
        });
    }
  }
  return files;
}

function realmOf(organization: ModelOrganization): Row {
  const { people, streams, messages } = organization;
  const groups = groupsOf(organization);
  const membership = (person: number, recipient: number, active: boolean): Row => ({
    id: recipient * 100 + person,
    user_profile: personId(person),
    recipient,
    active,
  });
  return {
    zerver_realm: [{ id: 2, name: 'Generated', string_id: 'generated', description: '' }],
    zerver_client: [{ id: 4, name: 'website' }],
    zerver_userprofile: people.map((person, n) => ({
      id: personId(n),
      delivery_email: `p${n}@birch.example`,
      full_name: person.name,
      role: roleIds[person.role],
      is_active: person.isActive,
      is_bot: person.isBot,
      bot_type: person.isBot ? 1 : null,
      bot_owner: person.isBot ? personId(0) : null,
      long_term_idle: person.idleAfter !== undefined,
      last_active_message_id: person.idleAfter === undefined ? null : messageId(person.idleAfter),
    })),
    zerver_stream: streams.map((stream, n) => ({
      id: streamId(n),
      name: streamName(organization, n),
      description: stream.description,
      deactivated: stream.isArchived,
      invite_only: stream.kind !== 'public' || stream.isArchived,
      history_public_to_subscribers: stream.kind !== 'protected',
    })),
    zerver_recipient: [
      ...people.map((_, n) => ({ id: 100 + n, type: 1, type_id: personId(n) })),
      ...streams.map((_, n) => ({ id: 200 + n, type: 2, type_id: streamId(n) })),
      ...[...groups.values()].map((id) => ({ id, type: 3, type_id: id + 1_000 })),
    ],
    zerver_huddle: [...groups.values()].map((id) => ({ id: id + 1_000, huddle_hash: 'x' })),
    zerver_subscription: [
      ...streams.flatMap((stream, n) =>
        people.flatMap((_, person) =>
          (stream.changes[person] ?? []).length === 0
            ? []
            : membership(person, 200 + n, isMember(stream, person) && !stream.isArchived),
        ),
      ),
      ...[...groups].flatMap(([key, id]) =>
        key.split(',').map((person) => membership(Number(person), id, true)),
      ),
    ],
    zerver_realmauditlog: streams.flatMap((stream, n) =>
      stream.changes.flatMap((changes, person) =>
        changes.map((before, m) => ({
          id: n * 1_000 + person * 10 + m,
          event_time: timeOf(before) - 60,
          event_type: m % 2 === 0 ? 301 : 303,
          modified_user: personId(person),
          modified_stream: streamId(n),
          event_last_message_id: messageId(before - 1),
        })),
      ),
    ),
    zerver_realmemoji: [
      { id: 7, author: personId(0), name: 'leaf', file_name: '7.png', deactivated: false },
    ],
    zerver_reaction: messages.flatMap(({ reactions }, n) =>
      reactions.map(({ person, emoji }, m) => ({
        id: n * 10 + m,
        user_profile: personId(person),
        message: messageId(n),
        ...(emoji === 'custom'
          ? { emoji_name: 'leaf', emoji_code: '7', reaction_type: 'realm_emoji' }
          : { emoji_name: emoji.name, emoji_code: emoji.code, reaction_type: 'unicode_emoji' }),
      })),
    ),
  };
}

/** Writes the archive. */
export async function writeGeneratedZulip(
  path: string,
  organization: ModelOrganization,
): Promise<void> {
  const { messages, file } = organization;
  const stored = `${filePath}${file.name}`;
  const linking = [...messages.entries()].filter(([, message]) => message.file === 'linked');
  const entries: Readonly<Record<string, string | Buffer>> = {
    ...Object.fromEntries(
      messageFiles(organization).map((rows, n) => [
        `messages-${String(n + 1).padStart(6, '0')}.json`,
        asExported(rows),
      ]),
    ),
    'realm.json': asExported(realmOf(organization)),
    'attachment.json': asExported({
      zerver_attachment: linking.slice(0, 1).map(([, { sender }]) => ({
        id: 1,
        file_name: file.name,
        path_id: stored,
        owner: personId(sender),
        create_time: timeOf(0),
        size: file.content.length,
        messages: linking.map(([n]) => messageId(n)),
      })),
    }),
    'uploads/records.json': asExported([{ path: stored, s3_path: stored, realm_id: 2 }]),
    [`uploads/${stored}`]: file.content,
    'emoji/records.json': asExported([{ path: '2/emoji/images/7.png', file_name: '7.png' }]),
    'emoji/2/emoji/images/7.png': onePixel,
  };
  await writeTar(
    path,
    Object.entries(entries).map(([name, content]) => ({
      name: `zulip-export-gen/${name}`,
      content,
    })),
  );
}
