/** Writes a generated organization as an export of all conversations of a Slack workspace. */
import { at, isMember, linkedAddress, timeOf } from '../generated/organization.ts';
import type { ModelMessage, ModelOrganization, TextPart } from '../generated/organization.ts';
import { writeZip } from '../write-archives.ts';

type Row = Readonly<Record<string, unknown>>;

const personId = (n: number): string => `U${n}`;
const timeIdOf = (message: number): string =>
  `${timeOf(message)}.${String(message).padStart(6, '0')}`;

export const slackFileAddress = 'https://files.slack.com/files-pri/T1-F1/';

function partText(part: TextPart): string {
  const escaped = (text: string): string =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  switch (part.kind) {
    case 'plain':
      return escaped(part.text);
    case 'bold':
      return `*${part.text}*`;
    case 'code':
      return `\`${part.text}\``;
    case 'person':
      return `<@${personId(part.person)}>`;
    case 'stream':
      return `<#C${part.stream}>`;
    case 'link':
      return `<${linkedAddress}|the keel>`;
    case 'emoji':
      return ':tada:';
    case 'everybody':
      return '<!channel>';
  }
}

function recordOf({ messages, file }: ModelOrganization, n: number): Row {
  const message = at(messages, n);
  const isRoot = messages.some(({ root }) => root === n);
  const thread = isRoot ? n : message.root;
  const names = new Map<string, string[]>();
  for (const { person, emoji } of message.reactions) {
    const name = emoji === 'custom' ? 'party-leaf' : emoji.name;
    names.set(name, [...(names.get(name) ?? []), personId(person)]);
  }
  return {
    type: 'message',
    user: personId(message.sender),
    ts: timeIdOf(n),
    text: [message.word, ...message.parts.map(partText)].join('\n'),
    ...(thread === undefined ? {} : { thread_ts: timeIdOf(thread) }),
    ...(message.earlier.some(({ content }) => content !== undefined)
      ? { edited: { user: personId(message.sender), ts: `${timeOf(n) + 30}.000000` } }
      : {}),
    ...(message.file === undefined
      ? {}
      : {
          files: [
            {
              id: 'F1',
              name: file.name,
              url_private: `${slackFileAddress}${encodeURI(file.name)}?t=xoxe-1`,
            },
          ],
        }),
    ...(names.size === 0
      ? {}
      : { reactions: [...names].map(([name, users]) => ({ name, users, count: users.length })) }),
  };
}

/** Private conversations by the people in them. */
function conversationsOf({ messages }: ModelOrganization): Map<string, Row & { folder: string }> {
  const found = new Map<string, Row & { folder: string }>();
  for (const { to } of messages) {
    if (!('participants' in to) || found.has(to.participants.join())) continue;
    const n = found.size;
    const isGroup = to.participants.length > 2;
    found.set(to.participants.join(), {
      id: `${isGroup ? 'G' : 'D'}9${n}`,
      members: to.participants.map(personId),
      ...(isGroup ? { name: `mpdm-${n}` } : {}),
      folder: isGroup ? `mpdm-${n}` : `D9${n}`,
    });
  }
  return found;
}

/** The files of the archive. */
function filesOf(organization: ModelOrganization): Record<string, unknown> {
  const { people, streams, messages } = organization;
  const conversations = conversationsOf(organization);
  const channel = (n: number): Row => {
    const stream = at(streams, n);
    return {
      id: `C${n}`,
      name: stream.name,
      created: timeOf(0) - 60,
      is_archived: stream.isArchived,
      members: people.flatMap((_, person) => (isMember(stream, person) ? personId(person) : [])),
      purpose: { value: stream.description },
    };
  };
  const numbers = [...streams.keys()];
  const isPublic = (n: number): boolean => at(streams, n).kind === 'public';
  const listed = [...conversations.values()].map(({ folder: _folder, ...row }) => row);
  const days = new Map<string, Row[]>();
  const folderOf = ({ to }: ModelMessage): string =>
    'stream' in to
      ? at(streams, to.stream).name
      : (conversations.get(to.participants.join())?.folder ?? '');
  for (const [n, message] of messages.entries()) {
    const day = new Date(timeOf(n) * 1000).toISOString().slice(0, 10);
    const path = `${folderOf(message)}/${day}.json`;
    days.set(path, [...(days.get(path) ?? []), recordOf(organization, n)]);
  }
  return {
    'users.json': people.map((person, n) => ({
      id: personId(n),
      name: `p${n}`,
      deleted: !person.isActive,
      is_bot: person.isBot,
      is_admin: person.role === 'administrator',
      is_restricted: person.role === 'guest',
      profile: {
        real_name: person.name,
        ...(person.isBot ? { bot_id: `B${n}` } : { email: `P${n}@birch.example` }),
      },
    })),
    'channels.json': numbers.filter(isPublic).map(channel),
    'groups.json': numbers.filter((n) => !isPublic(n)).map(channel),
    'dms.json': listed.filter(({ name }) => name === undefined),
    'mpims.json': listed.filter(({ name }) => name !== undefined),
    ...Object.fromEntries(days),
  };
}

/** Writes the archive. */
export async function writeGeneratedSlack(
  path: string,
  organization: ModelOrganization,
): Promise<void> {
  await writeZip(
    path,
    Object.entries(filesOf(organization)).map(([name, content]) => ({
      name,
      content: JSON.stringify(content),
    })),
  );
}
