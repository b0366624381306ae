/** What links in mails open, and the way to get one (decision 0050). */
import { signal } from '@preact/signals';

import type { AnswerOf } from '@parley/client';

import { entranceClient } from './session.ts';

/** A new password, an address that is proved, or a new account. */
const purposes = ['reset', 'confirm', 'join'] as const;

export type MailLink = {
  readonly purpose: (typeof purposes)[number];
  readonly token: string;
};

/** The link that this page was opened by, until it was used or put aside. It is kept nowhere else. */
export const mailLink = signal<MailLink | undefined>(undefined);

export function parseMailLink(fragment: string): MailLink | undefined {
  const [, name, token = ''] = /^#(\w+)\/([\w-]{1,200})$/.exec(fragment) ?? [];
  const purpose = purposes.find((each) => each === name);
  return purpose && { purpose, token };
}

/**
 * Lets a link be mailed with which a new password is chosen. Whether there is an account with the address stays unknown.
 *
 * @throws ApiError, NoAnswerError
 */
export async function requestPasswordReset(email: string): Promise<void> {
  await entranceClient().request('POST /password_reset', { email });
}

/**
 * Chooses a new password; all sessions of the account end.
 *
 * @throws ApiError if the link is not good any more or the password too weak, NoAnswerError
 * @returns the account's address
 */
export async function resetPassword(token: string, newPassword: string): Promise<string> {
  const { email } = await entranceClient().request('POST /password_reset/confirm', {
    token,
    new_password: newPassword,
  });
  return email;
}

/**
 * Proves an address, which is the account's from then on.
 *
 * @throws ApiError if the link is not good any more, NoAnswerError
 * @returns the address
 */
export async function confirmAddress(token: string): Promise<string> {
  const { email } = await entranceClient().request('POST /settings/email/confirm', { token });
  return email;
}

export type JoinOffer = AnswerOf<'POST /join/look'>;

/**
 * Finds out what a link to join is for.
 *
 * @throws ApiError if it is not good any more, NoAnswerError
 */
export async function lookAtJoinLink(token: string): Promise<JoinOffer> {
  return entranceClient().request('POST /join/look', { token });
}

/**
 * Lets a link be mailed with which an account is made. Whether there is one with the address stays unknown.
 *
 * @param token of a link that everybody may use who has it; undefined where no invitation is needed
 * @throws ApiError, NoAnswerError
 */
export async function requestToJoin(token: string | undefined, email: string): Promise<void> {
  await entranceClient().request('POST /join/request', { token, email });
}

/**
 * Makes the account that a link from a mail is for.
 *
 * @throws ApiError with the first refusal, NoAnswerError
 */
export async function join(token: string, fullName: string, password: string): Promise<void> {
  await entranceClient().request('POST /join', { token, full_name: fullName, password });
}
