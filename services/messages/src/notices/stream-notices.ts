/**
 * What the notification bot writes when streams and subscriptions change (reference facts, streams 5.2 and 8.1) and people sign up
 * (events 18). Each notice is sent with the key of its effect, so it is sent once; whoever made the change has read it.
 */
import type { Pool } from '@parley/database';
import type { SideEffectHandlers } from '@parley/jobs';
import {
  findMemberships,
  findNotificationBot,
  findStreamsByIds,
  findUserById,
} from '@parley/store';
import type { Stream, User } from '@parley/store';

import { asBold } from '../sending/bot-owner-notices.ts';
import type { SystemMessage } from '../sending/send.ts';

const streamEventsTopic = 'stream events';
const newStreamsTopic = 'new streams';
const signUpsTopic = 'signups';

export type NoticeOptions = {
  readonly pool: Pool;
  readonly send: (message: SystemMessage) => Promise<unknown>;
};

function mention(user: User): string {
  return `@**${user.fullName}|${user.id}**`;
}

function silentMention(user: User): string {
  return `@_**${user.fullName}|${user.id}**`;
}

/** Links in the order of the names' code points, as streams are listed. */
function links(streams: readonly Stream[]): string[] {
  return streams
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((stream) => `#**${stream.name}**`);
}

function subscribedText(actor: User, streams: readonly Stream[]): string {
  const [first, ...more] = links(streams);
  if (more.length === 0) return `${mention(actor)} subscribed you to ${first}.`;
  const list = [first, ...more].map((link) => `* ${link}`).join('\n');
  return `${mention(actor)} subscribed you to these streams:\n\n${list}`;
}

/** @returns what each kind of notice does */
export function streamNotices({
  pool,
  send,
}: NoticeOptions): Omit<SideEffectHandlers, 'outgoing-webhook'> {
  const findSpeakers = async (
    actorId: number,
  ): Promise<{ readonly bot: User; readonly actor: User } | undefined> => {
    const [bot, actor] = await Promise.all([
      findNotificationBot(pool),
      findUserById(pool, actorId),
    ]);
    return bot === undefined || actor === undefined ? undefined : { bot, actor };
  };

  /** Writes to a stream if it is still there. */
  const tellStream = async (
    run: { readonly key: string; readonly streamId: number; readonly actorId: number },
    topic: string,
    makeText: (actor: User) => string | undefined,
  ): Promise<void> => {
    const speakers = await findSpeakers(run.actorId);
    const [stream] = await findStreamsByIds(pool, [run.streamId]);
    if (speakers === undefined || stream === undefined || stream.isDeactivated) return;
    const { bot, actor } = speakers;
    const content = makeText(actor);
    if (content === undefined) return;
    await send({
      senderId: bot.id,
      type: 'stream',
      toId: stream.id,
      topic,
      content,
      key: run.key,
      readByIds: [actor.id],
    });
  };

  return {
    'subscribed-notice': async ({ effect, key }) => {
      const { target: recipientId, streamIds, actorId } = effect;
      const speakers = await findSpeakers(actorId);
      // Who has left a private stream meanwhile is told nothing of it.
      const [members, recipient] = await Promise.all([
        findMemberships(pool, recipientId, streamIds),
        findUserById(pool, recipientId),
      ]);
      const streams = (await findStreamsByIds(pool, streamIds)).filter(
        (stream) => members.has(stream.id) && !stream.isDeactivated,
      );
      if (speakers === undefined || streams.length === 0 || recipient?.isActive !== true) return;
      await send({
        senderId: speakers.bot.id,
        type: 'private',
        toId: recipientId,
        content: subscribedText(speakers.actor, streams),
        key,
        namedAs: recipientId,
      });
    },
    'stream-created-notice': async ({ effect, key }) =>
      tellStream(
        { key, streamId: effect.target, actorId: effect.actorId },
        streamEventsTopic,
        (actor) => `Stream created by ${silentMention(actor)}.`,
      ),
    'new-streams-notice': async ({ effect, key }) => {
      // Only what everybody who reads the announcement may know of.
      const streams = (await findStreamsByIds(pool, effect.streamIds)).filter(
        (stream) => !stream.inviteOnly && !stream.isDeactivated,
      );
      await tellStream(
        { key, streamId: effect.target, actorId: effect.actorId },
        newStreamsTopic,
        (actor) => {
          if (streams.length === 0) return undefined;
          const what = streams.length === 1 ? 'a new stream' : 'new streams:';
          return `${silentMention(actor)} created ${what} ${links(streams).join(', ')}.`;
        },
      );
    },
    'stream-renamed-notice': async ({ effect, key }) =>
      tellStream(
        { key, streamId: effect.target, actorId: effect.actorId },
        streamEventsTopic,
        (actor) =>
          `${silentMention(actor)} renamed this stream from ${asBold(effect.oldName)} to ${asBold(effect.newName)}.`,
      ),
    'signed-up-notice': async ({ effect, key }) => {
      const [bot, actor, person, [stream]] = await Promise.all([
        findNotificationBot(pool),
        findUserById(pool, effect.actorId),
        findUserById(pool, effect.personId),
        findStreamsByIds(pool, [effect.target]),
      ]);
      if (bot === undefined || person === undefined) return;
      if (stream === undefined || stream.isDeactivated) return;
      await send({
        senderId: bot.id,
        type: 'stream',
        toId: stream.id,
        topic: signUpsTopic,
        content: `${silentMention(person)} joined this organization.`,
        key,
        // The operator has no account that could have read it.
        readByIds: actor === undefined ? [] : [actor.id],
      });
    },
  };
}
