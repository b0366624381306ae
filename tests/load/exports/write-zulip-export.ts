/** Writes an organization as the reference server exports it, with a row for each person of each message. */
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { createGzip } from 'node:zlib';

import { pack } from 'tar-stream';

import { asExported } from '../../history-import/zulip-fixture.ts';
import {
  channelName,
  personEmail,
  personName,
  planMessages,
  readUpTo,
  writeText,
} from './export-plan.ts';
import type { ExportSize, PlannedMessage } from './export-plan.ts';

const topicsPerChannel = 200;
const emojiCodes: Readonly<Record<string, string>> = {
  tada: '1f389',
  eyes: '1f440',
  heart: '2764',
  rocket: '1f680',
};
const personId = (number: number): number => number + 10;
const channelId = (number: number): number => number + 1;
const messageId = (number: number): number => number + 1;

const form = {
  bold: '**',
  person: (number: number) => `@**${personName(number)}**`,
  channel: (number: number) => `#**${channelName(number)}**`,
  link: (url: string, label: string) => `[${label}](${url})`,
};

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

function directoryOf({ people, channels }: ExportSize): Record<string, unknown[]> {
  const pairs = numbers(people).flatMap((person) =>
    numbers(channels).map((channel) => ({ person, channel })),
  );
  return {
    zerver_realm: [{ id: 2, name: 'Measured', string_id: 'measured', description: '' }],
    zerver_client: [{ id: 1, name: 'website' }],
    zerver_userprofile: numbers(people).map((number) => ({
      id: personId(number),
      delivery_email: personEmail(number),
      full_name: personName(number),
      role: number === 0 ? 200 : 400,
      is_active: true,
      is_bot: false,
    })),
    zerver_stream: numbers(channels).map((number) => ({
      id: channelId(number),
      name: channelName(number),
      history_public_to_subscribers: true,
    })),
    zerver_recipient: numbers(channels).map((number) => ({
      id: channelId(number),
      type: 2,
      type_id: channelId(number),
    })),
    zerver_subscription: pairs.map(({ person, channel }, n) => ({
      id: n + 1,
      user_profile: personId(person),
      recipient: channelId(channel),
      active: true,
    })),
  };
}

function messageOf(message: PlannedMessage): object {
  const { number, sender, channel, root, text, sentAtMs } = message;
  const content = writeText(text, form);
  return {
    id: messageId(number),
    sender: personId(sender),
    recipient: channelId(channel),
    subject: root === undefined ? `topic ${(number >> 5) % topicsPerChannel}` : `thread ${root}`,
    content,
    rendered_content: `<p>${content}</p>`,
    date_sent: sentAtMs / 1000,
    sending_client: 1,
  };
}

/** Some messages beyond the point up to which somebody has read are read too. */
function isRead(size: ExportSize, person: number, number: number): boolean {
  return number <= readUpTo(size, person) || number % 17 === person % 17;
}

export async function writeZulipExport(file: string, size: ExportSize): Promise<void> {
  const archive = pack();
  const output = archive.pipe(createGzip({ level: 1 })).pipe(createWriteStream(file));
  const add = (name: string, content: string): Promise<void> =>
    new Promise((resolve, reject) => {
      archive.entry({ name, mtime: new Date(0) }, content, (error) => {
        if (error === undefined || error === null) resolve();
        else reject(error);
      });
    });
  const reactions: object[] = [];
  let files = 0;
  for (const messages of planMessages(size)) {
    files += 1;
    const content = {
      zerver_message: messages.map(messageOf),
      zerver_usermessage: messages.flatMap(({ number }) =>
        numbers(size.people).map((person) => ({
          id: 3_000_000_000 + number * size.people + person,
          user_profile: personId(person),
          message: messageId(number),
          flags_mask: isRead(size, person, number) ? 1 : 0,
        })),
      ),
    };
    for (const message of messages)
      for (const { person, emoji } of message.reactions)
        reactions.push({
          id: reactions.length,
          user_profile: personId(person),
          message: messageId(message.number),
          emoji_name: emoji,
          reaction_type: 'unicode_emoji',
          emoji_code: emojiCodes[emoji],
        });
    await add(`x/messages-${String(files).padStart(6, '0')}.json`, asExported(content));
  }
  await add('x/realm.json', asExported({ ...directoryOf(size), zerver_reaction: reactions }));
  archive.finalize();
  await once(output, 'close');
}
