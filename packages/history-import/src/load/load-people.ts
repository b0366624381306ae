/** Creates the accounts of an import. */
import { foldName } from '@parley/api';
import { isEmailShaped, isSameMailbox } from '@parley/people';
import type { KeySecrets } from '@parley/auth/secrets';
import { addAlertWords, createUsers } from '@parley/store';
import { setImportedAccounts } from '@parley/store/imports';
import type { EmailPolicy, NewUser, User } from '@parley/store';
import type { Client } from '@parley/database';
import { limits } from '@parley/api';

import { ImportFault } from '../import-fault.ts';
import type { Ledger } from '../ledger.ts';
import { cutTo } from '../reading/names.ts';
import type { PersonRecord } from '../records.ts';

const accountsPerStatement = 500;

/** Addresses that are made from names for people whose own cannot be used. */
class MadeAddresses {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  make(handle: string, domain: string): string {
    const plain = handle
      .normalize('NFKD')
      .replaceAll(/\p{M}/gu, '')
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]+/g, '-')
      .replaceAll(/^[.-]+|[.-]+$/g, '')
      .slice(0, 60);
    for (let n = 1; ; n += 1) {
      const address = `${plain === '' ? 'person' : plain}${n === 1 ? '' : `-${n}`}@${domain}`;
      const folded = foldName(address);
      if (this.#taken.has(folded) || !isEmailShaped(address)) continue;
      this.#taken.add(folded);
      return address;
    }
  }
}

export type PeopleOptions = {
  readonly sourceName: string;
  /** The address, user name or full name of who becomes an administrator. */
  readonly administrator: string;
  /** Where people without an address get one. */
  readonly emailDomain: string | undefined;
  readonly keySecrets: KeySecrets;
  readonly emailPolicy: EmailPolicy;
  /** The change at which the accounts begin. */
  readonly beginChangeId: number;
  readonly systemBots: readonly User[];
  readonly ledger: Ledger;
};

/** The accounts by the numbers of their records. */
export type LoadedPeople = {
  readonly users: readonly User[];
  readonly isActive: readonly boolean[];
  readonly administrator: number;
};

/** @throws ImportFault if it is nobody in the source, or one of several */
function findAdministrator(people: readonly PersonRecord[], named: string): number {
  const wanted = named.trim();
  const indexesOf = (isMeant: (person: PersonRecord) => boolean): number[] =>
    people.flatMap((person, index) =>
      person.bot === undefined && person.systemBot === undefined && isMeant(person) ? index : [],
    );
  const [byAddress] = indexesOf(({ email }) => email !== undefined && isSameMailbox(email, wanted));
  if (byAddress !== undefined) return byAddress;
  const isCalled = (name: string): boolean => foldName(name) === foldName(wanted);
  const byHandle = indexesOf(({ handle }) => isCalled(handle));
  const found = byHandle.length > 0 ? byHandle : indexesOf(({ fullName }) => isCalled(fullName));
  const [index] = found;
  if (found.length > 1)
    throw new ImportFault(
      `${found.length} people in the archive are called ${wanted}. Name one by the address, or by the user name`,
    );
  if (index !== undefined) return index;
  const hasAddresses = people.some(({ email, bot }) => email !== undefined && bot === undefined);
  throw new ImportFault(
    `Nobody in the archive has the address or the name ${wanted}. ` +
      (hasAddresses
        ? 'Name somebody there, who then is the first administrator'
        : 'It has no addresses: name somebody there by the user name or the full name, and with --email-domain where everybody gets an address'),
  );
}

class PeopleLoader {
  readonly #client: Client;
  readonly #people: readonly PersonRecord[];
  readonly #options: PeopleOptions;
  readonly #addresses: MadeAddresses;
  readonly #administrator: number;
  readonly users: (User | undefined)[];
  readonly isActive: boolean[];

  constructor(client: Client, people: readonly PersonRecord[], options: PeopleOptions) {
    this.#client = client;
    this.#people = people;
    this.#options = options;
    this.#administrator = findAdministrator(people, options.administrator);
    const { fullName, email } = people[this.#administrator] ?? {};
    if (email === undefined && options.emailDomain === undefined)
      throw new ImportFault(
        `${fullName ?? ''} has no address in the archive, and nobody signs in without one. --email-domain makes addresses from names`,
      );
    this.#addresses = new MadeAddresses(
      people.flatMap((person) => (person.email === undefined ? [] : foldName(person.email))),
    );
    this.users = people.map(({ systemBot }) =>
      systemBot === undefined
        ? undefined
        : options.systemBots.find(({ email }) => email.split('@')[0] === systemBot),
    );
    this.isActive = people.map(
      (person, index) =>
        index === this.#administrator ||
        person.systemBot !== undefined ||
        (person.isActive &&
          (person.email !== undefined ||
            (options.emailDomain !== undefined && person.bot === undefined))),
    );
  }

  async create(indexes: readonly number[]): Promise<void> {
    const { keySecrets, beginChangeId, emailPolicy } = this.#options;
    for (let from = 0; from < indexes.length; from += accountsPerStatement) {
      const piece = indexes.slice(from, from + accountsPerStatement);
      const created = await createUsers(
        this.#client,
        keySecrets,
        piece.map((index) => this.#newUser(index)),
        beginChangeId,
        emailPolicy,
      );
      await setImportedAccounts(
        this.#client,
        created.map(({ user }, n) => ({
          id: user.id,
          is_active: this.isActive[piece[n] ?? -1] ?? false,
          joined_at: this.#people[piece[n] ?? -1]?.joinedAt ?? null,
        })),
      );
      created.forEach(({ user }, n) => {
        this.users[piece[n] ?? -1] = user;
      });
    }
  }

  #newUser(index: number): NewUser {
    const person = this.#people[index];
    if (person === undefined) throw new Error('there is no such person');
    const { email, handle, fullName, role, bot, timezone, settings } = person;
    return {
      email: email ?? this.#makeAddress(index, handle === '' ? fullName : handle),
      fullName,
      role: index === this.#administrator ? 'administrator' : role,
      timezone,
      settings,
      ...(bot === undefined
        ? {}
        : { botType: bot.type, botOwnerId: this.#ownerId(bot.owner), role: 'member' as const }),
    };
  }

  /** Nothing is ever delivered to those of people who are deactivated. */
  #makeAddress(index: number, handle: string): string {
    const { emailDomain, sourceName, ledger } = this.#options;
    const isUsed = emailDomain !== undefined && this.isActive[index] === true;
    ledger.remark(
      isUsed ? 'addresses that were made from names' : 'accounts with an invented address',
    );
    return this.#addresses.make(handle, isUsed ? emailDomain : `${sourceName}.invalid`);
  }

  /** Bots without an owner who is a person belong to the first administrator. */
  #ownerId(owner: number | undefined): number {
    const wanted = owner === undefined ? undefined : this.#people[owner];
    const index =
      owner === undefined || wanted === undefined || wanted.bot !== undefined
        ? this.#administrator
        : owner;
    const user = this.users[index];
    if (user === undefined) throw new Error('owners are created before bots');
    return user.id;
  }

  async addAlertWords(): Promise<void> {
    for (const [index, { alertWords }] of this.#people.entries()) {
      const user = this.users[index];
      const words = alertWords
        .map((word) => cutTo(word.trim(), limits.alertWordMaxCodePoints))
        .filter((word) => word !== '')
        .slice(0, limits.alertWordsMax);
      if (user !== undefined && words.length > 0)
        await addAlertWords(this.#client, user.id, [...new Set(words)]);
    }
  }

  result(): LoadedPeople {
    const users = this.users.map((user) => {
      if (user === undefined) throw new Error('an account was not created');
      return user;
    });
    return { users, isActive: this.isActive, administrator: this.#administrator };
  }
}

/**
 * Creates people, then bots, whose owners must exist.
 *
 * @throws ImportFault if the administrator is nobody, or has no address and gets none
 */
export async function loadPeople(
  client: Client,
  people: readonly PersonRecord[],
  options: PeopleOptions,
): Promise<LoadedPeople> {
  const loader = new PeopleLoader(client, people, options);
  const numbered = [...people.entries()].filter(([, { systemBot }]) => systemBot === undefined);
  const ofKind = (isBot: boolean): number[] =>
    numbered.flatMap(([index, { bot }]) => ((bot !== undefined) === isBot ? index : []));
  await loader.create(ofKind(false));
  await loader.create(ofKind(true));
  await loader.addAlertWords();
  return loader.result();
}
