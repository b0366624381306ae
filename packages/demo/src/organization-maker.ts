/**
 * Makes an organization, its accounts, streams, memberships and messages through the store modules and the log, as services do, for the
 * demo data, tests and load. Its log entries carry their effects but no events, because it is meant for the time before clients connect.
 */
import { audienceKey } from '@parley/event-log';
import type { ChangeEntry, EventLog, LogEffect } from '@parley/event-log';
import type { Role } from '@parley/api';
import type { Client, Pool } from '@parley/database';
import { hashPassword } from '@parley/auth/secrets';
import {
  createOrganizationRows,
  createStream,
  createUsers,
  drawUserIds,
  lockStreams,
  lockUsersInUse,
  subscribe,
} from '@parley/store';
import type { KeySecrets } from '@parley/auth/secrets';
import type { Stream, User } from '@parley/store';

export type NewAccount = {
  readonly email: string;
  readonly fullName: string;
  readonly role?: Role;
  /** 1 generic, 2 incoming webhook, 3 outgoing webhook, 4 embedded; absent for a person. */
  readonly botType?: number;
  /** The address of a bot's owner, who is made before the bot or in the same call. */
  readonly ownerEmail?: string;
  readonly password?: string;
};

export type Account = {
  readonly user: User;
  readonly apiKey: string;
};

export type NewOrganizationStream = {
  readonly name: string;
  readonly description?: string;
  readonly renderedDescription?: string;
  readonly inviteOnly?: boolean;
  readonly historyPublicToSubscribers?: boolean;
  readonly isAnnouncementOnly?: boolean;
  readonly isDefault?: boolean;
  readonly creatorId?: number;
};

// A log entry that names more people would be slow to read in one piece.
const membersPerChangeMax = 10_000;

export class OrganizationMaker {
  readonly pool: Pool;
  readonly eventLog: EventLog;
  readonly keySecrets: KeySecrets;

  constructor(options: {
    readonly pool: Pool;
    readonly eventLog: EventLog;
    readonly keySecrets: KeySecrets;
  }) {
    this.pool = options.pool;
    this.eventLog = options.eventLog;
    this.keySecrets = options.keySecrets;
  }

  /**
   * Makes the realm with its system bots.
   *
   * @throws the database's unique violation if there is a realm already
   */
  async makeRealm(realm: {
    readonly name: string;
    readonly stringId: string;
    readonly description?: string;
  }): Promise<void> {
    await this.#change(async (client, changeId) => {
      const bots = await createOrganizationRows(client, this.keySecrets, realm, changeId);
      return { result: undefined, effects: bots.map(accountEffect) };
    });
  }

  /**
   * Makes active accounts in one transaction, in the given order.
   *
   * @throws Error if a bot's owner is unknown; the database's unique violation if an address is taken
   */
  async makeAccounts(accounts: readonly NewAccount[]): Promise<Account[]> {
    const passwordHashes = await Promise.all(
      accounts.map(({ password }) =>
        password === undefined ? Promise.resolve(null) : hashPassword(password),
      ),
    );
    return this.#change(async (client, changeId) => {
      const ownerEmails = accounts.flatMap(({ ownerEmail }) => ownerEmail ?? []);
      const owners = await lockUsersInUse(client, { userIds: [], emails: ownerEmails });
      const ids = await drawUserIds(client, accounts.length);
      const idsByEmail = new Map([
        ...owners.map((owner) => [owner.email, owner.id] as const),
        ...accounts.map(({ email }, index) => [email, ids[index] ?? 0] as const),
      ]);
      const created = await createUsers(
        client,
        this.keySecrets,
        accounts.map((account, index) => {
          const { email, fullName, ownerEmail } = account;
          const ownerId = ownerEmail === undefined ? null : idsByEmail.get(ownerEmail);
          if (ownerId === undefined) throw new Error(`nobody has the address ${ownerEmail}`);
          return {
            id: ids[index] ?? 0,
            email,
            fullName,
            role: account.role ?? 'member',
            botType: account.botType ?? null,
            botOwnerId: ownerId,
            passwordHash: passwordHashes[index] ?? null,
          };
        }),
        changeId,
      );
      const made = created.map(({ user, apiKey }): Account => {
        if (apiKey === null) throw new Error('an account that is no system bot has a key');
        return { user, apiKey };
      });
      return { result: made, effects: made.map(({ user }) => accountEffect(user)) };
    });
  }

  /**
   * Makes streams without members.
   *
   * @throws Error if a name is taken
   */
  async makeStreams(streams: readonly NewOrganizationStream[]): Promise<Stream[]> {
    return this.#change(async (client) => {
      const made: Stream[] = [];
      for (const stream of streams) {
        const created = await createStream(client, { creatorId: null, ...stream });
        if (created === undefined) throw new Error(`the stream ${stream.name} exists already`);
        made.push(created);
      }
      return { result: made, effects: [] };
    });
  }

  /** Subscribes active accounts to a stream together, at most 10,000 in one transaction. Existing members are unchanged. */
  async subscribe(streamId: number, userIds: readonly number[]): Promise<void> {
    const ordered = [...new Set(userIds)].toSorted((a, b) => a - b);
    for (let start = 0; start < ordered.length; start += membersPerChangeMax) {
      const part = ordered.slice(start, start + membersPerChangeMax);
      await this.#change(async (client, changeId) => {
        await lockUsersInUse(client, { userIds: part });
        await lockStreams(client, { streamIds: [streamId] });
        const joined = await subscribe(client, { userIds: part, streamId, changeId });
        const joinedIds = joined.map(({ userId }) => userId);
        return {
          result: undefined,
          effects: [{ effect: 'joined', streamId, userIds: joinedIds }],
        };
      });
    }
  }

  /** Runs a change with its own id and appends its entry. */
  async #change<Result>(
    work: (
      client: Client,
      changeId: number,
    ) => Promise<{ readonly result: Result; readonly effects: readonly LogEffect[] }>,
  ): Promise<Result> {
    return this.eventLog.transaction(async (client) => {
      const changeId = await this.eventLog.drawChangeId(client);
      const { result, effects } = await work(client, changeId);
      const entry: ChangeEntry = { v: 1, kind: 'change', effects, events: [] };
      const accountUserIds = effects.flatMap((effect) =>
        effect.effect === 'account' ? effect.userId : [],
      );
      return {
        result,
        append: {
          entries: [{ entry, audience: audienceKey.everyone }],
          changeId,
          ...(accountUserIds.length === 0 ? {} : { accountUserIds }),
        },
      };
    });
  }
}

function accountEffect(user: User): LogEffect {
  return { effect: 'account', userId: user.id, role: user.role, isActive: true };
}
