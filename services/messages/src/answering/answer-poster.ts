/** Posts answers by mail in the name of those whom their addresses name, with the rights that these people have then (decision 0055). */
import { hash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';

import { ApiError, limits } from '@parley/api';
import type { Recipients } from '@parley/api/messages';
import type { AnswerAddresses } from '@parley/config';
import type { Pool } from '@parley/database';
import { isGenuine, parseAnswerAddress } from '@parley/outgoing/mail';
import type { AnswerSubject } from '@parley/outgoing/mail';
import type { KeySecrets } from '@parley/auth/secrets';
import type { RateLimiter } from '@parley/server';
import { findMessageOfSendKey, getRealm, mailKeyPrefix } from '@parley/store';
import { findAnsweredMessage, findAnswerer } from '@parley/store/notifications';

import type { StoredUpload, UploadFiles } from '../files/upload-files.ts';
import { uploadsPrefix } from '../files/upload-path.ts';
import { cutContent } from '../sending/message-text.ts';
import type { MessageSender } from '../sending/send.ts';
import type { SendKey } from '../sending/send-key.ts';
import { LmtpRefusal } from './lmtp-refusal.ts';
import type { MailContent, MailFile } from './mail-content.ts';

export type AnswerPosterOptions = {
  readonly pool: Pool;
  readonly keySecrets: KeySecrets;
  readonly addresses: AnswerAddresses;
  /** A message can be answered for so long. */
  readonly days: number;
  readonly sender: MessageSender;
  readonly uploads: UploadFiles;
  readonly fileMaxBytes: number;
  readonly rateLimiter: RateLimiter;
};

/** The client that messages by mail show. */
const clientName = 'mail';
const secsPerDay = 86_400;

/** A mail, and a hash of it as it came. */
export type ReceivedAnswer = { readonly hash: string; readonly mail: MailContent };

type Place = {
  readonly type: 'stream' | 'private';
  readonly to: Recipients;
  readonly topic: string | undefined;
};

function noSuchAddress(): LmtpRefusal {
  return new LmtpRefusal(550, '5.1.1', 'This address does not answer anything, or no longer does');
}

/** The same mail gets the same key, whether a relay repeats it or two ways lead here. */
function sendKeyOf(
  { userId, messageId }: AnswerSubject,
  { hash: wholeHash, mail }: ReceivedAnswer,
): SendKey {
  const key = hash('sha256', JSON.stringify([userId, messageId, mail.messageId ?? wholeHash]));
  return { key: `${mailKeyPrefix}${key}`, contentHash: key, isClients: true };
}

/** A link in Markdown, in one line, whose name neither ends it nor mentions anybody. */
function linkOf({ name, pathId }: StoredUpload): string {
  const text = name.replaceAll(/[[\]\\`*\p{Cc}\p{Zl}\p{Zp}]+/gu, '_');
  return `[${text}](${uploadsPrefix}${pathId})`;
}

/** The words with links to the files below, which a long text must not cut off. */
function contentOf(answer: string, stored: readonly StoredUpload[], leftOut: number): string {
  const lines = [
    ...stored.map(linkOf),
    ...(leftOut > 0 ? [`(${leftOut === 1 ? 'one file' : `${leftOut} files`} left out)`] : []),
  ];
  if (lines.length === 0) return answer;
  const links = lines.join('\n');
  const room = limits.contentMaxCodePoints - Array.from(links).length - 2;
  return `${cutContent(answer, room)}\n\n${links}`.trimStart();
}

export class AnswerPoster {
  readonly #options: AnswerPosterOptions;

  constructor(options: AnswerPosterOptions) {
    this.#options = options;
  }

  /**
   * Finds whom and what an address was made for.
   *
   * @throws LmtpRefusal if that is nothing, the person is no longer here, or the time is over
   */
  async check(address: string): Promise<AnswerSubject> {
    const { subject } = await this.#find(address);
    return subject;
  }

  /**
   * Posts an answer, once for each mail and address.
   *
   * @returns whether this or an earlier call has posted it
   * @throws LmtpRefusal; ApiError for all refusals of a send
   */
  async post(address: string, received: ReceivedAnswer): Promise<'posted' | 'repeated'> {
    const { pool, sender, rateLimiter } = this.#options;
    const { subject, place } = await this.#find(address);
    const sendKey = sendKeyOf(subject, received);
    if ((await findMessageOfSendKey(pool, sendKey)) !== undefined) return 'repeated';
    const { answer, files } = received.mail;
    if (answer === '' && files.length === 0)
      throw new LmtpRefusal(550, '5.6.0', 'There is nothing above what the mail quotes');
    await rateLimiter.count({ userId: subject.userId, botOwnerId: null }, randomUUID());
    const request = { senderId: subject.userId, ...place };
    // Files are kept only for who may send.
    if (files.length > 0) await sender.check({ ...request, content: answer || 'file' });
    const content = await this.#withFiles(subject.userId, received.mail);
    await sender.sendWithKey({ ...request, content, clientName, isReadBySender: true }, sendKey);
    return 'posted';
  }

  async #find(
    address: string,
  ): Promise<{ readonly subject: AnswerSubject; readonly place: Place }> {
    const { pool, keySecrets, addresses, days } = this.#options;
    const token = parseAnswerAddress(addresses, address);
    const answerer = token && (await findAnswerer(pool, token.userId));
    if (token === undefined || answerer === undefined || !isGenuine(keySecrets, token, answerer))
      throw noSuchAddress();
    const { userId, messageId } = token;
    const [message, realm] = await Promise.all([
      findAnsweredMessage(pool, userId, messageId),
      getRealm(pool),
    ]);
    if (realm.isDeactivated) throw noSuchAddress();
    if (message === undefined)
      throw new LmtpRefusal(550, '5.7.1', 'The message is gone, or you may not see it any more');
    if (message.ageSecs > days * secsPerDay)
      throw new LmtpRefusal(550, '5.7.1', `The message is older than ${days} days`);
    const { streamId, participantIds, topic } = message;
    return {
      subject: { userId, messageId },
      place:
        streamId === null
          ? {
              type: 'private',
              to: { kind: 'ids', ids: [...(participantIds ?? [])] },
              topic: undefined,
            }
          : { type: 'stream', to: { kind: 'ids', ids: [streamId] }, topic },
    };
  }

  async #withFiles(ownerId: number, { answer, files, filesLeftOut }: MailContent): Promise<string> {
    const { uploads } = this.#options;
    const stored = await this.#store(files);
    const added: StoredUpload[] = [];
    for (const [n, upload] of stored.entries()) {
      try {
        await uploads.add(ownerId, upload);
        added.push(upload);
      } catch (error) {
        // For example there is no room for more.
        if (error instanceof ApiError && error.status < 500) continue;
        for (const rest of stored.slice(n + 1)) await uploads.discard(rest);
        throw error;
      }
    }
    return contentOf(answer, added, filesLeftOut + files.length - added.length);
  }

  /** Stores the contents of all files that are not too large, or of none. */
  async #store(files: readonly MailFile[]): Promise<StoredUpload[]> {
    const { uploads, fileMaxBytes } = this.#options;
    const stored: StoredUpload[] = [];
    try {
      for (const { name, content } of files)
        if (content.length <= fileMaxBytes)
          stored.push(await uploads.store(name, undefined, Readable.from([Buffer.from(content)])));
    } catch (error) {
      for (const upload of stored) await uploads.discard(upload);
      throw error;
    }
    return stored;
  }
}
