/** Mails about unread messages: decided when they are due, and judged again before they go (decision 0053). */
import type { AnswerAddresses } from '@parley/config';
import { transaction } from '@parley/database';
import type { Client, Pool } from '@parley/database';
import type { KeySecrets } from '@parley/secrets';
import { getRealm, insertMails, removeMail } from '@parley/store';
import {
  listNotificationFacts,
  lockDueMailCandidates,
  postponeMailCandidates,
  removeMailCandidates,
  restoreMailCandidates,
  notifiedMaxAgeSecs,
} from '@parley/store/notifications';
import type { ClaimedMail, NewMail, Realm } from '@parley/store';
import type { Candidate, NotificationFacts } from '@parley/store/notifications';

import { byConversation, isOld, judge } from './judge.ts';
import { missedLetter } from './missed-letter.ts';

export type MissedMailOptions = {
  readonly pool: Pool;
  readonly keySecrets: KeySecrets;
  /** Without a slash at the end. */
  readonly publicUrl: string;
  /** Undefined if mails cannot be answered. */
  readonly answerAddresses: AnswerAddresses | undefined;
};

const duePerStep = 500;
const candidatesPerStep = 2_000;
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

async function decide(client: Client, options: MissedMailOptions): Promise<number> {
  const candidates = await lockDueMailCandidates(client, {
    dueMax: duePerStep,
    candidatesMax: candidatesPerStep,
  });
  if (candidates.length === 0) return 0;
  const dueIds = new Set(candidates.filter(({ isDue }) => isDue).map(idOf));
  const facts = await listNotificationFacts(client, candidates);
  const owed = facts.filter((each) => judge(each, true).email !== undefined && !isOld(each));
  const isWaiting = ({ recipient }: NotificationFacts): boolean => recipient.activeSecs > 0;
  const mailed = byConversation(owed.filter((each) => !isWaiting(each))).filter((group) =>
    group.some((each) => dueIds.has(idOf(each))),
  );
  const realm = await getRealm(client);
  const mails = realm.isDeactivated
    ? []
    : mailed.flatMap((group) => (isFilled(group) ? [mailOf(group, realm, options)] : []));
  await insertMails(client, options.keySecrets, mails);
  const decided = new Set(mailed.flat().map(idOf));
  const kept = new Set(owed.map(idOf).filter((id) => !decided.has(id)));
  await removeMailCandidates(
    client,
    candidates.filter((each) => !kept.has(idOf(each))),
  );
  await postponeMailCandidates(
    client,
    owed
      .filter((each) => isWaiting(each) && dueIds.has(idOf(each)))
      .map(({ userId, messageId, recipient }) => ({
        userId,
        messageId,
        delaySecs: recipient.activeSecs,
      })),
  );
  return candidates.length;
}

/**
 * Decides about all due candidates: whoever is away gets a mail for each conversation, whoever is active is asked about again after that, and
 * the rest is forgotten. A mail and the end of its candidates are one transaction.
 */
export async function writeMissedMails(options: MissedMailOptions): Promise<void> {
  for (;;) {
    const decided = await transaction(options.pool, (client) => decide(client, options));
    if (decided === 0) return;
  }
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
