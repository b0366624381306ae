/** At the end GET messages returns what was delivered, with every acknowledged change. */
import { readObjects } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';

import { attemptUntilAnswered } from './attempt.ts';
import { contentMarks } from './journal.ts';
import type { Ledger } from './ledger.ts';

const pageMessages = 1_000;
const pagesMax = 100;

export async function judgeHistory(
  ledger: Ledger,
  readers: readonly { readonly userId: number; readonly client: ApiClient }[],
  until: AbortSignal,
): Promise<void> {
  for (const { userId, client } of readers) {
    const history = await readHistory(ledger, client, until);
    if (history === undefined)
      ledger.journal.findings.add('history', `user ${userId} could not read his messages`);
    else judgeReader(ledger, userId, history);
  }
}

async function readHistory(
  ledger: Ledger,
  client: ApiClient,
  until: AbortSignal,
): Promise<ReadonlyMap<number, JsonObject> | undefined> {
  const found = new Map<number, JsonObject>();
  let anchor = 0;
  for (let page = 0; page < pagesMax; page += 1) {
    const answer = await attemptUntilAnswered(
      ledger.journal,
      client,
      {
        method: 'GET',
        path: 'messages',
        parameters: { anchor, num_before: 0, num_after: pageMessages, apply_markdown: false },
      },
      { until },
    );
    if (answer === undefined || answer.code !== undefined) return undefined;
    for (const message of readObjects(answer.body, 'messages')) {
      anchor = message['id'] as number;
      found.set(anchor, message);
    }
    if (answer.body['found_newest'] === true) return found;
    anchor += 1;
  }
  return undefined;
}

/** @param history what GET messages returns to the person, by message id; fetched after the person's queues were read to their ends */
export function judgeReader(
  ledger: Ledger,
  userId: number,
  history: ReadonlyMap<number, JsonObject>,
): void {
  const say = (text: string): void =>
    ledger.journal.findings.add('history', `user ${userId}: ${text}`);
  for (const message of ledger.messages.values()) {
    const isThere = history.has(message.messageId);
    if (isThere !== ledger.holds(userId, message))
      say(
        `message ${message.messageId} (${message.token}) is ${isThere ? '' : 'not '}in GET messages, against what was delivered`,
      );
  }
  const newestDelivered = ledger.journal.queues
    .filter((queue) => queue.userId === userId)
    .flatMap(({ received }) => received)
    .reduce((max, each) => (each.what === 'message' ? Math.max(max, each.messageId) : max), 0);
  for (const [id, message] of history) {
    const known = ledger.messages.get(id);
    const token = contentMarks.findToken(message['content'] as string);
    // The server's own notices arrive at any time, also after the queues were read to their ends.
    if (token === undefined && id > newestDelivered) continue;
    if (known === undefined) say(`message ${id} (${token}) was delivered to nobody`);
    else if (known.token !== token) say(`message ${id} reads ${token} and not ${known.token}`);
  }
  for (const change of ledger.journal.changes) {
    const message = history.get(change.messageId);
    if (change.ackedMs === undefined || message === undefined) continue;
    // Who was no member of a private stream at a change, and is none, sees the message as it was.
    const delivered = ledger.messages.get(change.messageId);
    const isTold =
      delivered === undefined ||
      change.kind === 'star' ||
      [ledger.positionOf(change) ?? Infinity, Infinity].some((position) =>
        ledger.isToldOfChange(userId, delivered, position),
      );
    if (!isTold) continue;
    const isThere = {
      edit: () => contentMarks.findEdit(message['content'] as string) === change.mark,
      reaction: () =>
        readObjects(message, 'reactions').some(
          (reaction) => reaction['emoji_name'] === change.mark,
        ),
      star: () =>
        change.userId !== userId || (message['flags'] as readonly string[]).includes('starred'),
    }[change.kind]();
    if (!isThere) say(`message ${change.messageId} lacks ${change.kind} ${change.mark}`);
  }
}
