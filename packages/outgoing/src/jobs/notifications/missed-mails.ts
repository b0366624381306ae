/** Mails about unread messages: decided when they are due, and judged again before they go (decision 0053). */
import type { Clock } from '@parley/clock';
import type { AnswerAddresses } from '@parley/config';
import { transaction } from '@parley/database';
import type { Pool } from '@parley/database';
import type { KeySecrets } from '@parley/auth/secrets';
import { getRealm, insertMails, removeMail } from '@parley/store';
import {
  listDueMailCandidates,
  listNotificationFacts,
  lockMailCandidates,
  postponeMailCandidates,
  removeMailCandidates,
  restoreMailCandidates,
  notifiedMaxAgeSecs,
} from '@parley/store/notifications';
import type { ClaimedMail, NewMail, Realm } from '@parley/store';
import type { Candidate, NotificationFacts } from '@parley/store/notifications';

import { byConversation, isOld, judge } from './judge.ts';
import { missedLetter } from './missed-letter.ts';
import { StepSize } from './step-size.ts';

export type MissedMailOptions = {
  readonly clock: Clock;
  readonly pool: Pool;
  readonly keySecrets: KeySecrets;
  /** Without a slash at the end. */
  readonly publicUrl: string;
  /** Undefined if mails cannot be answered. */
  readonly answerAddresses: AnswerAddresses | undefined;
};

const duePerStep = 500;
/** A transaction that is idle for a second is ended, and on a busy machine Node may not get a core for that long. */
const stepSizes = { least: 50, most: 2_000, fittingMs: 200 } as const;
const mailKind = 'missed-messages';

function isFilled(
  items: readonly NotificationFacts[],
): items is readonly [NotificationFacts, ...NotificationFacts[]] {
  return items.length > 0;
}

function idOf({ userId, messageId }: Candidate): string {
  return `${userId}/${messageId}`;
}

function mailOf(
  facts: readonly [NotificationFacts, ...NotificationFacts[]],
  realm: Realm,
  { publicUrl, answerAddresses }: MissedMailOptions,
): NewMail & Required<Pick<NewMail, 'about'>> {
  const [{ userId, recipient }] = facts;
  return {
    kind: mailKind,
    recipient: recipient.email,
    letter: JSON.stringify(missedLetter(facts, realm, publicUrl, answerAddresses !== undefined)),
    expiresInSecs: notifiedMaxAgeSecs,
    about: { userId, messageIds: facts.map(({ messageId }) => messageId) },
  };
}

/** Decides about some due candidates. What takes time is done before the transaction; the mails are judged again before they go. */
async function decide(options: MissedMailOptions, candidatesMax: number): Promise<number> {
  const { clock, pool, keySecrets } = options;
  const candidates = await listDueMailCandidates(pool, { dueMax: duePerStep, candidatesMax });
  if (candidates.length === 0) return 0;
  const nowMs = clock.nowMs();
  const dueIds = new Set(candidates.filter(({ isDue }) => isDue).map(idOf));
  const facts = await listNotificationFacts(pool, candidates);
  const owed = facts.filter((each) => judge(each, true).email !== undefined && !isOld(each, nowMs));
  const isWaiting = ({ recipient }: NotificationFacts): boolean => recipient.activeSecs > 0;
  const mailed = byConversation(owed.filter((each) => !isWaiting(each))).filter((group) =>
    group.some((each) => dueIds.has(idOf(each))),
  );
  const realm = await getRealm(pool);
  const mails = realm.isDeactivated
    ? []
    : mailed.flatMap((group) => (isFilled(group) ? [mailOf(group, realm, options)] : []));
  const decided = new Set(mailed.flat().map(idOf));
  const kept = new Set(owed.map(idOf).filter((id) => !decided.has(id)));
  return transaction(pool, async (client) => {
    const held = new Set((await lockMailCandidates(client, candidates)).map(idOf));
    // Another process decides about them, or has done so.
    const lost = new Set(
      candidates.filter((each) => !held.has(idOf(each))).map(({ userId }) => userId),
    );
    const isMine = ({ userId }: { readonly userId: number }): boolean => !lost.has(userId);
    await insertMails(
      client,
      keySecrets,
      mails.filter(({ about }) => isMine(about)),
    );
    const mine = candidates.filter(isMine);
    await removeMailCandidates(
      client,
      mine.filter((each) => !kept.has(idOf(each))),
    );
    await postponeMailCandidates(
      client,
      owed
        .filter((each) => isMine(each) && isWaiting(each) && dueIds.has(idOf(each)))
        .map(({ userId, messageId, recipient }) => ({
          userId,
          messageId,
          delaySecs: recipient.activeSecs,
        })),
    );
    return mine.length;
  });
}

/**
 * Makes the step that decides about all due candidates: whoever is away gets a mail for each conversation, whoever is active is asked about
 * again after that, and the rest is forgotten. A mail and the end of its candidates are one transaction.
 *
 * @returns about how many it decided
 */
export function missedMailWriter(options: MissedMailOptions): () => Promise<number> {
  const { clock } = options;
  const step = new StepSize(stepSizes);
  return async () => {
    let all = 0;
    for (;;) {
      const beganAtMs = clock.elapsedMs();
      let decided: number;
      try {
        decided = await decide(options, step.size);
      } catch (error) {
        step.shrink();
        throw error;
      }
      if (decided === 0) return all;
      step.fit(decided, clock.elapsedMs() - beganAtMs);
      all += decided;
    }
  };
}

/**
 * Judges a claimed mail about messages directly before it is sent. If its messages were read, changed, deleted or hidden since it was
 * written, or its recipient came back or changed the settings, it is withdrawn: what is still owed becomes candidates again.
 *
 * @returns whether it may be sent
 */
export async function confirmMissedMail(
  options: MissedMailOptions,
  mail: ClaimedMail,
): Promise<boolean> {
  const { pool } = options;
  const { about } = mail;
  if (about === undefined) return true;
  const candidates = about.messageIds.map((messageId) => ({ userId: about.userId, messageId }));
  const [facts, realm] = await Promise.all([
    listNotificationFacts(pool, candidates),
    getRealm(pool),
  ]);
  const owed = facts.filter((each) => judge(each).email !== undefined);
  if (isFilled(owed) && !realm.isDeactivated) {
    const now = mailOf(owed, realm, options);
    if (now.letter === mail.letter && now.recipient === mail.recipient) return true;
  }
  await transaction(pool, async (client) => {
    if (await removeMail(client, mail)) await restoreMailCandidates(client, candidates);
  });
  return false;
}
