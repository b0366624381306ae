/** What the tests of answers by mail have in common: where a node takes them, and the addresses that people would get. */
import { parseAnswerAddresses } from '@parley/config';
import type { Pool } from '@parley/database';
import { makeAnswerAddress } from '@parley/outgoing/mail';
import { deriveKeySecrets } from '@parley/auth/secrets';
import { findAnswerer } from '@parley/store/notifications';
import type { ServiceNode, TestAccount } from '@parley/test-kit';

/** `PARLEY_MAIL_REPLY_ADDRESS`. */
export const answerAddressPattern = 'reply+%@chat.example';

/** @returns the port on which a node of `messages` takes mails by LMTP */
export function lmtpPortOf({ output }: ServiceNode): number {
  const line = output.find((each) => each.includes('lmtp_port'));
  const { lmtp_port: port } = JSON.parse(line ?? '{}') as { lmtp_port?: number };
  if (port === undefined) throw new Error('messages takes no answers');
  return port;
}

/** @returns the address by which somebody answers a message, as a mail about it would have it */
export async function answerAddressOf(
  pool: Pool,
  keySecret: string,
  { id: userId }: TestAccount,
  messageId: number,
): Promise<string> {
  const answerer = await findAnswerer(pool, userId);
  if (answerer === undefined) throw new Error('nobody active has this id');
  return makeAnswerAddress(
    parseAnswerAddresses(answerAddressPattern),
    deriveKeySecrets(keySecret),
    { userId, messageId },
    answerer,
  );
}

/** @returns how many answers some nodes of `messages` have counted with an outcome, such as `posted` */
export async function countAnswers(
  nodes: readonly ServiceNode[],
  outcome: string,
): Promise<number> {
  const texts = await Promise.all(
    nodes.map(async ({ internalUrl }) => (await fetch(`${internalUrl}/metrics`)).text()),
  );
  return texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.startsWith('parley_mail_answers_total{'))
    .filter((line) => line.includes(`outcome="${outcome}"`))
    .reduce((sum, line) => sum + Number(line.split(' ')[1]), 0);
}
