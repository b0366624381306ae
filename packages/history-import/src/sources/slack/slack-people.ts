/** People and bots of a Slack workspace: those that are listed, and those that only messages name. */
import { foldName } from '@parley/api';
import type { Role } from '@parley/api';
import { isEmailShaped, isSameMailbox } from '@parley/people';

import type { Ledger, Place } from '../../ledger.ts';
import { cleanFullName } from '../../reading/names.ts';
import type { Row } from '../../reading/row.ts';
import { isTimezone } from '../../reading/timezones.ts';
import type { ArchiveFile, PersonRecord } from '../../records.ts';

/** Of somebody, beside the place: names and settings, and the account. */
const keptPersonBytes = 800;

export const slackbot = 'USLACKBOT';

function roleOf(row: Row, isForeign: boolean): Role {
  const isAdministrator =
    row.isTrue('is_primary_owner') || row.isTrue('is_owner') || row.isTrue('is_admin');
  if (isAdministrator && !isForeign) return 'administrator';
  return row.isTrue('is_restricted') || row.isTrue('is_ultra_restricted') || isForeign
    ? 'guest'
    : 'member';
}

const firstOf = (...names: readonly (string | undefined)[]): string =>
  names.find((name) => name !== undefined && name.trim() !== '') ?? '';

/** Everybody by the ids of Slack. */
export class SlackPeople {
  readonly people: PersonRecord[] = [];
  readonly #indexes = new Map<string, number>();
  /** The first of those whose addresses fold to the same. */
  readonly #byEmail = new Map<string, { readonly index: number; readonly email: string }>();
  readonly #ledger: Ledger;
  readonly #homeTeam: string | undefined;

  /** @param homeTeam the id of the workspace, if it is known */
  constructor(ledger: Ledger, homeTeam: string | undefined) {
    this.#ledger = ledger;
    this.#homeTeam = homeTeam;
  }

  indexOf(id: string): number | undefined {
    return this.#indexes.get(id);
  }

  /** Adds an element of `users.json`. */
  add(row: Row, place: Place): void {
    const id = row.text('id');
    if (this.#indexes.has(id))
      return this.#ledger.merged('users.json', 'the id is listed twice', place);
    const profile = row.row('profile');
    const written = (profile.findText('email') ?? '').trim();
    const email = isEmailShaped(written) ? written : undefined;
    // Who has let an app act for him (`is_app_user`) is a person.
    const isBot = row.isTrue('is_bot') || id === slackbot;
    const isForeign = this.#isForeign(row);
    const role = roleOf(row, isForeign);
    const isGone = row.isTrue('deleted') || isForeign;
    const same = email === undefined ? undefined : this.#byEmail.get(foldName(email));
    const other = same === undefined ? undefined : this.people[same.index];
    const isSame = same !== undefined && email !== undefined && isSameMailbox(same.email, email);
    if (isSame && other !== undefined && (isGone || !other.isActive)) {
      // A copy from another workspace, or the account of before: one person.
      this.#name(id, profile, same.index);
      if (!isGone) this.people[same.index] = { ...other, role, isActive: true };
      return this.#ledger.merged('users.json', 'another account has the same address', place);
    }
    const timezone = row.findText('tz') ?? '';
    if (isForeign && !isBot) this.#ledger.remark('people of other workspaces, who are deactivated');
    this.#ledger.keep(keptPersonBytes);
    this.#name(id, profile, this.people.length);
    if (email !== undefined && same === undefined)
      this.#byEmail.set(foldName(email), { index: this.people.length, email });
    this.people.push({
      place,
      email: same === undefined && !isBot ? email : undefined,
      handle: row.findText('name') ?? id,
      fullName: cleanFullName(
        firstOf(
          profile.findText('real_name'),
          row.findText('real_name'),
          profile.findText('display_name'),
          row.findText('name'),
        ),
        id === slackbot ? 'Slackbot' : `Person ${id}`,
      ),
      role,
      isActive: !isGone && !isBot,
      ...(isBot ? { bot: { type: 1, owner: undefined } } : {}),
      timezone: isTimezone(timezone) ? timezone : '',
      settings: {},
      joinedAt: undefined,
      alertWords: [],
    });
    return this.#ledger.imported('users.json');
  }

  /** Whether somebody is here as a guest of a shared channel. In Enterprise Grid a person has one home and is in several workspaces. */
  #isForeign(row: Row): boolean {
    const team = row.findText('team_id') ?? '';
    const isElsewhere =
      team !== '' &&
      this.#homeTeam !== undefined &&
      team !== this.#homeTeam &&
      !row.row('enterprise_user').list('teams').includes(this.#homeTeam);
    return isElsewhere || row.isTrue('is_stranger');
  }

  #name(id: string, profile: Row, index: number): void {
    this.#indexes.set(id, index);
    const botId = profile.findText('bot_id');
    if (botId !== undefined && botId !== '') this.#indexes.set(botId, index);
  }

  /** Gives a picture to somebody who has none yet. */
  setAvatar(id: string, avatar: { readonly place: Place; readonly file: ArchiveFile }): void {
    const index = this.#indexes.get(id);
    const person = index === undefined ? undefined : this.people[index];
    if (index !== undefined && person !== undefined && person.avatar === undefined)
      this.people[index] = { ...person, avatar };
  }

  /** @returns somebody whom only messages name, made as a deactivated account if unknown */
  ensure(id: string, name: string | undefined, isBot: boolean): number {
    const known = this.#indexes.get(id);
    if (known !== undefined) return known;
    const index = this.people.length;
    this.#indexes.set(id, index);
    this.#ledger.keep(keptPersonBytes);
    this.#ledger.remark('people and bots that only messages name');
    this.people.push({
      place: { file: 'messages', at: id },
      email: undefined,
      handle: id,
      fullName: cleanFullName(name ?? '', isBot ? `Bot ${id}` : `Person ${id}`),
      role: isBot ? 'member' : 'guest',
      isActive: false,
      ...(isBot ? { bot: { type: 1, owner: undefined } } : {}),
      timezone: '',
      settings: {},
      joinedAt: undefined,
      alertWords: [],
    });
    return index;
  }
}
