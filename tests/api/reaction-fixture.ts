/** A public stream whose messages people react to, and queues of everyone who might get their events. */
import { addRealmEmoji } from '@parley/store';
import type { JsonObject, Parameters, TestAccount } from '@parley/test-kit';

import { FencedQueues } from './fenced-queues.ts';
import { fetchMessages, startMessageFixture } from './message-fixture.ts';
import type { MessageFixture } from './message-fixture.ts';

const names = [
  'ann',
  'bob',
  'cat',
  'guest',
  'bot',
  'dan',
  'eve',
  'member guest',
  'outgoing bot',
  'subscribed outgoing bot',
] as const;
export type Name = (typeof names)[number];

/** The holders of the messages in the public stream. */
export const denmark: readonly Name[] = ['ann', 'bob', 'dan', 'member guest'];

export const thumbsUp = {
  emoji_name: '+1',
  emoji_code: '1f44d',
  reaction_type: 'unicode_emoji',
} as const;

export class ReactionFixture {
  readonly all: MessageFixture;
  readonly people: Readonly<Record<Name, TestAccount>>;
  readonly queues: FencedQueues<Name>;
  /** The code of the custom emoji `parley`. */
  readonly customId: string;

  private constructor(
    all: MessageFixture,
    people: Readonly<Record<Name, TestAccount>>,
    queues: FencedQueues<Name>,
    customId: string,
  ) {
    this.all = all;
    this.people = people;
    this.queues = queues;
    this.customId = customId;
  }

  static async start(): Promise<ReactionFixture> {
    const all = await startMessageFixture();
    const { organization, ann, bob, cat, guest, bot } = all;
    const outgoing = { botType: 3, owner: bob };
    const people = {
      ann,
      bob,
      cat,
      guest,
      bot,
      dan: await organization.makeAccount('Dan Left'),
      eve: await organization.makeAccount('Eve Out'),
      'member guest': await organization.makeAccount('Gil Guest', { role: 'guest' }),
      'outgoing bot': await organization.makeAccount('Outgoing', outgoing),
      'subscribed outgoing bot': await organization.makeAccount('Outgoing Too', outgoing),
    };
    const members = [...denmark, 'subscribed outgoing bot'] as const;
    await organization.makeStream(
      'Denmark',
      members.map((name) => people[name]),
    );
    await organization.makeStream('fences', Object.values(people));
    const customId = await addRealmEmoji(all.pool, {
      name: 'parley',
      authorId: ann.id,
      fileName: '1.png',
    });
    const queues = await FencedQueues.open(
      people,
      ['reaction', 'update_message_flags'],
      (content) => ann.client.sendToStream('fences', 'x', content),
    );
    return new ReactionFixture(all, people, queues, String(customId));
  }

  react(who: Name, parameters: Parameters, id: number): Promise<JsonObject> {
    return this.people[who].client.post(`messages/${id}/reactions`, parameters);
  }

  unreact(who: Name, parameters: Parameters, id: number): Promise<JsonObject> {
    return this.people[who].client.delete(`messages/${id}/reactions`, parameters);
  }

  /** The reactions of a message of the public stream as a reader fetches them. */
  async reactionsOf(who: Name, id: number): Promise<readonly JsonObject[]> {
    const { messages } = await fetchMessages(this.people[who], {
      anchor: id,
      num_before: 0,
      narrow: [['stream', 'Denmark']],
    });
    return (messages[0]?.['reactions'] ?? []) as readonly JsonObject[];
  }

  stop(): Promise<void> {
    return this.all.stop();
  }
}
