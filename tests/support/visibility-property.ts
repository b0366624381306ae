/**
 * The statements about who may see what agree with live delivery, over random histories of joins, leaves, changes of privacy, roles
 * and activity, deactivated streams and messages.
 */
import { botTypes, roles } from '@parley/api';
import type { Role } from '@parley/api';
import type { Client, Pool } from '@parley/database';
import { changeEntry } from '@parley/event-log';
import type { Audience, MessageSentEntry } from '@parley/event-log';
import { deriveKeySecrets } from '@parley/auth/secrets';
import {
  accountPeriodsOf,
  addLateReceipt,
  closeAccountMemberships,
  closeStreamMemberships,
  createStreams,
  createUsers,
  deactivateStreams,
  ensurePrivateConversation,
  ensureTopicConversation,
  findStreamSendFacts,
  findStreamsByIds,
  holdsMessage,
  holdsMessageSql,
  isOpenTo,
  isOpenToSql,
  isReactingBot,
  isReactingBotSql,
  getsStreamEventsSql,
  knowsOfStreamSql,
  listHeldMessages,
  mayReadHistorySql,
  mayReadStream,
  mayReadStreamSql,
  maySeeMessageSql,
  maySeeStream,
  membershipPeriodsOf,
  openAccountMemberships,
  setAccountStates,
  sharesHistory,
  subscribe,
  unsubscribe,
  updateStream,
} from '@parley/store';
import { createTestDatabase, openTestPool } from '@parley/test-kit';
import type { TestDatabase } from '@parley/test-kit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { entitledParts, messageEntitlement } from '../../services/events/src/feed/entitlement.ts';
import { UserView } from '../../services/events/src/feed/user-view.ts';
import { seedsOf } from './seeds.ts';

const secrets = deriveKeySecrets('k'.repeat(32));
const accounts = [
  { name: 'administrator', role: roles.administrator, botType: null },
  { name: 'member', role: roles.member, botType: null },
  { name: 'other', role: roles.member, botType: null },
  { name: 'guest', role: roles.guest, botType: null },
  { name: 'outgoing', role: roles.member, botType: botTypes.outgoingWebhook },
  { name: 'embedded', role: roles.member, botType: botTypes.embedded },
] as const;
const streamCount = 3;
const privateGroups = [
  [1, 3],
  [0, 2, 4],
];

const user = fc.nat({ max: accounts.length - 1 });
const stream = fc.nat({ max: streamCount - 1 });
const operation = fc.oneof(
  { weight: 5, arbitrary: fc.record({ op: fc.constant('join' as const), user, stream }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant('leave' as const), user, stream }) },
  { weight: 6, arbitrary: fc.record({ op: fc.constant('send' as const), stream }) },
  {
    weight: 1,
    arbitrary: fc.record({ op: fc.constant('write' as const), group: fc.nat({ max: 1 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('star' as const),
      user,
      pick: fc.nat({ max: 9 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('privacy' as const),
      stream,
      inviteOnly: fc.boolean(),
      shared: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant('role' as const),
      user,
      role: fc.constantFrom(...Object.values(roles)),
    }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('activity' as const), user }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('end' as const), stream }) },
);
type Operation = typeof operation extends fc.Arbitrary<infer Each> ? Each : never;

let histories = 0;

/** An organization in the store, with live delivery's views of its accounts. */
class World {
  readonly client: Client;
  readonly userIds: readonly number[];
  readonly streamIds: readonly number[];
  readonly messageIds: number[] = [];
  readonly #live: ReadonlyMap<number, UserView>;
  readonly #accounts: { role: Role; isActive: boolean }[];
  position: number;

  private constructor(client: Client, userIds: readonly number[], streamIds: readonly number[]) {
    this.client = client;
    this.userIds = userIds;
    this.streamIds = streamIds;
    this.position = 1;
    this.#accounts = accounts.map(({ role }) => ({ role, isActive: true }));
    this.#live = new Map(
      userIds.map((id, n) => [
        id,
        new UserView(
          id,
          [],
          [{ from: 1, until: undefined, role: at(accounts, n).role, isActive: true }],
        ),
      ]),
    );
  }

  static async create(client: Client): Promise<World> {
    histories += 1;
    await client.query('INSERT INTO changes (id, position, message_id) VALUES (1, 1, 0)');
    const made = await createUsers(
      client,
      secrets,
      accounts.map(({ name, role, botType }) => ({
        email: `${name}${histories}@example.com`,
        fullName: name,
        role,
        botType,
      })),
      1,
    );
    const streams = await createStreams(
      client,
      Array.from({ length: streamCount }, (_, n) => ({
        name: `stream ${histories} ${n}`,
        creatorId: null,
      })),
    );
    return new World(
      client,
      made.map(({ user: { id } }) => id),
      streams.map(({ id }) => id),
    );
  }

  view(userId: number): UserView {
    const view = this.#live.get(userId);
    if (view === undefined) throw new Error('no such account');
    return view;
  }

  /** The view of the account that an events node reads at its start. */
  async loadedView(userId: number): Promise<UserView> {
    const spanOf = (period: {
      readonly fromPosition: number;
      readonly untilPosition: number | null;
    }): { from: number; until: number | undefined } => ({
      from: period.fromPosition,
      until: period.untilPosition ?? undefined,
    });
    const memberships = await membershipPeriodsOf(this.client, [userId]);
    const periods = await accountPeriodsOf(this.client, [userId]);
    return new UserView(
      userId,
      memberships.map((period) => ({ streamId: period.streamId, ...spanOf(period) })),
      periods.map((period) => ({ ...period, ...spanOf(period) })),
    );
  }

  async apply(next: Operation): Promise<void> {
    switch (next.op) {
      case 'join':
        return this.#join(next.user, at(this.streamIds, next.stream));
      case 'leave':
        return this.#change(async (changeId) => {
          const left = await unsubscribe(this.client, {
            userIds: [at(this.userIds, next.user)],
            streamIds: [at(this.streamIds, next.stream)],
            changeId,
          });
          for (const { userId, streamId } of left) this.view(userId).leave(streamId, this.position);
        });
      case 'send':
        return this.#send(at(this.streamIds, next.stream));
      case 'write':
        return this.#write(at(privateGroups, next.group).map((n) => at(this.userIds, n)));
      case 'star':
        return this.#star(at(this.userIds, next.user), next.pick);
      case 'privacy': {
        const streamId = at(this.streamIds, next.stream);
        if (!(await this.#isLive(streamId))) return;
        const { inviteOnly, shared } = next;
        await updateStream(this.client, streamId, {
          privacy: { inviteOnly, historyPublicToSubscribers: !inviteOnly || shared },
        });
        return;
      }
      case 'role':
        return this.#changeAccount(next.user, {
          ...at(this.#accounts, next.user),
          role: next.role,
        });
      case 'activity': {
        const account = at(this.#accounts, next.user);
        return this.#changeAccount(next.user, { ...account, isActive: !account.isActive });
      }
      case 'end':
        return this.#end(at(this.streamIds, next.stream));
    }
  }

  async #change(work: (changeId: number) => Promise<void>): Promise<void> {
    this.position += 1;
    await this.client.query({
      text: 'INSERT INTO changes (id, position, message_id) VALUES ($1::bigint, $1::bigint, $2)',
      values: [this.position, this.messageIds.at(-1) ?? 0],
    });
    await work(this.position);
  }

  async #isLive(streamId: number): Promise<boolean> {
    const [found] = await findStreamsByIds(this.client, [streamId]);
    return found?.isDeactivated === false;
  }

  async #join(n: number, streamId: number): Promise<void> {
    if (!at(this.#accounts, n).isActive || !(await this.#isLive(streamId))) return;
    await this.#change(async (changeId) => {
      const userIds = [at(this.userIds, n)];
      for (const { userId } of await subscribe(this.client, { userIds, streamId, changeId }))
        this.view(userId).join(streamId, this.position);
    });
  }

  async #changeAccount(n: number, account: { role: Role; isActive: boolean }): Promise<void> {
    const id = at(this.userIds, n);
    const wasActive = at(this.#accounts, n).isActive;
    this.#accounts[n] = account;
    await this.#change(async (changeId) => {
      await setAccountStates(this.client, [{ id, ...account }], changeId);
      this.view(id).changeAccount(account.role, account.isActive, this.position);
      if (wasActive && !account.isActive)
        for (const { streamId } of await closeAccountMemberships(this.client, [id], changeId))
          this.view(id).leave(streamId, this.position);
      if (!wasActive && account.isActive)
        for (const { streamId } of await openAccountMemberships(this.client, id, changeId))
          this.view(id).join(streamId, this.position);
    });
  }

  async #end(streamId: number): Promise<void> {
    const streams = await findStreamsByIds(this.client, [streamId]);
    if (streams.some(({ isDeactivated }) => isDeactivated)) return;
    await this.#change(async (changeId) => {
      await deactivateStreams(this.client, streams);
      await closeStreamMemberships(this.client, [streamId], changeId);
      for (const view of this.#live.values()) view.leave(streamId, this.position);
    });
  }

  async #send(streamId: number): Promise<void> {
    const question = { senderId: at(this.userIds, 0), address: { streamId }, topic: 'lunch' };
    const { facts } = await findStreamSendFacts(this.client, [question]);
    const found = facts.get(question)?.stream;
    if (found === undefined) return;
    const conversationId = await ensureTopicConversation(this.client, streamId, 'lunch');
    await this.#insert(streamId, conversationId, {
      stream: { id: streamId, isPublic: !found.inviteOnly },
      reactingBotIds: found.reactingBotIds,
    });
  }

  async #write(participantIds: readonly number[]): Promise<void> {
    const { id: conversationId } = await ensurePrivateConversation(this.client, participantIds);
    await this.#insert(null, conversationId, {
      participantIds,
      reactingBotIds: participantIds.filter((id) => id === this.userIds[4]),
    });
  }

  /** Stores a message, and compares its live recipients with its holders and with the users who may read its stream. */
  async #insert(
    streamId: number | null,
    conversationId: number,
    facts: Pick<MessageSentEntry, 'reactingBotIds' | 'stream' | 'participantIds'>,
  ): Promise<void> {
    this.position += 1;
    const id = (this.messageIds.at(-1) ?? 0) + 1;
    this.messageIds.push(id);
    await this.client.query({
      text: `INSERT INTO messages (id, position, sender_id, stream_id, conversation_id, read_conversation_id, recipient_id, topic,
          content, rendered_content, client, sent_at, search)
        VALUES ($1, $2, $3, $4, $5, $5, 1, '', '', '', '', parley_now(), '')`,
      values: [id, this.position, this.userIds[0], streamId, conversationId],
    });
    const { rows } = await this.client.query<{ userId: number; holds: boolean; isOpen: boolean }>({
      name: 'visibility-sent',
      text: `SELECT u.id AS "userId", ${holdsMessageSql('m', 'u.id')} AS holds,
          coalesce(${isOpenToSql('s', 'u')} AND NOT s.is_deactivated, false) AS "isOpen"
        FROM messages m CROSS JOIN users u LEFT JOIN streams s ON s.id = m.stream_id
        WHERE m.id = $1 AND u.id = ANY ($2::int[]) AND u.is_active`,
      values: [id, this.userIds],
    });
    const entry = { ...facts, lateReceiptIds: [] } as unknown as MessageSentEntry;
    for (const { userId, holds, isOpen } of rows) {
      const live = messageEntitlement(entry, this.view(userId), this.position);
      checkAgreement({ id, userId, holds: live === 'holder' }, { id, userId, holds });
      if (!holds && live !== 'reacting')
        checkAgreement({ id, userId, isOpen: live === 'public' }, { id, userId, isOpen });
    }
  }

  /** A user who may see a message and does not hold it can become a holder. */
  async #star(userId: number, pick: number): Promise<void> {
    const messageId = this.messageIds.at(-1 - pick);
    if (messageId === undefined) return;
    const { rowCount } = await this.client.query({
      name: 'visibility-may-star',
      text: `SELECT 1 FROM messages m WHERE m.id = $1 AND ${maySeeMessageSql('m', '$2::integer')}`,
      values: [messageId, userId],
    });
    if (rowCount === 1) await addLateReceipt(this.client, userId, messageId);
  }
}

function checkAgreement(live: object, stored: object): void {
  expect(live).toEqual(stored);
}

/** @returns the item at the index */
function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`there is no item ${index}`);
  return item;
}

function isInAudience(audience: Audience, view: UserView, position: number): boolean {
  const entry = changeEntry({
    effects: [],
    events: [{ form: 'same', audience, event: { type: 'heartbeat' } }],
  });
  return entitledParts(entry, view, position).length === 1;
}

type StreamRow = {
  readonly userId: number;
  readonly role: Role;
  readonly isActive: boolean;
  readonly streamId: number;
  readonly isOpen: boolean;
  readonly mayRead: boolean;
  readonly mayReadHistory: boolean;
  readonly getsEvents: boolean;
  readonly knows: boolean;
};

async function checkStreams(world: World, viewOf: (userId: number) => UserView): Promise<void> {
  const { client, position } = world;
  const { rows } = await client.query<StreamRow>({
    name: 'visibility-streams',
    text: `SELECT u.id AS "userId", u.role, u.is_active AS "isActive", s.id AS "streamId",
        NOT s.is_deactivated AND ${isOpenToSql('s', 'u')} AS "isOpen", ${mayReadStreamSql('s', 'u')} AS "mayRead",
        ${mayReadHistorySql('s.id', 'u.id')} AS "mayReadHistory", ${getsStreamEventsSql('s', 'u')} AS "getsEvents",
        ${knowsOfStreamSql('s', 'u')} AS knows
      FROM users u CROSS JOIN streams s WHERE u.id = ANY ($1::int[]) AND s.id = ANY ($2::int[])`,
    values: [world.userIds, world.streamIds],
  });
  const streams = new Map(
    (await findStreamsByIds(client, world.streamIds)).map((each) => [each.id, each]),
  );
  for (const row of rows) {
    const { userId, streamId, isActive } = row;
    const view = viewOf(userId);
    const found = streams.get(streamId);
    if (found === undefined) throw new Error('no such stream');
    const isMember = view.isMember(streamId, position);
    const mayRead = mayReadStream(row, found, isMember);
    const wasMember = view.wasMember(streamId, position);
    const { inviteOnly, isDeactivated } = found;
    expect({ userId, streamId, mayRead }).toEqual({ userId, streamId, mayRead: row.mayRead });
    const mayReadHistory = mayRead && (isOpenTo(row, found) || sharesHistory(found));
    expect({ userId, streamId, mayReadHistory }).toEqual({
      userId,
      streamId,
      mayReadHistory: row.mayReadHistory,
    });
    expect(maySeeStream(row, found, isMember)).toBe(
      row.mayRead || (row.role === roles.administrator && !isDeactivated),
    );
    expect(row.isOpen && !row.mayRead).toBe(false);
    expect(row.getsEvents && !row.knows).toBe(false);
    if (!isActive) continue;
    const getsEvents = isInAudience({ to: 'stream-knowers', streamId, inviteOnly }, view, position);
    expect({ userId, streamId, getsEvents }).toEqual({
      userId,
      streamId,
      getsEvents: row.getsEvents,
    });
    if (isDeactivated) continue;
    const sees = isInAudience({ to: 'stream-viewers', streamId, inviteOnly }, view, position);
    expect({ userId, streamId, sees }).toEqual({
      userId,
      streamId,
      sees: row.mayRead || row.role === roles.administrator,
    });
    const isFormer = isInAudience({ to: 'former-viewers', streamId, inviteOnly }, view, position);
    expect({ userId, streamId, isFormer }).toEqual({
      userId,
      streamId,
      isFormer: row.getsEvents && wasMember && !sees,
    });
  }
}

async function checkMessages(world: World, viewOf: (userId: number) => UserView): Promise<void> {
  const { client, position } = world;
  const { rows } = await client.query<{
    readonly messageId: number;
    readonly userId: number;
    readonly role: Role;
    readonly holds: boolean;
    readonly maySee: boolean;
    readonly botType: number | null;
    readonly isReacting: boolean;
  }>({
    name: 'visibility-messages',
    text: `SELECT m.id AS "messageId", u.id AS "userId", u.role, ${holdsMessageSql('m', 'u.id')} AS holds,
        ${maySeeMessageSql('m', 'u.id')} AS "maySee", u.bot_type AS "botType", (${isReactingBotSql('u')}) IS TRUE AS "isReacting"
      FROM messages m CROSS JOIN users u WHERE u.id = ANY ($1::int[]) AND m.id = ANY ($2::bigint[])`,
    values: [world.userIds, world.messageIds],
  });
  const streams = new Map(
    (await findStreamsByIds(client, world.streamIds)).map((each) => [each.id, each]),
  );
  const audiences = new Map(
    (await listHeldMessages(client, world.messageIds)).map((held) => [held.id, held]),
  );
  for (const row of rows) {
    const { messageId, userId } = row;
    const audience = audiences.get(messageId);
    if (audience === undefined) throw new Error('no such message');
    expect({ userId, isReacting: isReactingBot(row) }).toEqual({
      userId,
      isReacting: row.isReacting,
    });
    const view = viewOf(userId);
    const holds = holdsMessage(audience, view);
    expect({ messageId, userId, holds }).toEqual({ messageId, userId, holds: row.holds });
    const found = audience.streamId === undefined ? undefined : streams.get(audience.streamId);
    const readsAll =
      found !== undefined &&
      mayReadStream(row, found, view.isMember(found.id, position)) &&
      (isOpenTo(row, found) || sharesHistory(found));
    expect({ messageId, userId, maySee: holds || readsAll }).toEqual({
      messageId,
      userId,
      maySee: row.maySee,
    });
  }
}

/**
 * Defines the property.
 *
 * @param defaultRuns how many histories are tried, unless `PARLEY_PROPERTY_RUNS` says so
 */
export function testVisibility(defaultRuns: number): void {
  const runs = Number(process.env['PARLEY_PROPERTY_RUNS'] ?? defaultRuns);
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openTestPool(database.url, 1);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  test.each(seedsOf('visibility'))(
    `statements and live delivery agree on visibility (seed %i, ${runs} histories)`,
    async (seed) => {
      const client = await pool.connect();
      await client.query('SET plan_cache_mode = force_generic_plan');
      try {
        await fc.assert(
          fc
            .asyncProperty(
              fc.array(operation, { minLength: 5, maxLength: 40 }),
              async (operations) => {
                await client.query('BEGIN');
                const world = await World.create(client);
                for (const next of operations) await world.apply(next);
                const loaded = new Map<number, UserView>();
                for (const id of world.userIds) loaded.set(id, await world.loadedView(id));
                for (const viewOf of [
                  (id: number) => world.view(id),
                  (id: number) => loaded.get(id) ?? world.view(id),
                ]) {
                  await checkStreams(world, viewOf);
                  await checkMessages(world, viewOf);
                }
              },
            )
            .afterEach(async () => {
              await client.query('ROLLBACK');
            }),
          { numRuns: runs, seed },
        );
      } finally {
        client.release();
      }
    },
  );
}
