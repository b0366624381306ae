/** The traffic of a run: senders, joins and leaves, edits, reactions, stars, and temporary queues. */
import { setTimeout as pause } from 'node:timers/promises';

import { readObjects } from '@parley/test-kit';
import type { TestAccount } from '@parley/test-kit';

import { SeededRandom } from '../privacy/seeded-random.ts';
import { attemptUntilAnswered } from './attempt.ts';
import { contentMarks } from './journal.ts';
import type { ChangeRecord, Journal, SendRecord, SendTarget } from './journal.ts';
import type { ChaosStream, Population } from './population.ts';
import { QueueClient, readingWays } from './queue-client.ts';
import type { ReadingWay } from './queue-client.ts';

/** At this pace, two senders for each of twenty people make over two thousand sends in two minutes of faults on two busy cores. */
const sendersPerPerson = 2;
const sendPauseMs = 600;
const movePauseMs = 2_500;
const visitPauseMs = 6_000;
const visitMs = 12_000;
const changeChance = 0.05;
const probeChance = 0.02;
const emoji = 'tada';
type Person = {
  readonly account: TestAccount;
  readonly random: SeededRandom;
  /** A queue that a send can name as its own. */
  readonly queueId: string;
};

export class Workload {
  readonly clients: QueueClient[] = [];
  readonly #journal: Journal;
  readonly #population: Population;
  readonly #random: SeededRandom;
  readonly #stopping = new AbortController();
  /** Aborted later than the traffic, so that pending requests can finish. */
  readonly #giveUp = new AbortController();
  readonly #loops: Promise<void>[] = [];
  readonly #asides = new Set<Promise<void>>();
  #count = 0;

  constructor(journal: Journal, population: Population, seed: number) {
    this.#journal = journal;
    this.#population = population;
    this.#random = new SeededRandom(seed);
  }

  /** Registers two queues for each person, read in different ways, and one for the guest. */
  async openQueues(): Promise<void> {
    const { people, guest } = this.#population;
    const ways = readingWays.filter((way) => way !== 'poll');
    await Promise.all([
      ...people.map((account) => this.#openQueue(account, 'poll', false)),
      ...people.map((account, index) =>
        this.#openQueue(account, ways[index % ways.length] ?? 'poll', index % 5 === 4),
      ),
      this.#openQueue(guest, 'stream', false),
    ]);
  }

  /** Starts the traffic. */
  begin(): void {
    const { people, movers } = this.#population;
    for (const account of people) {
      const queueId = this.clients.find(({ record }) => record.userId === account.id)?.record
        .queueId;
      if (queueId === undefined) throw new Error('a person has no queue');
      for (let sender = 0; sender < sendersPerPerson; sender += 1)
        this.#loops.push(this.#sendForEver({ account, random: this.#ownRandom(), queueId }));
    }
    for (const account of movers) this.#loops.push(this.#moveForEver(account, this.#ownRandom()));
    this.#loops.push(this.#visitForEver(this.#ownRandom()));
  }

  /** Starts nothing new, and waits until all pending requests are finished. */
  async end(deadlineMs: number): Promise<void> {
    this.#stopping.abort();
    const timer = setTimeout(() => this.#giveUp.abort(), deadlineMs);
    await Promise.all(this.#loops);
    while (this.#asides.size > 0) await Promise.all(this.#asides);
    clearTimeout(timer);
  }

  /** Sends to the stream of all people. @returns the messages, except those without an answer in time */
  async sendToEverybody(count: number, until: AbortSignal): Promise<SendRecord[]> {
    const { people, everybody } = this.#population;
    const sends = await Promise.all(
      people
        .slice(0, count)
        .map((account) => this.#send(account, { streamId: everybody.id }, undefined, until)),
    );
    return sends.filter(({ messageId }) => messageId !== undefined);
  }

  async #openQueue(
    account: TestAccount,
    way: ReadingWay,
    listens: boolean,
    visitor = '',
  ): Promise<QueueClient> {
    const random = this.#ownRandom();
    const opened = await QueueClient.open({
      journal: this.#journal,
      client: account.client,
      userId: account.id,
      name: `${visitor}${account.user.fullName} (user ${account.id})`,
      way,
      listens,
      random,
      ...(listens
        ? {}
        : {
            onMessage: (messageId: number) => {
              if (random.chance(probeChance)) this.#aside(this.#probe(account, messageId));
            },
          }),
    });
    this.clients.push(opened);
    return opened;
  }

  async #sendForEver({ account, random, queueId }: Person): Promise<void> {
    await this.#rest(random.next() * sendPauseMs);
    while (!this.#stopping.signal.aborted) {
      const target = this.#chooseTarget(account, random);
      const from = random.chance(0.5) ? queueId : undefined;
      const sent = await this.#send(account, target, from, this.#giveUp.signal);
      const { messageId } = sent;
      if (messageId !== undefined && random.chance(changeChance))
        this.#aside(this.#changeMessage(account, target, messageId, random));
      await this.#rest(sendPauseMs * (0.5 + random.next()));
    }
  }

  #chooseTarget(account: TestAccount, random: SeededRandom): SendTarget {
    const { people, everybody, changing } = this.#population;
    const chance = random.next();
    if (chance < 0.2) return { streamId: everybody.id };
    if (chance < 0.35) {
      const others = random.sample(people, 1 + random.below(3)).map(({ id }) => id);
      return { participantIds: [...new Set([account.id, ...others])].toSorted((a, b) => a - b) };
    }
    const allowed = changing.filter(
      ({ isPublic, staying }) => isPublic || staying.some(({ id }) => id === account.id),
    );
    return { streamId: random.pick(allowed).id };
  }

  async #send(
    account: TestAccount,
    target: SendTarget,
    fromQueueId: string | undefined,
    until: AbortSignal,
  ): Promise<SendRecord> {
    this.#count += 1;
    const token = contentMarks.token(this.#count);
    const local =
      fromQueueId === undefined ? undefined : { queueId: fromQueueId, localId: `${this.#count}.5` };
    const record: SendRecord = {
      token,
      senderId: account.id,
      target,
      local,
      startedMs: performance.now(),
      ackedMs: undefined,
      messageId: undefined,
    };
    this.#journal.sends.push(record);
    const answer = await attemptUntilAnswered(
      this.#journal,
      account.client,
      {
        method: 'POST',
        path: 'messages',
        parameters: {
          ...this.#addressOf(account, target),
          content: token,
          ...(local === undefined ? {} : { queue_id: local.queueId, local_id: local.localId }),
        },
      },
      { until, ...(local === undefined ? { headers: { 'idempotency-key': token } } : {}) },
    );
    if (answer === undefined) return record;
    if (answer.code !== undefined) {
      this.#refused('a send', answer.body);
      return record;
    }
    record.messageId = answer.body['id'] as number;
    record.ackedMs = performance.now();
    return record;
  }

  #addressOf(account: TestAccount, target: SendTarget): Readonly<Record<string, unknown>> {
    if ('participantIds' in target) {
      const others = target.participantIds.filter((id) => id !== account.id);
      return { type: 'private', to: others.length > 0 ? others : [account.id] };
    }
    const stream = this.#streamOf(target.streamId);
    return { type: 'stream', to: stream.name, topic: `topic ${this.#count % 5}` };
  }

  #streamOf(streamId: number): ChaosStream {
    const { everybody, changing } = this.#population;
    const found = [everybody, ...changing].find(({ id }) => id === streamId);
    if (found === undefined) throw new Error('no such stream');
    return found;
  }

  /** Changes a message that was just acknowledged: its sender edits or stars it, or a holder reacts to it. */
  async #changeMessage(
    account: TestAccount,
    target: SendTarget,
    messageId: number,
    random: SeededRandom,
  ): Promise<void> {
    const holdsIt =
      'participantIds' in target ||
      this.#streamOf(target.streamId).staying.some(({ id }) => id === account.id);
    // A star would make anybody else a holder of the message.
    const kind = holdsIt ? random.pick(['edit', 'reaction', 'star'] as const) : 'edit';
    this.#count += 1;
    const mark = {
      edit: contentMarks.edit(this.#count),
      reaction: emoji,
      star: 'starred',
    }[kind];
    const record: ChangeRecord = {
      kind,
      messageId,
      userId: account.id,
      mark,
      startedMs: performance.now(),
      ackedMs: undefined,
      unclear: 0,
    };
    this.#journal.changes.push(record);
    const sent = this.#journal.sends.find((send) => send.messageId === messageId);
    const answer = await attemptUntilAnswered(
      this.#journal,
      account.client,
      {
        edit: {
          method: 'PATCH' as const,
          path: `messages/${messageId}`,
          parameters: { content: `${sent?.token} ${mark}` },
        },
        reaction: {
          method: 'POST' as const,
          path: `messages/${messageId}/reactions`,
          parameters: { emoji_name: emoji },
        },
        star: {
          method: 'POST' as const,
          path: 'messages/flags',
          parameters: { messages: [messageId], op: 'add', flag: 'starred' },
        },
      }[kind],
      {
        until: this.#giveUp.signal,
        onUnclear: () => {
          record.unclear += 1;
        },
      },
    );
    if (answer === undefined) return;
    record.ackedMs = performance.now();
    // If the first request was executed, its repeat finds the reaction already there.
    const isThere = kind === 'reaction' && this.#journal.countPossibleRepeats(record) > 0;
    if (answer.code !== undefined && !isThere) {
      record.ackedMs = undefined;
      this.#refused(`a change (${kind})`, answer.body);
    }
  }

  async #moveForEver(account: TestAccount, random: SeededRandom): Promise<void> {
    const isIn = new Set<number>();
    while (!this.#stopping.signal.aborted) {
      await this.#rest(movePauseMs * (0.5 + random.next()));
      const stream = random.pick(this.#population.changing);
      const op = isIn.has(stream.id) ? 'remove' : 'add';
      await this.#move(account, stream, op, random);
      if (op === 'add') isIn.add(stream.id);
      else isIn.delete(stream.id);
    }
  }

  async #move(
    account: TestAccount,
    stream: ChaosStream,
    op: 'add' | 'remove',
    random: SeededRandom,
  ): Promise<void> {
    const record = {
      userId: account.id,
      streamId: stream.id,
      op,
      startedMs: performance.now(),
      ackedMs: undefined as number | undefined,
      hasEffect: false,
      unclear: 0,
    };
    this.#journal.memberships.push(record);
    const isInvited = op === 'add' && !stream.isPublic;
    const { client } = isInvited ? random.pick(stream.staying) : account;
    const answer = await attemptUntilAnswered(
      this.#journal,
      client,
      op === 'add'
        ? {
            method: 'POST',
            path: 'users/me/subscriptions',
            parameters: {
              subscriptions: [{ name: stream.name }],
              ...(isInvited ? { principals: [account.email] } : {}),
            },
          }
        : {
            method: 'DELETE',
            path: 'users/me/subscriptions',
            parameters: { subscriptions: [stream.name] },
          },
      {
        until: this.#giveUp.signal,
        onUnclear: () => {
          record.unclear += 1;
        },
      },
    );
    if (answer === undefined) return;
    if (answer.code !== undefined) {
      this.#refused(`a membership change (${op})`, answer.body);
      return;
    }
    record.ackedMs = performance.now();
    const changed =
      op === 'add'
        ? Object.keys(answer.body['subscribed'] as object).length
        : (answer.body['removed'] as readonly string[]).length;
    record.hasEffect = changed > 0;
  }

  /** Queues that are registered during the run, read for a while, and deleted. */
  async #visitForEver(random: SeededRandom): Promise<void> {
    const visits: Promise<void>[] = [];
    while (!this.#stopping.signal.aborted) {
      await this.#rest(visitPauseMs * (0.5 + random.next()));
      const visit = this.#visit(random.pick(this.#population.people), random.pick(readingWays));
      visits.push(
        visit.catch((error: unknown) => {
          this.#journal.findings.add('answer', (error as Error).message);
        }),
      );
    }
    await Promise.all(visits);
  }

  async #visit(account: TestAccount, way: ReadingWay): Promise<void> {
    const visitor = await this.#openQueue(account, way, false, 'a visit of ');
    await this.#rest(visitMs);
    await visitor.stop();
    await visitor.drain(this.#giveUp.signal);
    await visitor.readAgain(this.#giveUp.signal);
    await visitor.delete(this.#giveUp.signal);
  }

  /** Delivered messages can be fetched at once. */
  async #probe(account: TestAccount, messageId: number): Promise<void> {
    const answer = await attemptUntilAnswered(
      this.#journal,
      account.client,
      {
        method: 'GET',
        path: 'messages',
        parameters: { anchor: messageId, num_before: 0, num_after: 1, apply_markdown: false },
      },
      { until: this.#giveUp.signal },
    );
    if (answer === undefined) return;
    this.#journal.probes += 1;
    if (answer.code !== undefined) {
      this.#refused('GET messages', answer.body);
      return;
    }
    const [first] = readObjects(answer.body, 'messages');
    if (first?.['id'] !== messageId) {
      this.#journal.findings.add(
        'history',
        `message ${messageId}, delivered to user ${account.id}, was not there when he asked for it`,
      );
    }
  }

  #refused(what: string, body: Readonly<Record<string, unknown>>): void {
    this.#journal.findings.add('answer', `${what} was refused: ${JSON.stringify(body)}`);
  }

  #aside(work: Promise<void>): void {
    const kept = work.finally(() => this.#asides.delete(kept));
    this.#asides.add(kept);
  }

  async #rest(ms: number): Promise<void> {
    await pause(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }

  #ownRandom(): SeededRandom {
    return new SeededRandom(this.#random.below(2 ** 31));
  }
}
