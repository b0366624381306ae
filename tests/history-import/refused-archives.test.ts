import { open, readFile, readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { expectRefused, useImportTarget } from './imported-organization.ts';
import { writeTar } from './write-archives.ts';
import type { TarEntry } from './write-archives.ts';
import { asExported, realm, writeZulip, zulipFiles } from './zulip-fixture.ts';

const target = useImportTarget();
const administrator = 'ada@bakery.example';
const archive = (): string => join(target.folder, 'archive.tar.gz');

/** The folders to which imports have unpacked. */
async function listUnpacked(): Promise<string[]> {
  const left = await readdir(target.folder);
  return left.filter((name) => name.startsWith('parley-import-'));
}

async function expectEmpty(): Promise<void> {
  expect(await target.left()).toEqual({ rows: 0, files: [] });
  expect(await listUnpacked()).toEqual([]);
}

async function expectNothing(
  reason: RegExp,
  more: readonly string[] = [],
  named = administrator,
): Promise<void> {
  await expectRefused(target, reason, 'zulip', archive(), named, more);
  await expectEmpty();
}

describe('an archive that could do harm is refused, and nothing is left of it', () => {
  const file = { name: 'x/realm.json', content: '{}' };
  const hostile: readonly (readonly [string, readonly TarEntry[], RegExp])[] = [
    [
      'a path outside',
      [file, { name: 'x/../../evil', content: 'x' }],
      /an entry outside of itself/,
    ],
    ['an absolute path', [{ name: '/etc/evil', content: 'x' }], /an entry outside of itself/],
    [
      'a backslash',
      [{ name: String.raw`x\..\evil`, content: 'x' }],
      /an unusable name|unusable name/,
    ],
    [
      'a link',
      [file, { name: 'x/l', type: 'symlink', linkname: '/etc/passwd' }],
      /no file, "x\/l" \(symlink\)/,
    ],
    ['a hard link', [file, { name: 'x/l', type: 'link', linkname: 'x/realm.json' }], /\(link\)/],
    ['a device', [file, { name: 'x/d', type: 'character-device' }], /\(character-device\)/],
    ['a name twice', [file, file], /"x\/realm.json" twice/],
    ['two folders', [file, { name: 'y/a', content: 'x' }], /exactly one folder/],
  ];
  test.each(hostile)('%s', async (_name, entries, text) => {
    await writeTar(archive(), entries);
    await expectNothing(text);
  });

  test('nesting without end', async () => {
    const deep = `{"zerver_realm": [${'['.repeat(100_000)}${']'.repeat(100_000)}]}`;
    await writeZulip(archive(), { 'realm.json': deep });
    await expectNothing(/nested deeper than 64/);
  });
});

describe('an archive that is not whole, or of another kind, is refused', () => {
  test('a cut archive', async () => {
    await writeZulip(archive());
    const handle = await open(archive());
    const { size } = await handle.stat();
    await handle.close();
    await truncate(archive(), size - 200);
    await expectNothing(/The archive cannot be unpacked/);
  });

  test('no archive', async () => {
    await writeFile(archive(), 'no archive');
    await expectNothing(/The archive cannot be unpacked/);
  });

  const text = asExported(realm);
  const inUtf16 = Buffer.from(`\uFEFF${text}`, 'utf16le');
  const files: readonly (readonly [string, Record<string, string | Buffer | undefined>, RegExp])[] =
    [
      [
        'a cut file',
        { 'realm.json': text.slice(0, -30) },
        /realm.json cannot be read: it is cut off/,
      ],
      ['another encoding', { 'realm.json': inUtf16 }, /realm.json cannot be read: it is no JSON/],
      ['no realm.json', { 'realm.json': undefined }, /it has no realm.json/],
      ['one person', { 'user.json': '{}' }, /the export of one person/],
      ['an interrupted export', { 'messages-000003.json.partial': '{}' }, /unfinished files/],
      [
        'a missing file of messages',
        { 'messages-000001.json': undefined },
        /missing before messages-000002/,
      ],
      [
        'a file of messages that its list names',
        { 'stats.txt': 'messages-000003.json\n    1 zerver_message\n' },
        /messages-000003.json is missing, of which stats.txt tells/,
      ],
      [
        'two organizations',
        { 'realm.json': asExported({ ...realm, zerver_realm: [{ id: 1 }, { id: 2 }] }) },
        /has 2 organizations/,
      ],
      [
        'a table twice',
        { 'realm.json': '{"zerver_realm": [], "zerver_realm": []}' },
        /zerver_realm twice/,
      ],
    ];
  test.each(files)('%s', async (_name, changes, reason) => {
    await writeZulip(archive(), changes);
    await expectNothing(reason);
  });

  test('an administrator that is not in it', async () => {
    await writeZulip(archive());
    const reason = /Nobody in the archive has the address or the name nobody@bakery.example/;
    await expectNothing(reason, [], 'nobody@bakery.example');
  });
});

describe('a record that cannot be read', () => {
  const broken = String(zulipFiles()['messages-000002.json']).replace(
    '"recipient":506',
    '"recipient":"x"',
  );

  test('does not stop the others, and is reported with its place', async () => {
    await writeZulip(archive(), { 'messages-000002.json': broken });
    const lines = join(target.folder, 'lines.jsonl');
    const ended = await target.importFrom('zulip', archive(), administrator, [
      '--dry-run',
      '--report',
      lines,
    ]);
    expect(ended.error).toBe('');
    expect(ended.out).toMatch(/would be imported. Nothing was kept/);
    expect(await readFile(lines, 'utf8')).toContain(
      '{"outcome":"skipped","kind":"zerver_message","reason":"recipient is no number","place":{"file":"messages-000002.json","at":"zerver_message[0]"},"sample":"Dear bot"}',
    );
    await expectEmpty();
  });

  test('stops a strict import', async () => {
    await writeZulip(archive(), { 'messages-000002.json': broken });
    await expectNothing(/: (?:recipient is no number|its sender is not in the archive)/, [
      '--strict',
    ]);
  });
});
