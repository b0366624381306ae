/** Channels and private conversations of a Slack workspace. */
import { limits } from '@parley/api';

import { RecordFault } from '../../import-fault.ts';
import type { Ledger, Place } from '../../ledger.ts';
import { UniqueNames, cleanName, cutTo } from '../../reading/names.ts';
import type { Row } from '../../reading/row.ts';
import type { StreamRecord } from '../../records.ts';
import { SubscriptionList } from '../../subscription-list.ts';
import type { SlackPeople } from './slack-people.ts';
import { noNames, translateMrkdwn } from './slack-mrkdwn.ts';

export const conversationFiles = [
  'channels.json',
  'groups.json',
  'dms.json',
  'mpims.json',
] as const;

/** A channel or a private conversation, with the folder of its days. */
export type SlackConversation = {
  readonly id: string;
  readonly folder: string;
  /** The number of its stream; undefined for a private conversation. */
  readonly stream: number | undefined;
  /** Ids of people. */
  readonly members: Set<string>;
  /** Whether it stands for several, of which nobody else than their common members may read all. */
  isJoined: boolean;
};

/** Before Slack, so unknown. */
const firstSecs = 1_356_998_400;

/** What is kept of a member of a channel. */
const memberBytes = 160;

function descriptionOf(row: Row): string {
  const parts = [row.row('purpose').findText('value'), row.row('topic').findText('value')]
    .map((part) => translateMrkdwn(part ?? '', noNames).replaceAll(/\s*\n\s*/g, ' '))
    .filter((part) => part !== '');
  return cutTo([...new Set(parts)].join(' · '), limits.streamDescriptionMaxCodePoints);
}

export class SlackChannels {
  readonly streams: StreamRecord[] = [];
  readonly conversations: SlackConversation[] = [];
  readonly #byFolder = new Map<string, SlackConversation>();
  readonly #byId = new Map<string, SlackConversation>();
  readonly #names = new UniqueNames(limits.streamNameMaxCodePoints);
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  inFolder(folder: string): SlackConversation | undefined {
    return this.#byFolder.get(folder);
  }

  ofId(id: string): SlackConversation | undefined {
    return this.#byId.get(id);
  }

  /** Adds an element of one of the four files. */
  add(file: (typeof conversationFiles)[number], row: Row, place: Place): void {
    const id = row.text('id');
    const isChannel = file === 'channels.json' || file === 'groups.json';
    const members = new Set(row.list('members').filter((member) => typeof member === 'string'));
    const folder = (file === 'dms.json' ? id : row.text('name')).normalize('NFC');
    if (folder === '' || folder.includes('/')) throw new RecordFault('its name cannot be a folder');
    const same = this.#byId.get(id) ?? this.#byFolder.get(folder);
    if (same !== undefined) return this.#merge(same, file, id, members, place);
    this.#ledger.keep(members.size * memberBytes);
    const conversation: SlackConversation = {
      id,
      folder,
      stream: isChannel ? this.streams.length : undefined,
      members,
      isJoined: false,
    };
    if (isChannel) this.streams.push(this.#streamOf(row, place, file === 'groups.json'));
    this.conversations.push(conversation);
    this.#byFolder.set(folder, conversation);
    this.#byId.set(id, conversation);
    return this.#ledger.imported(file);
  }

  /** Two records of one channel, or two channels whose messages are in one folder: the stricter access, and whom both name. */
  #merge(
    same: SlackConversation,
    file: (typeof conversationFiles)[number],
    id: string,
    members: ReadonlySet<string>,
    place: Place,
  ): void {
    same.isJoined = true;
    for (const member of same.members) if (!members.has(member)) same.members.delete(member);
    const stream = same.stream === undefined ? undefined : this.streams[same.stream];
    const isPrivate = file !== 'channels.json' || stream?.isPrivate === true;
    if (same.stream !== undefined && stream !== undefined)
      this.streams[same.stream] = {
        ...stream,
        isPrivate,
        isDefault: stream.isDefault && !isPrivate,
      };
    this.#byId.set(id, same);
    this.#ledger.merged(file, 'another conversation has its id or its folder', place);
  }

  #streamOf(row: Row, place: Place, isPrivate: boolean): StreamRecord {
    const isArchived = row.isTrue('is_archived');
    const written = row.text('name');
    const plain = cleanName(written, limits.streamNameMaxCodePoints) || 'unnamed';
    // As a stream is called here from when it is archived.
    const name = this.#names.take(
      isArchived ? cutTo(`!DEACTIVATED:${plain}`, limits.streamNameMaxCodePoints) : plain,
    );
    if (!isArchived) this.#ledger.named('stream', written, name);
    const created = row.findTime('created') ?? 0;
    return {
      place,
      name,
      description: descriptionOf(row),
      isPrivate,
      sharesHistory: true,
      isAnnouncementOnly: false,
      isArchived,
      isDefault: row.isTrue('is_general') && !isPrivate && !isArchived,
      createdAt: created < firstSecs ? undefined : created,
      creator: undefined,
    };
  }

  /** @returns the memberships of streams; people that are not listed are made */
  subscriptions(people: SlackPeople): SubscriptionList {
    const found = new SubscriptionList();
    for (const { stream, members } of this.conversations) {
      if (stream === undefined) continue;
      const indexes = new Set([...members].map((id) => people.ensure(id, undefined, false)));
      for (const person of indexes)
        found.add({
          person,
          stream,
          color: undefined,
          isMuted: false,
          pinToTop: false,
          notifications: {
            desktop: null,
            audible: null,
            push: null,
            email: null,
            wildcardMentions: null,
          },
        });
    }
    return found;
  }
}
