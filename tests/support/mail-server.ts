/** A real SMTP server that keeps what it takes, and that a test can make refuse or wait. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

import { SMTPServer } from 'smtp-server';
import type { SMTPServerOptions } from 'smtp-server';

/** A mail as it came over the wire. */
export type ReceivedMail = {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly user: string | undefined;
  readonly secure: boolean;
};

export type SmtpStep = 'connect' | 'sender' | 'recipient' | 'message';

/** Called at each step; an error is the server's answer. At `message` the server has the mail, and its answer is still to come. */
export type AtStep = (step: SmtpStep, value: string) => Promise<void> | void;

/** A refusal by the server. */
export function smtpRefusal(code: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode: code });
}

export class MailServer {
  readonly mails: ReceivedMail[] = [];
  /** May be replaced at any time. */
  atStep: AtStep = () => undefined;
  readonly #server: SMTPServer;

  private constructor(options: SMTPServerOptions) {
    const step = async (
      name: SmtpStep,
      value: string,
      done: (error?: Error | null) => void,
    ): Promise<void> => {
      try {
        await this.atStep(name, value);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      done();
    };
    this.#server = new SMTPServer({
      authOptional: true,
      disabledCommands: options.onAuth === undefined ? ['AUTH', 'STARTTLS'] : [],
      allowInsecureAuth: true,
      disableReverseLookup: true,
      closeTimeout: 100,
      ...options,
      onConnect: ({ remoteAddress }, done) => void step('connect', remoteAddress, done),
      onMailFrom: ({ address }, _session, done) => void step('sender', address, done),
      onRcptTo: ({ address }, _session, done) => void step('recipient', address, done),
      onData: (stream, { envelope, user, secure }, done) => {
        void buffer(stream).then((bytes) => {
          const raw = bytes.toString('utf8');
          this.mails.push({
            from: envelope.mailFrom === false ? '' : envelope.mailFrom.address,
            to: envelope.rcptTo.map(({ address }) => address),
            raw,
            user: typeof user === 'string' ? user : undefined,
            secure,
          });
          void step('message', raw, done);
        }, done);
      },
    });
    // A client that is killed or goes away.
    this.#server.on('error', () => undefined);
  }

  static async start(options: SMTPServerOptions = {}): Promise<MailServer> {
    const started = new MailServer(options);
    const listening = started.#server.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    return started;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  /** The settings of services that send by it. */
  get settings(): { readonly PARLEY_SMTP_URL: string; readonly PARLEY_MAIL_FROM: string } {
    return {
      PARLEY_SMTP_URL: `smtp+plain://127.0.0.1:${this.port}`,
      PARLEY_MAIL_FROM: 'Parley <parley@chat.example>',
    };
  }

  async stop(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    await promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** A header of a received mail, unfolded. */
export function headerOf({ raw }: Pick<ReceivedMail, 'raw'>, name: string): string | undefined {
  const [head = ''] = raw.split('\r\n\r\n');
  const prefix = `${name.toLowerCase()}:`;
  return head
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .find((line) => line.toLowerCase().startsWith(prefix))
    ?.slice(prefix.length)
    .trim();
}
