/** Bounds of mails with links: by whoever causes them, by the domain of their recipients, and in all (decision 0073). */
import { limits, rateLimitExceeded } from '@parley/api';
import type { RateLimit } from '@parley/config';
import type { Client } from '@parley/database';
import { countMade } from '@parley/store';
import type { Made, User } from '@parley/store';

import type { PeopleContext } from '../people-context.ts';

/**
 * Mails with links for new passwords have counts of their own, so that no invitations use them up; so have those by which strangers join, so
 * that these do not use up invitations.
 */
type Purpose = 'links' | 'joins' | 'resets';

type Counted = Made & { readonly max: number };

function domainOf(email: string): string {
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase();
}

function countsOf(
  what: string,
  maker: string,
  made: number,
  rates: readonly RateLimit[],
): Counted[] {
  return rates.map(({ windowSecs, requestsMax: max }) => ({ what, maker, windowSecs, made, max }));
}

/** @returns in how many seconds there is room again; undefined if there is now */
async function findWait(client: Client, counted: readonly Counted[]): Promise<number | undefined> {
  const totals = await countMade(
    client,
    counted.map(({ max: _max, ...made }) => made),
  );
  const waits = totals
    .filter(({ made }, n) => made > (counted[n]?.max ?? 0))
    .map(({ endsInSecs }) => endsInSecs);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

function countsOfRecipients(
  { mailLimits }: Pick<PeopleContext, 'mailLimits'>,
  purpose: Purpose,
  recipients: readonly string[],
): Counted[] {
  const what = `mails with ${purpose}`;
  return [
    ...[...Map.groupBy(recipients, domainOf)].flatMap(([domain, { length }]) =>
      countsOf(what, `domain ${domain}`, length, mailLimits.perDomain),
    ),
    ...countsOf(what, 'everybody', recipients.length, mailLimits.inAll),
  ];
}

/**
 * Counts a mail to an address that a stranger wrote. It comes after all locks but the log's head.
 *
 * @param recipient undefined for a mail to nobody, for which there is room, but which takes the same time
 */
export async function hasRoomForMail(
  context: Pick<PeopleContext, 'mailLimits'>,
  client: Client,
  purpose: Purpose,
  recipient: string | undefined,
): Promise<boolean> {
  const counted = countsOfRecipients(context, purpose, [recipient ?? '@']);
  if (recipient !== undefined) return (await findWait(client, counted)) === undefined;
  await findWait(
    client,
    counted.map((each) => ({ ...each, maker: `nobody, for ${each.maker}` })),
  );
  return true;
}

/**
 * Counts mails that somebody who is signed in causes. It comes after all locks but the log's head.
 *
 * @param options.isEmailChange whether it is one with a link for a new address, of which everybody has few
 * @throws ApiError 429 if there is no room
 */
export async function checkRoomForMails(
  context: Pick<PeopleContext, 'mailLimits'>,
  client: Client,
  author: Pick<User, 'id' | 'role' | 'botOwnerId'>,
  recipients: readonly string[],
  { isEmailChange = false } = {},
): Promise<void> {
  if (recipients.length === 0) return;
  const maker = `owner ${author.botOwnerId ?? author.id}`;
  const { length } = recipients;
  const hourly = [{ windowSecs: 3_600, requestsMax: limits.emailChangeMailsMax }];
  const wait = await findWait(client, [
    ...(author.role === 'administrator'
      ? []
      : countsOf('mails', maker, length, context.mailLimits.perAccount)),
    ...(isEmailChange ? countsOf('mails with links for addresses', maker, length, hourly) : []),
    ...countsOfRecipients(context, 'links', recipients),
  ]);
  if (wait !== undefined) throw rateLimitExceeded(wait);
}
