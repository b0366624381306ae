/** What each format carries of a generated organization, in the words of Parley. */
import { slackFileAddress, writeGeneratedSlack } from '../writers/slack.ts';
import { writeGeneratedMattermost } from '../writers/mattermost.ts';
import { writeGeneratedZulip } from '../writers/zulip.ts';
import { at, linkedAddress, timeOf, topicOf } from './organization.ts';
import type { ModelOrganization, TextPart } from './organization.ts';
import { mayLink, opensFile } from './rules.ts';
import type { SourceName } from './rules.ts';

export const writers = {
  zulip: writeGeneratedZulip,
  slack: writeGeneratedSlack,
  mattermost: writeGeneratedMattermost,
} as const satisfies Record<SourceName, unknown>;

/** A message as its readers get it. */
export type CarriedMessage = {
  readonly sender: string;
  /** The stream and topic, or the names of the participants. */
  readonly to: readonly string[];
  readonly content: string;
  readonly sentAt: number;
  readonly editedAt: number | undefined;
  /** The emoji and who reacted. */
  readonly reactions: readonly string[];
};

/** The name of a stream here. */
export function streamName({ streams }: ModelOrganization, stream: number): string {
  const { name, isArchived } = at(streams, stream);
  return isArchived ? `!DEACTIVATED:${name}` : name;
}

/** Paths of files, whose random part is drawn by the import. */
export function withoutPaths(content: string): string {
  return content.replaceAll(/\/user_uploads\/[^\s)]+\//g, '/user_uploads/…/');
}

function contentOf(
  source: SourceName,
  organization: ModelOrganization,
  n: number,
  userIds: readonly number[],
): string {
  const { messages, people, file } = organization;
  const message = at(messages, n);
  const textOf = (part: TextPart): string => {
    switch (part.kind) {
      case 'plain':
        return part.text;
      case 'bold':
        return `**${part.text}**`;
      case 'code':
        return `\`${part.text}\``;
      case 'person':
        return `@**${at(people, part.person).name}|${at(userIds, part.person)}**`;
      case 'stream':
        if (mayLink(organization, message, part.stream))
          return `#**${streamName(organization, part.stream)}**`;
        return source === 'mattermost' ? `~ch${part.stream}` : '#private channel';
      case 'link':
        return `[the keel](${linkedAddress})`;
      case 'emoji':
        return ':tada:';
      case 'everybody':
        return '@**all**';
    }
  };
  const links = {
    zulip: message.file === undefined ? undefined : '/user_uploads/…/',
    slack: message.file === undefined ? undefined : slackFileAddress,
    mattermost: opensFile(source, message) ? '/user_uploads/…/' : undefined,
  };
  const folder = links[source];
  const isReply = source !== 'zulip' && 'participants' in message.to && message.root !== undefined;
  return [
    ...(isReply ? [`> ${at(messages, message.root).word}`, ''] : []),
    message.word,
    ...message.parts.map(textOf),
    ...(folder === undefined ? [] : [`[${file.name}](${folder}${encodeURI(file.name)})`]),
  ].join('\n');
}

/** @param userIds the new ids of the people */
export function carriedMessage(
  source: SourceName,
  organization: ModelOrganization,
  n: number,
  userIds: readonly number[],
): CarriedMessage {
  const { people, messages } = organization;
  const { sender, to, earlier, root, reactions } = at(messages, n);
  const name = (person: number): string => at(people, person).name;
  const isEdited =
    source === 'zulip' ? earlier.length > 0 : earlier.some(({ content }) => content !== undefined);
  // Mattermost does not export those of first messages in private conversations.
  const hasReactions = source !== 'mattermost' || 'stream' in to || root !== undefined;
  return {
    sender: name(sender),
    to:
      'stream' in to
        ? [streamName(organization, to.stream), topicOf(organization, n)]
        : to.participants.map(name).toSorted(),
    content: contentOf(source, organization, n, userIds),
    sentAt: timeOf(n),
    editedAt: isEdited ? timeOf(n) + 30 : undefined,
    reactions: (hasReactions ? reactions : [])
      .filter(({ emoji }) => source !== 'slack' || emoji !== 'custom')
      .map(({ person, emoji }) => `${emoji === 'custom' ? 'leaf' : emoji.name} ${name(person)}`)
      .toSorted(),
  };
}

/** @returns the marked words that a message and its past show */
export function wordsOf(source: SourceName, organization: ModelOrganization, n: number): string[] {
  const { word, earlier } = at(organization.messages, n);
  const past = earlier.flatMap(({ content, topic }) => [content ?? [], topic ?? []].flat());
  return source === 'zulip' ? [word, ...past] : [word];
}
