import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { keepMail, listKeptMails } from './kept-mails.ts';
import type { KeptMail } from './kept-mails.ts';

function mailOf(number: number): KeptMail {
  return {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    kind: 'test',
    recipient: 'ann@example.com',
    createdAt: new Date(Date.UTC(2026, 0, 1, 0, 0, number)).toISOString(),
    subject: `mail ${number}`,
    text: '',
    html: '',
  };
}

test('the newest mails are listed, without one that another process removes meanwhile', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-mails-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  expect(await listKeptMails(join(folder, 'absent'))).toEqual([]);
  for (const number of [1, 3, 2]) await keepMail(folder, mailOf(number));
  // It is in the folder, and gone when it is read.
  await symlink(
    join(folder, 'gone'),
    join(folder, '20260101000004000-00000000-0000-4000-8000-000000000004.json'),
  );
  expect((await listKeptMails(folder)).map(({ subject }) => subject)).toEqual([
    'mail 3',
    'mail 2',
    'mail 1',
  ]);
  expect((await listKeptMails(folder, 2)).map(({ subject }) => subject)).toEqual(['mail 3']);
});
