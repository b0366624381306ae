/** Archives that are small and unfold to far more than any machine has: the command refuses each, with bounded memory, and keeps nothing of it. */
import { mkdir, readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { beforeAll, expect, test } from 'vitest';

import { writeHugeTar, writeHugeZip } from './hostile-archives.ts';
import type { HugeFile, Repeated } from './hostile-archives.ts';
import { useImportTarget } from './imported-organization.ts';
import { slackFiles } from './slack-fixture.ts';
import { asExported, realm, zulipFiles } from './zulip-fixture.ts';

type Source = 'zulip' | 'slack';

const administrators = {
  zulip: 'ada@bakery.example',
  slack: 'ana@birch.example',
} as const;

const million = 1_000_000;
const peakMaxMib = 1024;

const target = useImportTarget();
beforeAll(() => mkdir(spool()));

const spool = (): string => join(target.folder, 'spool');

const sampleMs = 50;

/** The most memory that a process had at once, as the kernel keeps it until the process ends. */
async function watchPeakMib(pid: number, ended: Promise<unknown>): Promise<number> {
  let isRunning = true;
  void ended.then(() => (isRunning = false));
  let peakMib = 0;
  while (isRunning) {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    peakMib = Math.max(peakMib, Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1024);
    await Promise.race([ended, delay(sampleMs)]);
  }
  return peakMib;
}

const times = (text: string, count: number): Repeated => ({ text, times: count });

/** Elements of a JSON array. */
const elements = (text: string, count: number): HugeFile['parts'] => [
  times(`${text},`, count - 1),
  text,
];

type Changes = Readonly<Record<string, HugeFile['parts']>>;

/** The files of the usual organization, with others in their places. */
function files(own: Readonly<Record<string, unknown>>, changes: Changes, folder = ''): HugeFile[] {
  const plain = Object.entries(own).map(([name, content]): [string, HugeFile['parts']] => [
    name,
    [
      typeof content === 'string' || content instanceof Buffer
        ? content.toString()
        : JSON.stringify(content),
    ],
  ]);
  return Object.entries({ ...Object.fromEntries(plain), ...changes }).map(([name, parts]) => ({
    name: `${folder}${name}`,
    parts,
  }));
}

type Archive = (path: string) => Promise<void>;

const zulip =
  (changes: Changes): Archive =>
  (path) =>
    writeHugeTar(path, files(zulipFiles(), changes, 'export/'));

/** `realm.json` with other rows in a table. */
function realmWith(table: string, text: string, count: number): Changes {
  const { [table]: _, ...others } = realm;
  const before = asExported(others).replace(/\}\s*$/, '');
  return { 'realm.json': [`${before},"${table}":[`, ...elements(text, count), ']}'] };
}

const messagesFile = 'messages-000003.json';
const tableOf = (table: string, ...parts: HugeFile['parts']): Changes => ({
  [messagesFile]: [`{"${table}":[`, ...parts, ']}'],
});

const day = 'general/2024-01-09.json';

const slack =
  (changes: Changes): Archive =>
  (path) =>
    writeHugeZip(path, files(slackFiles(), changes));

const slackDay = (...parts: HugeFile['parts']): Archive => slack({ [day]: ['[', ...parts, ']'] });

const kibibyte = (count: number): HugeFile['parts'] => [times('\0'.repeat(1024), count)];
const zulipMessage = '{"id":900,"sender":10,"recipient":501,"date_sent":1,"content":"x"}';
const slackMessage = '{"type":"message","ts":"1700000000.000100","user":"U1","text":"x"}';

const tooManyUnreadable = /more than 1000000 of its records cannot be read/;
const tooMuchMemory = /would take more than \d+ MiB of memory/;
const tooTight = /unpacks to more than 200 times its size/;
const tooLong = /longer than 67108864 bytes/;
const tooManyValues = /has too many values/;

const cases: readonly (readonly [Source, name: string, Archive, RegExp])[] = [
  ['zulip', 'people', zulip(realmWith('zerver_userprofile', '{}', 100 * million)), tooMuchMemory],
  [
    'zulip',
    'reactions',
    zulip(realmWith('zerver_reaction', '{}', 100 * million)),
    tooManyUnreadable,
  ],
  [
    'zulip',
    'messages',
    zulip(tableOf('zerver_message', ...elements('{}', 100 * million))),
    tooMuchMemory,
  ],
  [
    'zulip',
    'receipts',
    zulip(tableOf('zerver_usermessage', ...elements('{}', 100 * million))),
    tooManyUnreadable,
  ],
  [
    'zulip',
    'one message, time and again',
    zulip(tableOf('zerver_message', ...elements(zulipMessage, 100 * million))),
    tooTight,
  ],
  [
    'zulip',
    'a text',
    zulip(tableOf('zerver_message', '{"content":"', times('x', 900 * million), '"}')),
    tooLong,
  ],
  [
    'zulip',
    'a record of small values',
    zulip(tableOf('zerver_message', '[', ...elements('{}', 21 * million), ']')),
    tooManyValues,
  ],
  [
    'zulip',
    'a file',
    zulip({ 'uploads/x': kibibyte(20 * 1024 ** 2) }),
    /200 times its size|not enough space/,
  ],
  [
    'zulip',
    'a file larger than any disk',
    zulip({ 'uploads/x': kibibyte(300 * 1024 ** 2) }),
    /not enough space|200 times/,
  ],
  [
    'slack',
    'people',
    slack({ 'users.json': ['[', ...elements('{}', 100 * million), ']'] }),
    tooManyUnreadable,
  ],
  [
    'slack',
    'channels',
    slack({ 'channels.json': ['[', ...elements('{}', 100 * million), ']'] }),
    tooManyUnreadable,
  ],
  ['slack', 'records that are none', slackDay(...elements('0', 100 * million)), tooManyUnreadable],
  [
    'slack',
    'one message, time and again',
    slackDay(...elements(slackMessage, 100 * million)),
    tooTight,
  ],
  ['slack', 'a text', slackDay('"', times('x', 900 * million), '"'), tooLong],
  [
    'slack',
    'a record of small values',
    slackDay('[', ...elements('{}', 21 * million), ']'),
    tooManyValues,
  ],
  ['slack', 'a file', slack({ '__uploads/F1/x': kibibyte(300 * 1024 ** 2) }), tooTight],
];

test.each(cases)(
  'from %s: %s',
  async (source, _name, write, fault) => {
    const path = join(target.folder, source);
    await write(path);
    const running = target.startImport(source, path, administrators[source], ['--spool', spool()]);
    const peakMib = await watchPeakMib(running.process.pid ?? 0, running.ended);
    const { code, out, error } = await running.ended;
    expect(error).toMatch(fault);
    // One sentence, without a stack.
    expect([code, out, error.trim().split('\n')]).toEqual([1, '', [expect.any(String)]]);
    expect(await target.left()).toEqual({ rows: 0, files: [] });
    expect(await readdir(spool())).toEqual([]);
    expect(peakMib).toBeLessThan(peakMaxMib);
  },
  1_200_000,
);
