/** People, bots, channels and memberships of a Mattermost team. */
import { foldName, limits } from '@parley/api';
import type { Role } from '@parley/api';
import { isEmailShaped } from '@parley/people';

import { RecordFault } from '../../import-fault.ts';
import type { Ledger, Place } from '../../ledger.ts';
import { UniqueNames, cleanFullName, cleanName, cutTo } from '../../reading/names.ts';
import { Row, isRecord } from '../../reading/row.ts';
import { findTimeMs } from './mattermost-posts.ts';
import type { ArchiveFile, PersonRecord, ReadPositionRecord, StreamRecord } from '../../records.ts';
import { SubscriptionList } from '../../subscription-list.ts';

const hasRole = (row: Row, role: string): boolean =>
  (row.findText('roles') ?? '').split(/\s+/).includes(role);

/** Of somebody whom no line describes, beside the place. */
const keptPersonBytes = 600;
/** Of a membership, beside the line of its person. */
const membershipBytes = 240;

export class MattermostPeople {
  readonly people: PersonRecord[] = [];
  readonly subscriptions = new SubscriptionList();
  readonly positions: ReadPositionRecord[] = [];
  readonly #indexes = new Map<string, number>();
  /** Who has an address, by the address without regard to case. */
  readonly #holders = new Map<string, number>();
  readonly #pairs = new Set<string>();
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  indexOf(username: string): number | undefined {
    return this.#indexes.get(username.toLowerCase());
  }

  /**
   * Adds a `user` line, whose memberships follow when channels are known.
   *
   * @param team the membership of the team that is imported
   */
  addUser(row: Row, place: Place, team: Row | undefined, image: ArchiveFile | undefined): void {
    const username = row.text('username').toLowerCase();
    if (this.#indexes.has(username))
      return this.#ledger.merged('user', 'the username is listed twice', place);
    const written = (row.findText('email') ?? '').trim();
    const isUsable = isEmailShaped(written) && !written.endsWith('@localhost');
    const isDeleted = (row.findNumber('delete_at') ?? 0) > 0;
    const isGone = isDeleted || team === undefined;
    const hasAddress = isUsable && this.#takeAddress(written, isGone);
    const words = (row.row('notify_props').findText('mention_keys') ?? '').split(',');
    const locale = row.findText('locale') ?? '';
    if (team === undefined && !isDeleted)
      this.#ledger.remark('people of other teams, who are deactivated');
    this.#indexes.set(username, this.people.length);
    this.people.push({
      place,
      email: hasAddress ? written : undefined,
      handle: username,
      fullName: cleanFullName(
        [row.findText('first_name'), row.findText('last_name')].filter(Boolean).join(' ') ||
          row.findText('nickname') ||
          username,
        `Person ${username}`,
      ),
      role: roleOf(row, team),
      isActive: !isGone,
      timezone: '',
      settings: {
        ...(/^[a-z]{2,3}(?:-[A-Za-z]{2,4})?$/.test(locale) ? { default_language: locale } : {}),
        ...(row.value('military_time') === 'true' || row.isTrue('military_time')
          ? { twenty_four_hour_time: true }
          : {}),
      },
      joinedAt: undefined,
      alertWords: words
        .map((word) => word.trim())
        .filter((word) => word !== '' && !word.includes(username)),
      ...(image === undefined ? {} : { avatar: { place, file: image } }),
    });
    return this.#ledger.imported('user');
  }

  /** @returns whether the person who is added next has the address; of several it is the first active one, or else the first */
  #takeAddress(address: string, isGone: boolean): boolean {
    const folded = foldName(address);
    const index = this.#holders.get(folded);
    const holder = index === undefined ? undefined : this.people[index];
    if (index !== undefined && holder !== undefined) {
      this.#ledger.remark('people whose address another person has');
      if (isGone || holder.isActive) return false;
      this.people[index] = { ...holder, email: undefined };
    }
    this.#holders.set(folded, this.people.length);
    return true;
  }

  addBot(row: Row, place: Place): void {
    const username = row.text('username').toLowerCase();
    const known = this.indexOf(username);
    const owner = this.indexOf(row.findText('owner') ?? '');
    const bot = { type: 1 as const, owner };
    const person = known === undefined ? undefined : this.people[known];
    if (known !== undefined && person !== undefined) {
      this.people[known] = { ...person, email: undefined, isActive: false, bot };
      return this.#ledger.merged('bot', 'a user has its name', place);
    }
    this.ensure(username, row.findText('display_name'));
    const index = this.people.length - 1;
    const made = this.people[index];
    if (made !== undefined) this.people[index] = { ...made, bot };
    return this.#ledger.imported('bot');
  }

  /** @returns somebody whom only posts or conversations name, made as a deactivated account if unknown */
  ensure(name: string, fullName?: string): number {
    const username = name.toLowerCase();
    const known = this.#indexes.get(username);
    if (known !== undefined) return known;
    this.#ledger.keep(keptPersonBytes);
    this.#indexes.set(username, this.people.length);
    this.people.push({
      place: { file: 'posts', at: username },
      email: undefined,
      handle: username,
      fullName: cleanFullName(fullName ?? username, `Person ${username}`),
      role: 'member',
      isActive: false,
      timezone: '',
      settings: {},
      joinedAt: undefined,
      alertWords: [],
    });
    return this.people.length - 1;
  }

  /** Adds the memberships of a user line. */
  addMemberships(row: Row, team: Row, channels: MattermostChannels, place: Place): void {
    const person = this.indexOf(row.findText('username') ?? '');
    const isGone = (row.findNumber('delete_at') ?? 0) > 0;
    for (const membership of team.list('channels')) {
      const of = new Row(isRecord(membership) ? membership : {});
      const stream = channels.indexOf(of.findText('name') ?? '');
      if (person === undefined || stream === undefined) {
        this.#ledger.skipped('membership', 'its channel is not in the archive', place);
        continue;
      }
      const pair = `${person} ${stream}`;
      if (this.#pairs.has(pair)) {
        this.#ledger.merged('membership', 'it is listed twice', place);
        continue;
      }
      this.#pairs.add(pair);
      this.#ledger.keep(0, membershipBytes);
      const props = of.row('notify_props');
      this.subscriptions.add({
        person,
        stream,
        color: undefined,
        isMuted: props.findText('mark_unread') === 'mention',
        pinToTop: of.isTrue('favorite'),
        notifications: {
          desktop: props.findText('desktop') === 'none' ? false : null,
          audible: null,
          push: null,
          email: null,
          wildcardMentions: props.findText('ignore_channel_mentions') === 'on' ? false : null,
        },
      });
      this.#ledger.imported('membership');
      const viewedAt = findTimeMs(of, 'last_viewed_at') ?? 0;
      if (viewedAt > 0 && !isGone)
        this.positions.push({ person, place: { stream }, readUpTo: viewedAt });
    }
  }
}

function roleOf(row: Row, team: Row | undefined): Role {
  if (hasRole(row, 'system_admin') || (team !== undefined && hasRole(team, 'team_admin')))
    return 'administrator';
  const isGuest =
    hasRole(row, 'system_guest') || (team !== undefined && hasRole(team, 'team_guest'));
  return isGuest ? 'guest' : 'member';
}

/** The channels of one team, by name. */
export class MattermostChannels {
  readonly streams: StreamRecord[] = [];
  readonly #indexes = new Map<string, number>();
  readonly #names = new UniqueNames(limits.streamNameMaxCodePoints);
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  indexOf(name: string): number | undefined {
    return this.#indexes.get(name);
  }

  add(row: Row, place: Place): void {
    const name = row.text('name');
    if (name === '') throw new RecordFault('it has no name');
    if (this.#indexes.has(name))
      return this.#ledger.merged('channel', 'the channel is listed twice', place);
    const type = row.text('type');
    if (type !== 'O' && type !== 'P') throw new RecordFault('its type is unknown');
    const isArchived = (row.findNumber('deleted_at') ?? 0) > 0;
    const max = limits.streamNameMaxCodePoints;
    const shown = cleanName(row.findText('display_name') ?? '', max) || cleanName(name, max);
    const written = isArchived ? cutTo(`!DEACTIVATED:${shown}`, max) : shown;
    const unique = this.#names.take(written);
    this.#ledger.named('stream', written, unique);
    const description = [row.findText('purpose'), row.findText('header')]
      .map((part) => (part ?? '').replaceAll(/\s*\n\s*/g, ' ').trim())
      .filter((part) => part !== '');
    this.#indexes.set(name, this.streams.length);
    this.streams.push({
      place,
      name: unique,
      description: cutTo(
        [...new Set(description)].join(' · '),
        limits.streamDescriptionMaxCodePoints,
      ),
      isPrivate: type === 'P',
      sharesHistory: true,
      isAnnouncementOnly: false,
      isArchived,
      isDefault: name === 'town-square' && type === 'O' && !isArchived,
      createdAt: undefined,
      creator: undefined,
    });
    return this.#ledger.imported('channel');
  }
}
