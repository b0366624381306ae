/**
 * A standby takes over while people send and follow. A synchronous standby has everything that was acknowledged: no message is
 * lost, all queues continue, and no process of Parley needs to be restarted.
 */
import { migrate } from '@parley/database/migrate';
import { DeliveryLedger, QueueFollower, readObjects, waitUntil } from '@parley/test-kit';
import type { Answer, Parameters, SystemUse } from '@parley/test-kit';
import { expect, test } from 'vitest';

import { startSmallOrganization } from '../api/small-organization.ts';
import type { PersonKey, SmallOrganization } from '../api/small-organization.ts';
import { withClient } from './postgres-copies.ts';
import { PostgresPair } from './postgres-pair.ts';

type Message = { readonly content: string };

const followersOf: readonly PersonKey[] = ['bob', 'cat'];
/** Shorter than the default, so that a commit stops waiting for a standby within the test. */
const statementTimeoutSecs = '3';

class Talk {
  readonly ledger = new DeliveryLedger();
  readonly #organization: SmallOrganization;
  readonly #followers: QueueFollower[] = [];
  #sent = 0;
  refused = 0;

  constructor(organization: SmallOrganization) {
    this.#organization = organization;
  }

  async begin(): Promise<void> {
    await this.#organization.client('ann').subscribe('plans', {
      principals: ['Ann@example.com', 'bob@example.com', 'cat@example.com'],
    });
    for (const who of followersOf) await this.follow(who);
  }

  async follow(who: PersonKey): Promise<void> {
    this.#followers.push(
      await QueueFollower.open(
        this.#organization.client(who),
        this.#organization.id(who),
        this.ledger,
        { parameters: { narrow: [['topic', 'numbers']] } },
      ),
    );
  }

  /** Sends once, and records whether it was acknowledged; a failed send is not repeated. */
  async send(): Promise<boolean> {
    this.#sent += 1;
    const content = `number ${this.#sent}`;
    this.ledger.attempt(
      content,
      followersOf.map((who) => this.#organization.id(who)),
    );
    const answer = await this.#organization
      .client('ann')
      .request('POST', 'messages', { type: 'stream', to: 'plans', topic: 'numbers', content })
      .catch(() => undefined);
    if (answer?.status === 200) {
      this.ledger.acknowledge(content, answer.body['id'] as number);
      return true;
    }
    if (answer !== undefined && answer.status !== 503)
      throw new Error(`a send was answered ${JSON.stringify(answer.body)}`);
    this.refused += 1;
    return false;
  }

  async sendUntil(isOver: () => boolean): Promise<void> {
    while (!isOver()) await this.send();
  }

  async end(): Promise<void> {
    await waitUntil('every queue has its messages', () => this.ledger.hasAllReceipts(), {});
    for (const follower of this.#followers) await follower.stop();
    this.ledger.check();
  }
}

async function readEpoch(url: string): Promise<number> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ epoch: number }>('SELECT epoch FROM log_head'),
  );
  return rows[0]?.epoch ?? 0;
}

/** An organization on a Postgres of its own. @param ending stops both */
async function startOn(
  ending: AsyncDisposableStack,
  options: SystemUse = {},
): Promise<{ readonly postgres: PostgresPair; readonly organization: SmallOrganization }> {
  const postgres = ending.use(await PostgresPair.start());
  await migrate(postgres.url);
  const organization = await startSmallOrganization({
    ownProcesses: true,
    events: 1,
    messages: 1,
    databaseUrl: postgres.url,
    ...options,
  });
  ending.defer(() => organization.stop());
  return { postgres, organization };
}

test('a synchronous standby takes over: acknowledged data is there, queues continue, without intervention', async () => {
  await using ending = new AsyncDisposableStack();
  const { postgres, organization } = await startOn(ending, { events: 2 });
  await postgres.startStandby('synchronous');
  const talk = new Talk(organization);
  await talk.begin();
  const before = await readEpoch(postgres.url);

  let isOver = false;
  const senders = [1, 2, 3].map(() => talk.sendUntil(() => isOver));
  const stopSending = async (): Promise<void> => {
    isOver = true;
    await Promise.all(senders);
  };
  ending.defer(stopSending);
  await waitUntil('some are acknowledged', () => talk.ledger.acknowledgedCount > 30);
  await postgres.losePrimary();
  await waitUntil('senders notice', () => talk.refused > 0);
  await postgres.promote();
  const atPromotion = talk.ledger.acknowledgedCount;
  await waitUntil(
    'sends are acknowledged again',
    () => talk.ledger.acknowledgedCount > atPromotion + 30,
    {},
  );
  await stopSending();

  await talk.end();
  expect(await readEpoch(postgres.url)).toBe(before + 1);
}, 120_000);

test('an asynchronous standby takes over: queues that saw lost entries are refused, others continue, no id repeats', async () => {
  await using ending = new AsyncDisposableStack();
  const { postgres, organization } = await startOn(ending);
  await organization
    .client('ann')
    .subscribe('plans', { principals: ['Ann@example.com', 'bob@example.com', 'cat@example.com'] });
  const send = async (content: string): Promise<number> => {
    const message = { type: 'stream', to: 'plans', topic: 'numbers', content };
    const answer = await organization
      .client('ann')
      .request('POST', 'messages', message)
      .catch(() => undefined);
    return answer?.status === 200 ? (answer.body['id'] as number) : 0;
  };
  const register = async (who: PersonKey): Promise<Parameters> => {
    const options = { event_types: ['message'], narrow: [['topic', 'numbers']] };
    const { queue_id, last_event_id } = await organization.client(who).post('register', options);
    return { queue_id: queue_id as string, last_event_id: last_event_id as number };
  };
  const poll = (who: PersonKey, queue: Parameters): Promise<Answer> =>
    organization.client(who).request('GET', 'events', { ...queue, dont_block: true });
  const contentsIn = (answer: Answer): unknown[] =>
    readObjects(answer.body, 'events').map(({ message }) => (message as Message).content);

  const [reported, unreported] = [await register('bob'), await register('cat')];
  await postgres.startStandby('asynchronous');
  postgres.holdReplication();
  const lost = await send('lost');
  expect(lost).toBeGreaterThan(0);
  await waitUntil(
    'one queue has the message',
    async () => contentsIn(await poll('bob', reported)).length === 1,
  );
  const newest = readObjects((await poll('bob', reported)).body, 'events').at(-1)?.['id'] as number;
  await postgres.losePrimary();
  await postgres.promote();

  const first = await waitUntil('a send is acknowledged', () => send('new'), {});
  expect(first).toBeGreaterThan(lost);
  expect(await poll('bob', { ...reported, last_event_id: newest })).toMatchObject({
    status: 400,
    body: { code: 'BAD_EVENT_QUEUE_ID' },
  });
  await expect.poll(async () => contentsIn(await poll('cat', unreported))).toEqual(['new']);
}, 120_000);

test('while a synchronous standby does not confirm, nothing is acknowledged, so nothing acknowledged is lost', async () => {
  await using ending = new AsyncDisposableStack();
  const { postgres, organization } = await startOn(ending, {
    environment: { PARLEY_DATABASE_STATEMENT_TIMEOUT_SECS: statementTimeoutSecs },
  });
  const talk = new Talk(organization);
  await talk.begin();
  await postgres.startStandby('synchronous');
  expect(await talk.send()).toBe(true);
  postgres.holdReplication();
  const answers = [await talk.send(), await talk.send()];
  expect(answers).toEqual([false, false]);
  await postgres.losePrimary();
  await postgres.promote();
  await waitUntil('sends are acknowledged again', () => talk.send());
  await talk.end();
}, 120_000);
