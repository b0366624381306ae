/** Writes a generated organization as a bulk export of a Mattermost team. */
import { at, isMember, linkedAddress, timeOf } from '../generated/organization.ts';
import type { ModelOrganization, TextPart } from '../generated/organization.ts';
import { isSamePlace } from '../generated/rules.ts';
import { onePixel, writeZip } from '../write-archives.ts';

type Row = Readonly<Record<string, unknown>>;

const username = (n: number): string => `p${n}`;
const milliseconds = (secs: number): number => secs * 1000 + 250;
const line = (type: string, value: Row): string => JSON.stringify({ type, [type]: value });

function partText(part: TextPart): string {
  switch (part.kind) {
    case 'plain':
      return part.text;
    case 'bold':
      return `__${part.text}__`;
    case 'code':
      return `\`${part.text}\``;
    case 'person':
      return `@${username(part.person)}`;
    case 'stream':
      return `~ch${part.stream}`;
    case 'link':
      return `[the keel](${linkedAddress})`;
    case 'emoji':
      return ':tada:';
    case 'everybody':
      return '@channel';
  }
}

function postOf({ messages, file }: ModelOrganization, n: number): Row {
  const message = at(messages, n);
  const isDirectRoot = 'participants' in message.to && message.root === undefined;
  return {
    user: username(message.sender),
    type: '',
    message: [message.word, ...message.parts.map(partText)].join('\n'),
    props: {},
    create_at: milliseconds(timeOf(n)),
    edit_at: message.earlier.some(({ content }) => content !== undefined)
      ? milliseconds(timeOf(n) + 30)
      : 0,
    flagged_by: message.starredBy.map(username),
    // The exporter does not write those of roots in direct messages.
    reactions: isDirectRoot
      ? null
      : message.reactions.map(({ person, emoji }) => ({
          user: username(person),
          emoji_name: emoji === 'custom' ? 'leaf' : emoji.name,
          create_at: milliseconds(timeOf(n) + 40),
        })),
    attachments: message.file === 'linked' ? [{ path: `2023/${file.name}` }] : null,
  };
}

function postLine(organization: ModelOrganization, n: number): string {
  const { messages } = organization;
  const { to } = at(messages, n);
  const replies = [...messages.entries()].filter(([, { root }]) => root === n);
  const post = {
    ...postOf(organization, n),
    replies:
      replies.length === 0 ? null : replies.map(([m]) => postOf(organization, m)).toReversed(),
  };
  return 'stream' in to
    ? line('post', { team: 'birch', channel: `ch${to.stream}`, ...post })
    : line('direct_post', { channel_members: to.participants.map(username), ...post });
}

function viewedAt(
  { messages, positions }: ModelOrganization,
  person: number,
  isPlace: (message: number) => boolean,
): number {
  const found = positions.find((one) => one.person === person && isPlace(one.message));
  return found === undefined || messages.length === 0 ? 0 : milliseconds(timeOf(found.message));
}

function userLine(organization: ModelOrganization, n: number): string {
  const { people, streams, messages } = organization;
  const person = at(people, n);
  const channels = [...streams.entries()].filter(([, stream]) => isMember(stream, n));
  return line('user', {
    username: username(n),
    email: `p${n}@birch.example`,
    first_name: person.name,
    last_name: '',
    roles: {
      administrator: 'system_admin system_user',
      member: 'system_user',
      guest: 'system_guest',
    }[person.role],
    delete_at: person.isActive ? 0 : milliseconds(timeOf(0)),
    teams: [
      {
        name: 'birch',
        roles: person.role === 'guest' ? 'team_guest' : 'team_user',
        channels: channels.map(([stream]) => ({
          name: `ch${stream}`,
          roles: 'channel_user',
          last_viewed_at: viewedAt(organization, n, (message) => {
            const { to } = at(messages, message);
            return 'stream' in to && to.stream === stream;
          }),
        })),
      },
    ],
  });
}

function directLines(organization: ModelOrganization): string[] {
  const { messages } = organization;
  const first = messages.flatMap(({ to }, n) =>
    'participants' in to && messages.findIndex((other) => isSamePlace(other, at(messages, n))) === n
      ? [{ to, n }]
      : [],
  );
  return first.map(({ to, n }) =>
    line('direct_channel', {
      participants: to.participants.map((person) => ({
        username: username(person),
        last_viewed_at: viewedAt(organization, person, (message) =>
          isSamePlace(at(messages, message), at(messages, n)),
        ),
      })),
    }),
  );
}

/** Writes the archive. Posts are in the order of their random ids, not of time. */
export async function writeGeneratedMattermost(
  path: string,
  organization: ModelOrganization,
): Promise<void> {
  const { people, streams, messages, file } = organization;
  const posts = [...messages.entries()]
    .filter(([, { root }]) => root === undefined)
    .toSorted(([, one], [, other]) => (one.word < other.word ? -1 : 1));
  const lines = [
    JSON.stringify({ type: 'version', version: 1 }),
    line('team', { name: 'birch', display_name: 'Birch', type: 'O', description: '' }),
    ...streams.map((stream, n) =>
      line('channel', {
        team: 'birch',
        name: `ch${n}`,
        display_name: stream.name,
        type: stream.kind === 'public' ? 'O' : 'P',
        purpose: stream.description,
        header: '',
        deleted_at: stream.isArchived ? milliseconds(timeOf(0)) : 0,
      }),
    ),
    ...people.flatMap(({ isBot }, n) => (isBot ? [] : userLine(organization, n))),
    ...people.flatMap(({ isBot, name }, n) =>
      isBot ? line('bot', { username: username(n), display_name: name, owner: username(0) }) : [],
    ),
    ...posts.map(([n]) => postLine(organization, n)),
    line('emoji', { name: 'leaf', image: 'emoji/e1/image' }),
    ...directLines(organization),
  ];
  await writeZip(path, [
    { name: 'import.jsonl', content: `${lines.join('\n')}\n` },
    { name: `data/2023/${file.name}`, content: file.content },
    { name: 'data/emoji/e1/image', content: onePixel },
  ]);
}
