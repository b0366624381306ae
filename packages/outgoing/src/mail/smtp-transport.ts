import type { Clock } from '@parley/clock';
import { parseSmtpAddress } from '@parley/config';
import type { MailSender, Secret, SmtpAddress } from '@parley/config';
import { createTransport } from 'nodemailer';
import type { Transporter } from 'nodemailer';

import { writeLetter } from './letter.ts';
import { MailNotSent, MailRefused } from './mail-faults.ts';
import type { Mail, MailTransport } from './mail.ts';

export type SmtpTransportOptions = {
  readonly clock: Clock;
  readonly url: Secret;
  /** Certificates of the authorities for the server, as PEM; undefined means those that Node knows. */
  readonly ca: string | undefined;
  readonly from: MailSender;
};

/**
 * For each step; the signal of `send` bounds them together. A server that checks a mail before it answers may need a minute and more
 * (RFC 5321, 4.5.3.2), and who goes away meanwhile makes it take the mail again and again.
 */
const waits = {
  dnsTimeout: 5_000,
  connectionTimeout: 30_000,
  greetingTimeout: 30_000,
  socketTimeout: 100_000,
} as const;

/** For somebody who waits to learn whether the server works. */
const waitsOfCheck = {
  connectionTimeout: 10_000,
  greetingTimeout: 10_000,
  socketTimeout: 20_000,
} as const;
/** Nodemailer takes 0 for its defaults, and no time longer than this. */
const endlessMs = 2 ** 31 - 1;
const endless = {
  dnsTimeout: endlessMs,
  connectionTimeout: endlessMs,
  greetingTimeout: endlessMs,
  socketTimeout: endlessMs,
} as const;

const tlsOf = {
  'from-start': { secure: true },
  required: { secure: false, requireTLS: true },
  none: { secure: false, ignoreTLS: true },
} as const satisfies Record<SmtpAddress['tls'], object>;

const tlsNames: Readonly<Record<SmtpAddress['tls'], string>> = {
  'from-start': 'with TLS from the start',
  required: 'with TLS by STARTTLS',
  none: 'without TLS',
};

/** The members of nodemailer's errors that say how far it came. */
type SmtpFault = {
  readonly code?: unknown;
  readonly originalCode?: unknown;
  readonly command?: unknown;
  readonly responseCode?: unknown;
  readonly timeoutType?: unknown;
};

/** Without an answer of the server, or with one that is neither yes nor no. */
const codesWithoutAnswer: ReadonlySet<unknown> = new Set([
  'ECONNECTION',
  'ETIMEDOUT',
  'ESOCKET',
  'EABORT',
  'EPROTOCOL',
  'EMESSAGE',
]);

/** Answers about the session, not about the mail: a wrong order of commands, and a login that is missing or refused (RFC 4954). */
const answersAboutSession: ReadonlySet<number> = new Set([503, 530, 534, 535, 538]);

/** Nodemailer does not say whether the message was on its way, so every loss of an open connection counts as one meanwhile. */
function mayHaveArrived({ code, originalCode, timeoutType }: SmtpFault): boolean {
  const wasOpen =
    originalCode !== 'ECONNREFUSED' &&
    (timeoutType === undefined || timeoutType === 'SOCKET_TIMEOUT');
  return codesWithoutAnswer.has(code) && wasOpen;
}

/**
 * A refusal of the recipient or of the message is final. One of the sender or the login is a fault of the configuration, which the operator
 * can mend.
 */
function faultOf(error: unknown): MailRefused | MailNotSent {
  if (!(error instanceof Error)) throw error;
  const fault = error as Error & SmtpFault;
  const { command, responseCode } = fault;
  const refusal = typeof responseCode === 'number' && responseCode >= 400 ? responseCode : 0;
  const isOfMail = command === 'RCPT TO' || command === 'DATA';
  if (refusal >= 500 && isOfMail && !answersAboutSession.has(refusal))
    return new MailRefused(error.message, { cause: error });
  return new MailNotSent(error.message, {
    cause: error,
    mayHaveArrived: refusal === 0 && mayHaveArrived(fault),
  });
}

/** Sends each mail by a connection of its own. */
export class SmtpTransport implements MailTransport {
  readonly #options: SmtpTransportOptions;
  readonly #address: SmtpAddress;
  readonly #transporter: Transporter;
  readonly #verifying: Transporter;

  constructor(options: SmtpTransportOptions) {
    this.#options = options;
    const address = parseSmtpAddress(options.url.reveal());
    this.#address = address;
    const { host, port, tls, login } = address;
    const settings = {
      host,
      port,
      ...tlsOf[tls],
      ...(options.clock.runs ? waits : endless),
      // Said here, because a variable of the environment changes Node's default.
      tls: {
        rejectUnauthorized: true,
        minVersion: 'TLSv1.2',
        ...(options.ca !== undefined && { ca: options.ca }),
      },
      ...(login !== undefined && {
        auth: { user: login.user, pass: login.password },
        forceAuth: true,
      }),
      disableFileAccess: true,
      disableUrlAccess: true,
    } as const;
    this.#transporter = createTransport(settings);
    this.#verifying = createTransport({
      ...settings,
      ...(options.clock.runs && waitsOfCheck),
    });
  }

  async send(
    { id, recipient, replyTo, createdAt, letter }: Mail,
    signal?: AbortSignal,
  ): Promise<void> {
    const { from } = this.#options;
    const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
    try {
      await this.#transporter.sendMail({
        ...writeLetter(letter),
        // Nodemailer changes the addresses that it gets, and the configuration is frozen.
        from: { ...from },
        // As an object, so that no text is read as a list of addresses.
        to: { name: '', address: recipient },
        ...(replyTo !== undefined && { replyTo: { name: from.name, address: replyTo } }),
        messageId: `<${id}@${domain}>`,
        date: createdAt,
        // So that no holiday notice answers (RFC 3834).
        headers: { 'Auto-Submitted': 'auto-generated' },
        ...(letter.unsubscribeUrl !== undefined && {
          list: { unsubscribe: { url: letter.unsubscribeUrl } },
        }),
        ...(signal !== undefined && { signal }),
      });
    } catch (error) {
      throw faultOf(error);
    }
  }

  async verify(): Promise<string> {
    try {
      await this.#verifying.verify();
    } catch (error) {
      throw faultOf(error);
    }
    const { host, port, tls, login } = this.#address;
    const signedIn = login === undefined ? '' : `, signed in as ${login.user}`;
    return `${host}:${port} ${tlsNames[tls]}${signedIn}, from ${this.#options.from.address}`;
  }
}
