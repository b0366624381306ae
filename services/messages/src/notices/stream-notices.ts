/**
 * The notices about changes of streams and subscriptions (reference facts, streams 5.2 and 8.1) and about sign-ups (events 18). Each notice
 * is sent with the key of its effect, so it is sent once. For the person who made the change it is read.
 */
import { ApiError } from '@parley/api';
import {
  bold,
  listNotices,
  mention,
  notice,
  silentMention,
  streamCreatedNotice,
  streamEventsTopic,
  streamLink,
  topicLink,
} from '@parley/composing';
import type { Notice } from '@parley/composing';
import type { Pool } from '@parley/database';
import type { RunAgain, SideEffectHandlers } from '@parley/outgoing/jobs';
import {
  findMemberships,
  findNotificationBot,
  findStreamsByIds,
  findUserById,
} from '@parley/store';
import type { Stream, User } from '@parley/store';

import type { SystemMessage } from '../sending/send.ts';

const newStreamsTopic = 'new streams';
const signUpsTopic = 'signups';

export type NoticeOptions = {
  readonly pool: Pool;
  readonly send: (message: SystemMessage) => Promise<unknown>;
};

/** Links in the order of the names' code points, as streams are listed. */
function links(streams: readonly Stream[]): Notice[] {
  return streams.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(streamLink);
}

function subscribedText(actor: User, streams: readonly Stream[]): Notice {
  const linked = links(streams);
  const [first] = linked;
  if (first !== undefined && linked.length === 1)
    return notice`${mention(actor)} subscribed you to ${first}.`;
  const list = listNotices(linked, '\n', '* ');
  return notice`${mention(actor)} subscribed you to these streams:\n\n${list}`;
}

type EffectRun<Kind extends NoticeKind> = Parameters<SideEffectHandlers[Kind]>[0];

type NoticeKind = Exclude<keyof SideEffectHandlers, 'outgoing-webhook'>;

/** A refusal for one stream must not prevent the notice to the next. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ApiError) || error.status >= 500) throw error;
}

class StreamNotices {
  readonly #pool: Pool;
  readonly #send: NoticeOptions['send'];

  constructor({ pool, send }: NoticeOptions) {
    this.#pool = pool;
    this.#send = send;
  }

  async sayWhereSubscribed({ effect, key }: EffectRun<'subscribed-notice'>): Promise<void> {
    const { target: recipientId, streamIds, actorId } = effect;
    const parties = await this.#findBotAndActor(actorId);
    // A person who has left a private stream meanwhile gets no notice about it.
    const [members, recipient] = await Promise.all([
      findMemberships(this.#pool, recipientId, streamIds),
      findUserById(this.#pool, recipientId),
    ]);
    const streams = (await findStreamsByIds(this.#pool, streamIds)).filter(
      (stream) => members.has(stream.id) && !stream.isDeactivated,
    );
    if (parties === undefined || streams.length === 0 || recipient?.isActive !== true) return;
    await this.#send({
      senderId: parties.bot.id,
      type: 'private',
      toId: recipientId,
      content: subscribedText(parties.actor, streams),
      key,
    });
  }

  /** One after the other, so that they come in this order; each is sent once, however often this is run. */
  async sayCreated(run: EffectRun<'stream-created-notice'>): Promise<RunAgain | undefined> {
    const { effect, key, signal, progress, saveProgress } = run;
    const { target, following, actorId, announcement } = effect;
    const left = [target, ...following].entries().drop(Number(progress ?? 0));
    for (const [done, streamId] of left) {
      if (signal.aborted) return { againInMs: 0 };
      await this.#writeTo(
        { streamId, actorId, key: `${key}-${streamId}` },
        streamEventsTopic,
        streamCreatedNotice,
      ).catch(ignoreRefusal);
      await saveProgress(done + 1);
    }
    if (announcement !== undefined)
      await this.announceNew({ actorId, ...announcement }, `${key}-announced`);
    return undefined;
  }

  async announceNew(
    {
      target: streamId,
      streamIds,
      actorId,
    }: Omit<EffectRun<'new-streams-notice'>['effect'], 'kind'>,
    key: string,
  ): Promise<void> {
    // Only streams that everybody who reads the announcement may know of.
    const streams = (await findStreamsByIds(this.#pool, streamIds)).filter(
      (stream) => !stream.inviteOnly && !stream.isDeactivated,
    );
    if (streams.length === 0) return;
    const what = streams.length === 1 ? notice`a new stream` : notice`new streams:`;
    await this.#writeTo(
      { streamId, actorId, key },
      newStreamsTopic,
      (actor) =>
        notice`${silentMention(actor)} created ${what} ${listNotices(links(streams), ', ')}.`,
    );
  }

  async sayRenamed({ effect, key }: EffectRun<'stream-renamed-notice'>): Promise<void> {
    const { target: streamId, actorId, oldName, newName } = effect;
    await this.#writeTo(
      { streamId, actorId, key },
      streamEventsTopic,
      (actor) =>
        notice`${silentMention(actor)} renamed this stream from ${bold(oldName)} to ${bold(newName)}.`,
    );
  }

  /**
   * The notices name both topics and say how many messages moved. So they stand only where members may read what was written before they
   * joined: elsewhere somebody may hold the notice and none of those messages.
   */
  async sayMoved({ effect, key }: EffectRun<'messages-moved-notice'>): Promise<void> {
    const { target: streamId, actorId, oldTopic, newTopic, count, notified } = effect;
    const [stream] = await findStreamsByIds(this.#pool, [streamId]);
    if (stream === undefined) return;
    const moved = count === 1 ? notice`1 message was moved` : notice`${count} messages were moved`;
    const notices = {
      old: {
        topic: oldTopic,
        makeText: (actor: User) =>
          notice`${moved} from here to ${topicLink(stream, newTopic)} by ${silentMention(actor)}.`,
      },
      new: {
        topic: newTopic,
        makeText: (actor: User) =>
          notice`${moved} here from ${topicLink(stream, oldTopic)} by ${silentMention(actor)}.`,
      },
    };
    for (const which of notified) {
      const { topic, makeText } = notices[which];
      const run = { streamId, actorId, key: `${key}-${which}`, tellsOfPast: true };
      await this.#writeTo(run, topic, makeText).catch(ignoreRefusal);
    }
  }

  async sayWhoSignedUp({ effect, key }: EffectRun<'signed-up-notice'>): Promise<void> {
    const [bot, actor, person, [stream]] = await Promise.all([
      findNotificationBot(this.#pool),
      findUserById(this.#pool, effect.actorId),
      findUserById(this.#pool, effect.personId),
      findStreamsByIds(this.#pool, [effect.target]),
    ]);
    if (bot === undefined || person === undefined) return;
    if (stream === undefined || stream.isDeactivated) return;
    await this.#send({
      senderId: bot.id,
      type: 'stream',
      toId: stream.id,
      topic: signUpsTopic,
      content: notice`${silentMention(person)} joined this organization.`,
      key,
      // The operator has no account that could have read it.
      readByIds: actor === undefined ? [] : [actor.id],
    });
  }

  /** Writes to a stream if it is still there. */
  async #writeTo(
    run: {
      readonly key: string;
      readonly streamId: number;
      readonly actorId: number;
      readonly tellsOfPast?: boolean;
    },
    topic: string,
    makeText: (actor: User) => Notice,
  ): Promise<void> {
    const parties = await this.#findBotAndActor(run.actorId);
    const [stream] = await findStreamsByIds(this.#pool, [run.streamId]);
    if (parties === undefined || stream === undefined || stream.isDeactivated) return;
    const { bot, actor } = parties;
    await this.#send({
      senderId: bot.id,
      type: 'stream',
      toId: stream.id,
      topic,
      content: makeText(actor),
      key: run.key,
      tellsOfPast: run.tellsOfPast ?? false,
      readByIds: [actor.id],
    });
  }

  async #findBotAndActor(
    actorId: number,
  ): Promise<{ readonly bot: User; readonly actor: User } | undefined> {
    const [bot, actor] = await Promise.all([
      findNotificationBot(this.#pool),
      findUserById(this.#pool, actorId),
    ]);
    return bot === undefined || actor === undefined ? undefined : { bot, actor };
  }
}

/** @returns what each kind of notice does */
export function streamNotices(options: NoticeOptions): Pick<SideEffectHandlers, NoticeKind> {
  const notices = new StreamNotices(options);
  return {
    'subscribed-notice': (run) => notices.sayWhereSubscribed(run),
    'stream-created-notice': (run) => notices.sayCreated(run),
    'new-streams-notice': ({ effect, key }) => notices.announceNew(effect, key),
    'stream-renamed-notice': (run) => notices.sayRenamed(run),
    'messages-moved-notice': (run) => notices.sayMoved(run),
    'signed-up-notice': (run) => notices.sayWhoSignedUp(run),
  };
}
