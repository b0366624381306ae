import { transaction } from '@parley/database';
import type { Pool } from '@parley/database';
import {
  claimAddedMentions,
  concernedCountMax,
  findNewMessages,
  forgetAddedMentions,
  lookAtMessages,
  moveToldUpto,
  writeCandidates,
} from '@parley/store/notifications';
import type { ConcerningMessage, EnabledChannels, NewMessages } from '@parley/store/notifications';

/** A look takes as many messages as the one before it allows: twice as many after a short one, half as many after a long one. */
const firstLookMessages = 100;
const lookMessagesMax = 3_200;
const shortLookMs = 50;
const longLookMs = 200;

/** A message, with those up to it that concern nobody: what one transaction writes. */
type Portion = { readonly messageIds: number[]; concerned: number };

/** Divides messages so that no transaction writes very many candidates, unless a single message has them. */
function inPortions(concerning: readonly ConcerningMessage[]): readonly Portion[] {
  const portions: Portion[] = [];
  for (const { id, concerned } of concerning) {
    const last = portions.at(-1);
    if (last === undefined || last.concerned + concerned > concernedCountMax)
      portions.push({ messageIds: [id], concerned });
    else {
      last.messageIds.push(id);
      last.concerned += concerned;
    }
  }
  return portions;
}

/** @returns how many candidates became rows; undefined if another process has looked at the messages */
async function take(
  pool: Pool,
  messages: NewMessages,
  concerning: readonly ConcerningMessage[],
  by: EnabledChannels,
): Promise<number | undefined> {
  const portions = inPortions(concerning);
  let { after } = messages;
  let taken = 0;
  for (const [n, { messageIds }] of portions.entries()) {
    const isLast = n === portions.length - 1;
    const upto = isLast ? messages.upto : (messageIds.at(-1) ?? after);
    const written = await transaction(pool, async (client) =>
      (await moveToldUpto(client, { after, upto }))
        ? writeCandidates(client, 'messages', messageIds, by)
        : undefined,
    );
    if (written === undefined) return undefined;
    taken += written;
    after = upto;
  }
  if (portions.length > 0) return taken;
  return (await moveToldUpto(pool, messages)) ? 0 : undefined;
}

/** Each message by itself, because an edit may mention everybody. */
async function takeAdditions(pool: Pool, by: EnabledChannels | undefined): Promise<number> {
  let taken = 0;
  for (;;) {
    const written = await transaction(pool, async (client) => {
      const messageId = await claimAddedMentions(client);
      if (messageId === undefined) return undefined;
      const candidates =
        by === undefined ? 0 : await writeCandidates(client, 'additions', [messageId], by);
      await forgetAddedMentions(client, messageId);
      return candidates;
    });
    if (written === undefined) return taken;
    taken += written;
  }
}

/**
 * Turns the people whom new messages, or mentions that edits added, may concern into candidates, at least once whatever dies, and once
 * because the position moves with them. Any number of processes may call it: who looks is decided when the position moves, and no lock is
 * held during a look.
 *
 * @returns how many candidates became rows
 */
export async function takeNewMessages(pool: Pool, by: EnabledChannels): Promise<number> {
  const { isWorthIt, hasAdditions, upto, ...found } = await findNewMessages(pool, by);
  let { after } = found;
  let taken = hasAdditions ? await takeAdditions(pool, isWorthIt ? by : undefined) : 0;
  let messagesMax = firstLookMessages;
  while (after < upto) {
    if (!isWorthIt) {
      await moveToldUpto(pool, { after, upto });
      return taken;
    }
    const begunMs = pool.clock.elapsedMs();
    const looked = await lookAtMessages(pool, { after, upto }, messagesMax);
    const written = await take(pool, { after, upto: looked.upto }, looked.concerning, by);
    if (written === undefined) return taken;
    taken += written;
    after = looked.upto;
    const tookMs = pool.clock.elapsedMs() - begunMs;
    if (tookMs < shortLookMs) messagesMax = Math.min(lookMessagesMax, messagesMax * 2);
    if (tookMs > longLookMs) messagesMax = Math.max(1, Math.floor(messagesMax / 2));
  }
  return taken;
}
