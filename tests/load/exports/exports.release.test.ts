/** Exports for measurements have what is asked for, and are the same each time. Importers read them whole. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Ledger, openMattermost, openSlack, openZulip } from '@parley/history-import';
import type { Source } from '@parley/history-import';
import { afterAll, beforeAll, expect, test } from 'vitest';

import { planMessages } from './export-plan.ts';
import { writeExport } from './write-export.ts';
import type { ExportSource } from './write-export.ts';

const size = { people: 7, channels: 3, messages: 2_500, threads: 120, reactions: 300, seed: 5 };
const planned = [...planMessages(size)].flat();
const threads = Map.groupBy(planned, ({ root }) => root);
threads.delete(undefined);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-exports-'));
});

afterAll(() => rm(folder, { recursive: true }));

const open: Record<ExportSource, (file: string, ledger: Ledger) => Promise<Source>> = {
  zulip: (file, ledger) =>
    openZulip({
      file,
      spoolFolder: join(folder, 'spool'),
      sourceUrl: undefined,
      publicUrl: 'https://parley.example',
      ledger,
      signal: new AbortController().signal,
    }),
  slack: (file, ledger) =>
    openSlack({
      file,
      name: 'Measured',
      channelTopic: 'chat',
      publicUrl: 'https://parley.example',
      fetching: 'no token',
      ledger,
    }),
  mattermost: (file, ledger) =>
    openMattermost({
      file,
      team: undefined,
      channelTopic: 'chat',
      publicUrl: 'https://parley.example',
      ledger,
    }),
};

test('messages are planned as asked for', () => {
  expect(planned.map(({ number }) => number)).toEqual(planned.map((_message, n) => n));
  expect(threads.size).toBeGreaterThan(size.threads * 0.9);
  for (const [root, messages] of threads) {
    expect(messages[0]?.number).toBe(root);
    expect(messages.length).toBeGreaterThan(1);
    expect(new Set(messages.map(({ channel }) => channel)).size).toBe(1);
  }
  const reactions = planned.flatMap((message) => message.reactions);
  expect(reactions.length).toBeGreaterThan(size.reactions * 0.9);
  expect([...planMessages({ ...size, seed: 6 })].flat()).not.toEqual(planned);
});

test.each(Object.keys(open) as ExportSource[])('%s', async (name) => {
  const [first, second] = [join(folder, `${name}.1`), join(folder, `${name}.2`)];
  await writeExport(name, first, size);
  await writeExport(name, second, size);
  expect((await readFile(first)).equals(await readFile(second))).toBe(true);
  const ledger = new Ledger({ isStrict: true, write: () => undefined });
  const source = await open[name](first, ledger);
  try {
    const keys = new Set<string>();
    for await (const batch of source.messageKeys()) for (const { key } of batch) keys.add(key);
    expect(keys.size).toBe(size.messages);
    const { people, streams } = await source.directory();
    expect([people.length, streams.length]).toEqual([size.people, size.channels]);
    const topics = new Map<string, number>();
    const names = {
      person: (index: number) => ({ id: index, fullName: people[index]?.fullName ?? '' }),
      stream: (index: number) => ({ id: index, name: streams[index]?.name ?? '' }),
      filePath: () => undefined,
      emoji: () => undefined,
    };
    for await (const { messages } of source.messages(names))
      for (const { to } of messages) {
        if (!('stream' in to)) throw new Error('a message is in no stream');
        const key = `${to.stream} ${to.topic}`;
        topics.set(key, (topics.get(key) ?? 0) + 1);
      }
    const inThreads = [...threads.values()].map(({ length }) => length);
    const found = [...topics]
      .filter(([key]) => !/^\d+ (?:chat$|topic )/.test(key))
      .map(([, count]) => count);
    const ascending = (a: number, b: number): number => a - b;
    expect(found.toSorted(ascending)).toEqual(inThreads.toSorted(ascending));
    let reactions = 0;
    for await (const batch of source.reactions(names)) reactions += batch.length;
    expect(reactions).toBe(planned.flatMap((message) => message.reactions).length);
  } finally {
    await source.close();
  }
});
