import type { Client } from '@parley/database';
import { transaction } from '@parley/database';
import { quote } from '@parley/outgoing/mail';
import type { Letter } from '@parley/outgoing/mail';
import { getRealm, insertMail } from '@parley/store';

import type { PeopleContext } from '../people-context.ts';

const daySecs = 86_400;

/** A mail to nobody is not sent. It is written where the time of an answer must not tell whether there is somebody. */
export const nobody = '';

/** Adds a mail to a transaction. It is sent when that has committed (decision 0049). */
export async function writeMail(
  { keySecrets }: Pick<PeopleContext, 'keySecrets'>,
  client: Client,
  mail: {
    readonly kind: string;
    readonly recipient: string;
    readonly letter: Letter;
    readonly expiresInSecs: number;
  },
): Promise<void> {
  await insertMail(client, keySecrets, { ...mail, letter: JSON.stringify(mail.letter) });
}

/** Writes a mail that says only that mails arrive. */
export async function writeTestMail(context: PeopleContext, recipient: string): Promise<void> {
  await transaction(context.pool, async (client) => {
    const { name } = await getRealm(client);
    await writeMail(context, client, {
      kind: 'test',
      recipient,
      expiresInSecs: daySecs,
      letter: {
        subject: ['Mails of ', quote(name), ' arrive'],
        paragraphs: [['This is a test: the server of ', quote(name), ' can send mails.']],
        action: { label: 'Open it', url: context.publicUrl },
        ending: ['An operator of the server asked for this mail.'],
      },
    });
  });
}
