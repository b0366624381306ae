/** An export of the reference server with 120 MB of files, which does not pack: for the whole path that docs/import describes. */
import { randomBytes } from 'node:crypto';

import { asExported, writeZulip, zulipFiles } from './zulip-fixture.ts';

type Row = Readonly<Record<string, unknown>>;

const fileCount = 12;
const fileBytes = 10_000_000;

/** Somebody who signs in, and reads all messages with files. */
export const largeArchiveReader = 'ada@bakery.example';
export const largeFileBytes = fileBytes;

const pathOf = (n: number): string => `2/aa/large${n}/photo-${n}.bin`;
const messageOf = (n: number): number => 1_001 + n;

function rowsIn(path: string, table: string): Row[] {
  const tables = JSON.parse(String(zulipFiles()[path])) as Record<string, Row[]>;
  return tables[table] ?? [];
}

export async function writeLargeArchive(path: string): Promise<void> {
  const numbers = [...Array(fileCount).keys()];
  const records = JSON.parse(String(zulipFiles()['uploads/records.json'])) as Row[];
  const [model] = rowsIn('messages-000001.json', 'zerver_message');
  await writeZulip(path, {
    'uploads/records.json': asExported([
      ...records,
      ...numbers.map((n) => ({ path: pathOf(n), s3_path: pathOf(n), realm_id: 2 })),
    ]),
    'attachment.json': asExported({
      zerver_attachment: [
        ...rowsIn('attachment.json', 'zerver_attachment'),
        ...numbers.map((n) => ({
          id: 10 + n,
          file_name: `photo-${n}.bin`,
          path_id: pathOf(n),
          owner: 10,
          create_time: 1_600_000_000,
          size: fileBytes,
          messages: [messageOf(n)],
        })),
      ],
    }),
    'messages-000003.json': asExported({
      zerver_message: numbers.map((n) => ({
        ...model,
        id: messageOf(n),
        content: `[photo ${n}](/user_uploads/${pathOf(n)})`,
      })),
      zerver_usermessage: numbers.map((n) => ({
        id: 20_000 + n,
        user_profile: 10,
        message: messageOf(n),
        flags_mask: 1,
      })),
    }),
    ...Object.fromEntries(
      numbers.map((n) => [`uploads/${pathOf(n)}`, randomBytes(fileBytes)] as const),
    ),
  });
}
