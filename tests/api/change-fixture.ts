/** A cluster with two message services, and people with every relation to its streams, for tests of changed messages. */
import type { RealmSettings } from '@parley/api/organization';
import { realmSettingDefaults } from '@parley/api/organization';
import type { JsonObject, Parameters, TestAccount } from '@parley/test-kit';

import { updateRealmSettings } from '../support/realm-settings.ts';
import { FencedQueues } from './fenced-queues.ts';
import { fetchMessages, startMessageFixture } from './message-fixture.ts';
import type { Message, MessageFixture } from './message-fixture.ts';

export type Name =
  | 'ann'
  | 'bob'
  | 'cat'
  | 'guest'
  | 'bot'
  | 'dan'
  | 'eve'
  | 'fay'
  | 'member guest'
  | 'outgoing bot';

export const invalidMessage = 'Invalid message(s)';

/**
 * Ann administers; Bob, Fay and the member guest are in every stream; Cat, the guest and Bob's bot are in none; an outgoing-webhook
 * bot is in all. Dan leaves and Eve joins when a test says so.
 */
export class ChangeFixture {
  readonly all: MessageFixture;
  readonly people: Readonly<Record<Name, TestAccount>>;
  readonly queues: FencedQueues<Name>;

  static async start(eventTypes: readonly string[]): Promise<ChangeFixture> {
    const all = await startMessageFixture();
    const { organization, ann, bob, cat, guest, bot } = all;
    const people = {
      ann,
      bob,
      cat,
      guest,
      bot,
      dan: await organization.makeAccount('Dan Left'),
      eve: await organization.makeAccount('Eve Late'),
      fay: await organization.makeAccount('Fay Here'),
      'member guest': await organization.makeAccount('Gil Guest', { role: 'guest' }),
      'outgoing bot': await organization.makeAccount('Outgoing', { botType: 3, owner: bob }),
    };
    const inStreams = [
      bob,
      people.dan,
      people.fay,
      people['member guest'],
      people['outgoing bot'],
      ann,
    ];
    await organization.makeStream('Denmark', inStreams);
    await organization.makeStream('secret', inStreams, { inviteOnly: true });
    await organization.makeStream('shared', inStreams, {
      inviteOnly: true,
      historyPublicToSubscribers: true,
    });
    await organization.makeStream('fences', Object.values(people));
    const queues = await FencedQueues.open(people, eventTypes, (content) =>
      ann.client.sendToStream('fences', 'x', content),
    );
    return new ChangeFixture(all, people, queues);
  }

  private constructor(
    all: MessageFixture,
    people: Readonly<Record<Name, TestAccount>>,
    queues: FencedQueues<Name>,
  ) {
    this.all = all;
    this.people = people;
    this.queues = queues;
  }

  send(who: Name, topic: string, content: string, stream = 'Denmark'): Promise<number> {
    return this.people[who].client.sendToStream(stream, topic, content);
  }

  /** @returns the ids of one message of each person, sent in this order */
  async sendEach<Names extends readonly Name[]>(
    topic: string,
    ...people: Names
  ): Promise<{ [Index in keyof Names]: number }> {
    const ids: number[] = [];
    for (const who of people) ids.push(await this.send(who, topic, `message ${ids.length + 1}`));
    return ids as { [Index in keyof Names]: number };
  }

  edit(who: Name, id: number, parameters: Parameters): Promise<JsonObject> {
    return this.people[who].client.patch(`messages/${id}`, parameters);
  }

  remove(who: Name, id: number): Promise<JsonObject> {
    return this.people[who].client.delete(`messages/${id}`);
  }

  async raw(who: Name, id: number): Promise<unknown> {
    return (await this.people[who].client.get(`messages/${id}`))['raw_content'];
  }

  async history(who: Name, id: number): Promise<readonly JsonObject[]> {
    const answer = await this.people[who].client.get(`messages/${id}/history`);
    return answer['message_history'] as readonly JsonObject[];
  }

  /** The message as a reader fetches it, with a narrow to its stream or to the messages that the reader holds. */
  async fetched(who: Name, id: number, stream?: string): Promise<Message | undefined> {
    const { messages } = await fetchMessages(this.people[who], {
      anchor: id,
      num_before: 0,
      ...(stream === undefined ? {} : { narrow: [['stream', stream]] }),
    });
    return messages[0];
  }

  /** Makes Dan leave the streams, or Eve join them. */
  async leave(who: Name, stream: string): Promise<void> {
    await this.people[who].client.unsubscribe(stream);
  }

  async join(who: Name, stream: string): Promise<void> {
    await this.people.ann.client.subscribe(stream, { principals: [this.people[who].email] });
  }

  /** Changes the times of messages as if they had been sent this long ago. */
  async age(ids: readonly number[], secs: number): Promise<void> {
    await this.all.pool.query(
      'UPDATE messages SET sent_at = parley_now() - make_interval(secs => $2) WHERE id = ANY ($1::bigint[])',
      [ids, secs],
    );
  }

  /** Gives the organization these settings while `work` runs. */
  async withSettings<Result>(
    settings: Partial<RealmSettings>,
    work: () => Promise<Result>,
  ): Promise<Result> {
    await updateRealmSettings(this.all.pool, settings);
    try {
      return await work();
    } finally {
      await updateRealmSettings(this.all.pool, realmSettingDefaults);
    }
  }

  async stop(): Promise<void> {
    await this.all.stop();
  }
}
