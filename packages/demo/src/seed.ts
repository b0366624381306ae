import { readHead } from '@parley/event-log';
import { transaction } from '@parley/database';
import { descriptionRenderer } from '@parley/markdown';
import {
  findApiKey,
  findRealm,
  findStreamByName,
  findUsersByEmails,
  markRead,
  setRealmNotificationStreams,
} from '@parley/store';

import { demoConversation, demoReadUntilMinutesAgo } from './demo-conversation.ts';
import { demoAccounts, demoExample, demoRealm, demoStreams, people } from './demo-data.ts';
import type { PersonName } from './demo-data.ts';
import { makeMessages } from './message-maker.ts';
import type { OrganizationMaker } from './organization-maker.ts';

/** An account as shown by `npm start -- --json` and the seed command. */
export type SeededAccount = {
  readonly email: string;
  readonly api_key: string;
  /** Absent for bots, and if it was not kept. */
  readonly password?: string;
  readonly full_name: string;
  readonly role: string;
  readonly is_bot: boolean;
};

export type Seeded = {
  readonly accounts: readonly SeededAccount[];
  readonly example: { readonly stream: string; readonly topic: string };
};

const secsPerMinute = 60;

/**
 * Makes the demo organization if there is no realm: accounts, streams, memberships, a day of conversation that ends now, and each person's
 * read messages. If there is a realm, it makes only what an interrupted first run left out.
 *
 * @param options.passwords by address, for accounts that are made now
 * @param options.publicUrl the realm's address, for links in messages
 * @returns the demo's accounts that exist, with their keys
 */
export async function seedDemo(
  maker: OrganizationMaker,
  options: {
    readonly passwords: ReadonlyMap<string, string>;
    readonly publicUrl: string;
    readonly nowSecs: number;
  },
): Promise<Seeded> {
  const realm = await findRealm(maker.pool);
  if (realm === undefined) await maker.makeRealm(demoRealm);
  if (realm === undefined || realm.name === demoRealm.name) await createMissing(maker, options);
  return { accounts: await describeAccounts(maker, options.passwords), example: demoExample };
}

async function createMissing(
  maker: OrganizationMaker,
  options: {
    readonly passwords: ReadonlyMap<string, string>;
    readonly publicUrl: string;
    readonly nowSecs: number;
  },
): Promise<void> {
  const { messageId } = await readHead(maker.pool);
  if (messageId > 0) return;
  const userIds = await makeAccounts(maker, options.passwords);
  await makeStreams(maker, userIds, options.publicUrl);
  await sendConversation(maker, userIds, options);
}

async function makeAccounts(
  maker: OrganizationMaker,
  passwords: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<PersonName, number>> {
  const emails = demoAccounts.map(({ email }) => email);
  if ((await findUsersByEmails(maker.pool, emails)).length === 0) {
    await maker.makeAccounts(
      demoAccounts.map((account) => {
        const password = passwords.get(account.email);
        return password === undefined ? account : { ...account, password };
      }),
    );
  }
  const found = await findUsersByEmails(maker.pool, emails);
  return new Map(
    (Object.keys(people) as PersonName[]).map((name) => {
      const user = found.find(({ email }) => email === people[name]);
      if (user === undefined) throw new Error(`the demo's account ${people[name]} is missing`);
      return [name, user.id];
    }),
  );
}

async function makeStreams(
  maker: OrganizationMaker,
  userIds: ReadonlyMap<PersonName, number>,
  publicUrl: string,
): Promise<void> {
  const render = descriptionRenderer(publicUrl);
  for (const { members, ...stream } of demoStreams) {
    const existing = await findStreamByName(maker.pool, stream.name);
    const renderedDescription = render(stream.description);
    const [made] =
      existing === undefined
        ? await maker.makeStreams([{ ...stream, renderedDescription }])
        : [existing];
    if (made === undefined) throw new Error(`the stream ${stream.name} was not made`);
    await maker.subscribe(
      made.id,
      members.map((name) => getId(userIds, name)),
    );
    if (stream.name === demoExample.stream) {
      await setRealmNotificationStreams(maker.pool, {
        notificationsStreamId: made.id,
        signupNotificationsStreamId: made.id,
      });
    }
  }
}

async function sendConversation(
  maker: OrganizationMaker,
  userIds: ReadonlyMap<PersonName, number>,
  options: { readonly publicUrl: string; readonly nowSecs: number },
): Promise<void> {
  const messageIds = await makeMessages(
    { pool: maker.pool, eventLog: maker.eventLog, publicUrl: options.publicUrl },
    demoConversation.map((message) => ({
      senderId: getId(userIds, message.from),
      content: message.content,
      sentAtSecs: options.nowSecs - message.minutesAgo * secsPerMinute,
      ...('stream' in message
        ? { streamName: message.stream, topic: message.topic }
        : { recipientIds: message.to.map((name) => getId(userIds, name)) }),
    })),
  );
  for (const [name, minutesAgo] of Object.entries(demoReadUntilMinutesAgo)) {
    const read = messageIds.filter(
      (_id, index) => (demoConversation[index]?.minutesAgo ?? 0) >= minutesAgo,
    );
    // Ids of messages that an account does not hold have no effect.
    await transaction(maker.pool, (client) =>
      markRead(client, getId(userIds, name as PersonName), read),
    );
  }
}

async function describeAccounts(
  maker: OrganizationMaker,
  passwords: ReadonlyMap<string, string>,
): Promise<SeededAccount[]> {
  const users = await findUsersByEmails(
    maker.pool,
    demoAccounts.map(({ email }) => email),
  );
  const described: SeededAccount[] = [];
  for (const user of users) {
    const apiKey = await findApiKey(maker.pool, maker.keySecrets, user.id);
    if (apiKey === undefined) continue;
    const password = passwords.get(user.email);
    described.push({
      email: user.email,
      api_key: apiKey,
      ...(password === undefined || user.botType !== null ? {} : { password }),
      full_name: user.fullName,
      role: user.role,
      is_bot: user.botType !== null,
    });
  }
  return described;
}

function getId(userIds: ReadonlyMap<PersonName, number>, name: PersonName): number {
  const id = userIds.get(name);
  if (id === undefined) throw new Error(`nobody in the demo is called ${name}`);
  return id;
}
