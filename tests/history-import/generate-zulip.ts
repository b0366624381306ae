/**
 * Writes an export of the reference server of any size, for measurements: `node scripts/run.mjs tests/history-import/generate-zulip.ts FILE
 * MESSAGES PEOPLE`. Every message is in a stream that everybody is in, with a row for each person, most of them read.
 */
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { createGzip } from 'node:zlib';

import { pack } from 'tar-stream';

import { asExported } from './zulip-fixture.ts';

const [file = 'zulip.tar.gz', messagesText = '10000', peopleText = '50'] = process.argv.slice(2);
const messages = Number(messagesText);
const people = Number(peopleText);
const messagesPerFile = 1_000;
const streams = 20;
const topicsPerStream = 200;
const start = 1_500_000_000;
const words =
  'the keel of this boat was **sound** when `we` looked at it :smile: again and https://boats.example/x'.split(
    ' ',
  );

const sentence = (seed: number): string =>
  Array.from({ length: 8 + (seed % 23) }, (_, n) => words[(seed * 7 + n * 13) % words.length]).join(
    ' ',
  );

const personIds = Array.from({ length: people }, (_, n) => n + 10);
const streamIds = Array.from({ length: streams }, (_, n) => n + 1);

const realm = {
  zerver_realm: [{ id: 2, name: 'Measured', string_id: 'measured', description: '' }],
  zerver_client: [{ id: 1, name: 'website' }],
  zerver_userprofile: personIds.map((id) => ({
    id,
    delivery_email: `p${id}@measured.example`,
    full_name: `Person ${id}`,
    role: id === 10 ? 200 : 400,
    is_active: true,
    is_bot: false,
  })),
  zerver_stream: streamIds.map((id) => ({
    id,
    name: `stream ${id}`,
    history_public_to_subscribers: true,
  })),
  zerver_recipient: streamIds.map((id) => ({ id, type: 2, type_id: id })),
  zerver_subscription: personIds.flatMap((person) =>
    streamIds.map((recipient) => ({
      id: person * 1000 + recipient,
      user_profile: person,
      recipient,
      active: true,
    })),
  ),
  zerver_reaction: Array.from({ length: Math.floor(messages / 10) }, (_, n) => ({
    id: n,
    user_profile: personIds[n % people],
    message: n * 10 + 1,
    emoji_name: '+1',
    reaction_type: 'unicode_emoji',
    emoji_code: '1f44d',
  })),
};

/** Each person has read up to a point of the last tenth, and some messages beyond it. */
function isRead(person: number, message: number): boolean {
  const point = messages - (person % 10) * (messages / 100);
  return message <= point || message % 17 === person % 17;
}

const archive = pack();
const output = archive.pipe(createGzip({ level: 1 })).pipe(createWriteStream(file));
for (let from = 0; from < messages; from += messagesPerFile) {
  const ids = Array.from(
    { length: Math.min(messagesPerFile, messages - from) },
    (_, n) => from + n + 1,
  );
  const content = asExported({
    zerver_message: ids.map((id) => ({
      id,
      sender: personIds[(id * 7) % people],
      recipient: 1 + (id % streams),
      subject: `topic ${(id >> 5) % topicsPerStream}`,
      content: sentence(id),
      rendered_content: `<p>${sentence(id)}</p>`,
      date_sent: start + id * 30 + 0.5,
      sending_client: 1,
    })),
    zerver_usermessage: ids.flatMap((id) =>
      personIds.map((person, n) => ({
        id: 3_000_000_000 + id * people + n,
        user_profile: person,
        message: id,
        flags_mask: isRead(person, id) ? 1 : 0,
      })),
    ),
  });
  const name = `x/messages-${String(from / messagesPerFile + 1).padStart(6, '0')}.json`;
  await new Promise<void>((resolve, reject) => {
    archive.entry({ name }, content, (error) => {
      if (error === undefined || error === null) resolve();
      else reject(error);
    });
  });
}
archive.entry({ name: 'x/realm.json' }, asExported(realm));
archive.finalize();
await once(output, 'close');
