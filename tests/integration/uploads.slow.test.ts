/** Uploaded files while processes are measured and killed. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

import { systemClock } from '@parley/clock';
import { Secret } from '@parley/config';
import { EventLog } from '@parley/event-log';
import { openFileStore } from '@parley/files';
import { createLogger } from '@parley/telemetry/logging';
import { connectForRequests } from '@parley/cluster/redis';
import { waitUntil } from '@parley/test-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { UploadFiles } from '../../services/messages/src/files/upload-files.ts';
import { UploadFixture, basicOf, residentBytes } from '../api/upload-fixture.ts';

const mib = 1024 * 1024;
const log = createLogger({ service: 'test', nodeId: 'test', level: 'silent' });

let fixture: UploadFixture;
let folder: string;

beforeAll(async () => {
  fixture = await UploadFixture.start({}, { people: 0, ownProcesses: true });
  folder = fixture.all.cluster.settings.uploadsDir;
});
afterAll(() => fixture.stop());

async function filesIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

async function notedFiles(): Promise<number> {
  const { rows } = await fixture.all.pool.query<{ count: number }>({
    text: 'SELECT count(*) AS count FROM files_to_remove',
  });
  return rows[0]?.count ?? 0;
}

// This test comes first, so that memory left by others does not hide the growth.
test('running uploads and unread downloads are not held in memory', async () => {
  const { cluster } = fixture.all;
  const { bob } = fixture.people;
  const services = [cluster.findProcesses('gateway'), cluster.findProcesses('messages')];
  const measure = (): Promise<number[]> =>
    Promise.all(
      services.map(async (processes) => {
        const each = await Promise.all(processes.map(residentBytes));
        return each.reduce((sum, bytes) => sum + bytes, 0);
      }),
    );
  const count = 12;
  const size = 24 * mib;
  const before = await measure();
  const head = '--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n';
  const sending = Array.from({ length: count }, () => {
    const sent = fixture.begin('POST', '/api/v1/user_uploads', {
      authorization: basicOf(bob),
      'content-type': 'multipart/form-data; boundary=x',
      'content-length': String(head.length + size + 1),
    });
    sent.on('error', () => undefined);
    sent.write(head);
    return new Promise<typeof sent>((resolve) => {
      sent.write(Buffer.alloc(size), () => resolve(sent));
    });
  });
  const sent = await Promise.all(sending);
  const during = await measure();
  const uri = await fixture.upload(bob, 'large', Buffer.alloc(size));
  const reading = await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise<() => void>((resolve) => {
          const request = fixture.begin('GET', uri, { authorization: basicOf(bob) }, (answer) => {
            answer.pause();
            resolve(() => request.destroy());
          });
          request.on('error', () => undefined);
          request.end();
        }),
    ),
  );
  const after = await measure();
  for (const each of sent) each.destroy();
  for (const end of reading) end();
  const grown = [...during, ...after].map((bytes, n) => bytes - (before[n % before.length] ?? 0));
  // Held in memory they would take 288 MiB in each service for the uploads, and as much again for the downloads.
  expect(Math.max(...grown)).toBeLessThan(0.6 * count * size);
  await waitUntil('nothing is left of what was broken off', async () =>
    (await readdir(join(folder, 'incoming'))).length === 0 ? true : undefined,
  );
});

test('leftovers of a killed replica are removed when due, and nothing else', async () => {
  const { all, people } = fixture;
  const { cluster, pool } = all;
  const kept = await fixture.upload(people.bob);
  const keptCount = (await filesIn(folder)).length;
  await cluster.kill('messages', 1, 'SIGTERM');
  const sent = fixture.begin('POST', '/api/v1/user_uploads', {
    authorization: basicOf(people.bob),
    'content-type': 'multipart/form-data; boundary=x',
    'content-length': String(5 * mib),
  });
  sent.on('error', () => undefined);
  sent.write('--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n');
  sent.write(Buffer.alloc(2 * mib));
  await waitUntil('the file is being written', async () =>
    (await readdir(join(folder, 'incoming'))).length > 0 ? true : undefined,
  );
  await cluster.kill('messages', 0);
  sent.destroy();
  expect(await filesIn(folder)).toHaveLength(keptCount + 1);
  const redis = connectForRequests(
    {
      url: new Secret(cluster.settings.redisUrl),
      prefix: cluster.settings.redisPrefix,
      commandTimeoutMs: 500,
    },
    log,
    systemClock,
  );
  try {
    const uploads = new UploadFiles({
      pool,
      eventLog: new EventLog({
        clock: systemClock,
        pool,
        redis,
        keyPrefix: cluster.settings.redisPrefix,
        log,
      }),
      files: await openFileStore({ kind: 'directory', path: folder }, systemClock),
      quotaBytes: undefined,
      log,
    });
    await uploads.removeDue();
    expect(await filesIn(folder)).toHaveLength(keptCount + 1);
    await pool.query({ text: 'UPDATE files_to_remove SET due_at = parley_now()' });
    await uploads.removeDue();
  } finally {
    redis.disconnect();
  }
  expect(await filesIn(folder)).toHaveLength(keptCount);
  expect(await notedFiles()).toBe(0);
  await cluster.startAnother('messages');
  await waitUntil('the file that was kept is served again', async () =>
    (await fixture.statusFor(people.bob, kept)) === 200 ? true : undefined,
  );
});

test('a download breaks off when its replica dies', async () => {
  const { cluster } = fixture.all;
  const { bob } = fixture.people;
  const uri = await fixture.upload(bob, 'large', Buffer.alloc(20 * mib));
  let killed: Promise<unknown> = Promise.resolve();
  const broken = new Promise<boolean>((resolve) => {
    const request = fixture.begin('GET', uri, { authorization: basicOf(bob) }, (answer) => {
      answer.once('data', () => {
        answer.pause();
        killed = cluster.kill('messages', 0).finally(() => answer.resume());
      });
      answer.on('error', () => undefined);
      answer.on('close', () => resolve(!answer.complete));
    });
    request.on('error', () => undefined);
    request.end();
  });
  expect(await broken).toBe(true);
  await killed;
});
