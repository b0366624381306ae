import type { Letter } from './letter.ts';

export type Mail = {
  /** The same for every attempt to send it. */
  readonly id: string;
  readonly kind: string;
  /** One address, which the caller has checked to be one. */
  readonly recipient: string;
  /** Where an answer goes; by default to the sender. */
  readonly replyTo?: string;
  readonly createdAt: Date;
  readonly letter: Letter;
};

export type MailTransport = {
  /**
   * Returns when the server has taken the mail.
   *
   * @throws MailRefused if it never will, MailNotSent if it may later
   */
  readonly send: (mail: Mail, signal?: AbortSignal) => Promise<void>;
  /**
   * Tries everything but a mail.
   *
   * @returns what was found, for the operator
   * @throws MailNotSent
   */
  readonly verify: () => Promise<string>;
};
