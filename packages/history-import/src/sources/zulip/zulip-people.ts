/** People and bots of the reference server's export. */
import { foldName } from '@parley/api';
import type { BotType, Role } from '@parley/api';
import { emojisets, notificationSounds, userSettingDefaults } from '@parley/api/people';
import type { UserSettings } from '@parley/api/people';
import { isEmailShaped, isSameMailbox } from '@parley/people';

import type { Ledger, Place } from '../../ledger.ts';
import { cleanFullName } from '../../reading/names.ts';
import type { Row } from '../../reading/row.ts';
import { isTimezone } from '../../reading/timezones.ts';
import type { PersonRecord } from '../../records.ts';
import { eachRow } from './zulip-tables.ts';
import type { PlacedRow, RealmTables } from './zulip-tables.ts';

/** People by their old ids. */
export type ZulipPeople = {
  readonly people: readonly PersonRecord[];
  readonly indexOf: (oldId: number) => number | undefined;
  /** People that get messages later than they are sent, with the last message that they got at once. */
  readonly idle: ReadonlyMap<number, number>;
};

const roles: Readonly<Record<number, Role>> = {
  100: 'administrator',
  200: 'administrator',
  300: 'member',
  400: 'member',
  600: 'guest',
};

function roleOf(row: Row): Role {
  const role = row.findInteger('role');
  if (role !== undefined) return roles[role] ?? 'member';
  if (row.isTrue('is_realm_admin')) return 'administrator';
  return row.isTrue('is_guest') ? 'guest' : 'member';
}

const languagePattern = /^[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?$/;

/** Settings of which only some texts are possible. */
const knownTexts = new Map<string, (value: string) => boolean>([
  ['default_language', (value) => languagePattern.test(value)],
  ['emojiset', (value) => emojisets.some(({ key }) => key === value)],
  ['notification_sound', (value) => notificationSounds.includes(value)],
]);

function settingsOf(row: Row): Partial<UserSettings> {
  const settings: Record<string, unknown> = {};
  for (const [name, usual] of Object.entries(userSettingDefaults)) {
    const value = row.value(name);
    const isPossible = typeof value !== 'string' || (knownTexts.get(name)?.(value) ?? true);
    if (typeof value === typeof usual && !Array.isArray(usual) && isPossible)
      settings[name] = value;
  }
  const sounds = row.findBoolean('enable_stream_sounds');
  if (sounds !== undefined) settings['enable_stream_audible_notifications'] = sounds;
  const scheme = row.findInteger('color_scheme');
  if (scheme !== undefined) settings['night_mode'] = scheme === 2;
  return settings;
}

function botOf(
  row: Row,
  indexOf: (oldId: number) => number | undefined,
): NonNullable<PersonRecord['bot']> | undefined {
  if (!row.isTrue('is_bot')) return undefined;
  const type = row.findInteger('bot_type') ?? 1;
  const owner = row.findInteger('bot_owner');
  return {
    type: (type >= 1 && type <= 4 ? type : 1) as BotType,
    owner: owner === undefined ? undefined : indexOf(owner),
  };
}

function wordsOf(row: Row): string[] {
  const text = row.findText('alert_words');
  if (text === undefined || text === '') return [];
  try {
    const words: unknown = JSON.parse(text);
    return Array.isArray(words) ? words.filter((word) => typeof word === 'string') : [];
  } catch {
    return [];
  }
}

/** The part before the `@` is the same on every server; the domain is a setting. */
const systemBots = new Set(['notification-bot', 'welcome-bot', 'emailgateway']);

class PeopleReader {
  readonly people: PersonRecord[] = [];
  readonly indexes = new Map<number, number>();
  readonly idle = new Map<number, number>();
  /** The first of those whose addresses fold to the same. */
  readonly #byEmail = new Map<
    string,
    { readonly index: number; readonly isDummy: boolean; readonly email: string }
  >();
  readonly #wordsOf: ReadonlyMap<number, readonly string[]>;
  readonly #ledger: Ledger;

  constructor(ledger: Ledger, words: ReadonlyMap<number, readonly string[]>) {
    this.#ledger = ledger;
    this.#wordsOf = words;
  }

  addSystemBot({ row, place }: PlacedRow): void {
    const email = row.text('email');
    const handle = email.split('@')[0] ?? '';
    const isKnown = systemBots.has(handle);
    this.indexes.set(row.integer('id'), this.people.length);
    this.people.push({
      ...basics(place, handle, cleanFullName(handle, 'System bot')),
      ...(isKnown ? { systemBot: handle } : { bot: { type: 1, owner: undefined } }),
    });
    if (isKnown)
      this.#ledger.merged(
        'zerver_userprofile_crossrealm',
        'every organization has this bot',
        place,
      );
    else this.#ledger.imported('zerver_userprofile_crossrealm');
  }

  add({ row, place }: PlacedRow, table: string, isDummyTable: boolean): void {
    const oldId = row.integer('id');
    const isDummy = isDummyTable || row.isTrue('is_mirror_dummy') || row.isTrue('is_imported_stub');
    const written = (row.findText('delivery_email') ?? row.findText('email') ?? '').trim();
    const handle = written.split('@')[0] ?? '';
    const email = isEmailShaped(written) ? written : undefined;
    const same = email === undefined ? undefined : this.#byEmail.get(foldName(email));
    if (
      same !== undefined &&
      email !== undefined &&
      isSameMailbox(same.email, email) &&
      (same.isDummy || isDummy)
    ) {
      this.indexes.set(oldId, same.index);
      this.#ledger.merged(table, 'another account has the same address', place);
      return;
    }
    if (email === undefined) this.#ledger.remark('people without a usable address');
    if (same !== undefined) this.#ledger.remark('people whose address another person has');
    const index = this.people.length;
    if (email !== undefined && same === undefined)
      this.#byEmail.set(foldName(email), { index, isDummy, email });
    this.indexes.set(oldId, index);
    if (row.isTrue('long_term_idle'))
      this.idle.set(index, row.findInteger('last_active_message_id') ?? 0);
    const bot = botOf(row, () => undefined);
    const timezone = row.findText('timezone') ?? '';
    this.people.push({
      ...basics(place, handle, cleanFullName(row.text('full_name'), handle || `Person ${oldId}`)),
      email: same === undefined ? email : undefined,
      role: roleOf(row),
      isActive: row.isTrue('is_active') && !isDummy && (bot === undefined || bot.type < 3),
      ...(bot === undefined ? {} : { bot }),
      timezone: isTimezone(timezone) ? timezone : '',
      settings: settingsOf(row),
      joinedAt: row.findTime('date_joined'),
      alertWords: [...wordsOf(row), ...(this.#wordsOf.get(oldId) ?? [])],
    });
    this.#ledger.imported(table);
  }

  /** Owners are known when all are. */
  setOwner({ row }: PlacedRow): void {
    const index = this.indexes.get(row.findInteger('id') ?? -1);
    const person = index === undefined ? undefined : this.people[index];
    if (index === undefined || person?.bot === undefined) return;
    const bot = botOf(row, (oldId) => this.indexes.get(oldId));
    if (bot !== undefined) this.people[index] = { ...person, bot };
  }
}

function basics(place: Place, handle: string, fullName: string): PersonRecord {
  return {
    place,
    email: undefined,
    handle,
    fullName,
    role: 'member',
    isActive: false,
    timezone: '',
    settings: {},
    joinedAt: undefined,
    alertWords: [],
  };
}

/** Reads the three tables of accounts. */
export function readZulipPeople({ rows }: RealmTables, ledger: Ledger): ZulipPeople {
  const words = new Map<number, string[]>();
  for (const { row, place } of rows.zerver_alertword) {
    const person = row.findInteger('user_profile');
    const word = row.findText('word');
    if (person === undefined || word === undefined)
      ledger.unreadable('zerver_alertword', 'it lacks a person or a word', place, '');
    else {
      words.set(person, [...(words.get(person) ?? []), word]);
      ledger.imported('zerver_alertword');
    }
  }
  const reader = new PeopleReader(ledger, words);
  const accounts = 'zerver_userprofile';
  const dummies = 'zerver_userprofile_mirrordummy';
  const systems = 'zerver_userprofile_crossrealm';
  eachRow(systems, rows[systems], ledger, (placed) => reader.addSystemBot(placed));
  eachRow(accounts, rows[accounts], ledger, (placed) => reader.add(placed, accounts, false));
  eachRow(dummies, rows[dummies], ledger, (placed) => reader.add(placed, dummies, true));
  for (const placed of rows[accounts]) reader.setOwner(placed);
  return {
    people: reader.people,
    indexOf: (oldId) => reader.indexes.get(oldId),
    idle: reader.idle,
  };
}
