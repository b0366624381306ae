/** A relay of mail that hands mails over by LMTP, by the client of nodemailer. */
import SMTPConnection from 'nodemailer/lib/smtp-connection';

export type Envelope = { readonly from: string; readonly to: readonly string[] };

/** What a fault of nodemailer says about a recipient. */
type RecipientFault = {
  readonly recipient?: string | undefined;
  readonly response?: string | undefined;
};

/**
 * Hands a mail over.
 *
 * @returns the answer for each recipient, in order, such as `250 2.0.0 Posted`
 * @throws Error if the connection is refused or lost
 */
export async function handOver(
  port: number,
  { from, to }: Envelope,
  raw: string | Buffer,
): Promise<string[]> {
  const connection = new SMTPConnection({ host: '127.0.0.1', port, lmtp: true, ignoreTLS: true });
  const { promise, resolve, reject } = Promise.withResolvers<string[]>();
  connection.on('error', reject);
  connection.on('end', () => reject(new Error('the connection ended')));
  connection.connect(() =>
    connection.send({ from, to: [...to] }, raw, (error, info) => {
      const faults: readonly RecipientFault[] =
        info?.rejectedErrors ??
        (error as { rejectedErrors?: readonly RecipientFault[] } | null)?.rejectedErrors ??
        [];
      const whole = (error as RecipientFault | null)?.response;
      resolve(
        to.map(
          (recipient) =>
            faults.find((fault) => fault.recipient === recipient)?.response ?? whole ?? '250',
        ),
      );
      connection.quit();
    }),
  );
  try {
    return await promise;
  } finally {
    connection.close();
  }
}

/** A mail as its bytes; a header with a name that is repeated takes the later value. */
export function mailText(headers: Readonly<Record<string, string>>, body: string): string {
  const lines = Object.entries({
    From: 'Bob <bob@home.example>',
    Subject: 'Re: hello',
    'Message-ID': `<${crypto.randomUUID()}@home.example>`,
    'MIME-Version': '1.0',
    'Content-Type': 'text/plain; charset=utf-8',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return [...lines, '', body].join('\r\n');
}
