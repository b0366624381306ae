import { join } from 'node:path';

import { readObjects } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

import { writeHugeZip } from './hostile-archives.ts';
import {
  contents,
  download,
  expectRecords,
  expectRefused,
  inStream,
  readMessages,
  rolesOf,
  useImportTarget,
} from './imported-organization.ts';
import type { Report } from './imported-organization.ts';
import { longName, longText, slackFiles, writeSlack } from './slack-fixture.ts';
import { writeZip } from './write-archives.ts';
import type { ZipEntry } from './write-archives.ts';

const ana = 'ana@birch.example';
const target = useImportTarget();
const archive = (): string => join(target.folder, 'Birch Lab.zip');

describe('an archive that could do harm, or is not whole, is refused', () => {
  const file = { name: 'x/users.json', content: '[]' };
  const hostile: readonly (readonly [string, readonly ZipEntry[], RegExp])[] = [
    ['a path outside', [file, { name: '../evil' }], /outside of itself/],
    ['a link', [file, { name: 'x/l', mode: 0o120_777 }], /no file, "x\/l" \(link\)/],
    ['an encrypted entry', [file, { name: 'x/e', flags: 1 }], /encrypted entry/],
    ['a name twice', [file, file], /"x\/users.json" twice/],
    [
      'another encoding',
      [file, { name: Buffer.from([0x78, 0xff]) }],
      /another encoding than UTF-8/,
    ],
    [
      'several workspaces',
      [{ name: 'teams/a/users.json' }, { name: 'users.json' }],
      /several workspaces/,
    ],
    [
      'something else',
      [{ name: 'a.json' }, { name: 'b/c.json' }],
      /users.json and channels.json are required/,
    ],
  ];
  test.each(hostile)('%s', async (_name, entries, reason) => {
    await writeZip(archive(), entries);
    await expectRefused(target, reason, 'slack', archive(), ana);
  });

  test('entries of a zip one inside of the other', async () => {
    const entries = ['x/users.json', 'x/channels.json'].map((name) => ({ name, parts: ['[]'] }));
    await writeHugeZip(archive(), entries, { isOverlapping: true });
    await expectRefused(target, 'one inside of the other', 'slack', archive(), ana);
  });

  test('a cut day', async () => {
    await writeSlack(archive(), { 'general/2023-11-14.json': '[{"type": "message"' });
    const reason = /general\/2023-11-14.json cannot be read: it is cut off/;
    await expectRefused(target, reason, 'slack', archive(), ana);
  });
});

async function expectAccepted(): Promise<string> {
  const { code, out, error } = await target.importFrom('slack', archive(), ana, ['--dry-run']);
  expect([code, error]).toEqual([0, '']);
  return out;
}

test('reactions that are none stop nobody', async () => {
  const message = { type: 'message', user: 'U1', text: 'Odd', ts: '1700040000.000100' };
  await writeSlack(archive(), {
    'general/2023-11-15.json': [
      { ...message, reactions: [null, 'x', { users: 3 }, { name: 'smile', users: 'U1' }] },
      null,
      'text',
    ],
  });
  await expectAccepted();
});

test('a record that cannot be read does not stop the others, and is counted as one', async () => {
  const message = { type: 'message', user: 'U1', text: 'Whole', ts: '1700040000.000100' };
  const tooLong = { ...message, ts: '1700040001.000100', text: 'x'.repeat(1_000_001) };
  const file = { ...message, ts: '1700040002.000100', files: [{ id: 'F9', mode: 'tombstone' }] };
  await writeSlack(archive(), {
    'general/2023-11-15.json': `[${JSON.stringify(message)}, {"files": [1], "text": oh,}, ${JSON.stringify(tooLong)},
      ${JSON.stringify(file)}]`,
  });
  const out = await expectAccepted();
  const place = 'general/2023-11-15.json';
  expect(out).toContain(`it is no object in JSON (${place}, [1]`);
  expect(out).toContain(`its text is longer than 1000000 characters (${place}, [2])`);
});

test('a folder around all files, and what programs that pack leave, are passed over', async () => {
  const files = Object.entries(slackFiles()).map(([name, content]) => ({
    name: `Birch/${name}`,
    content: JSON.stringify(content),
  }));
  const packed = [{ name: '__MACOSX/Birch/._users.json' }, { name: 'Birch/.DS_Store' }];
  await writeZip(archive(), [...files, ...packed]);
  await expectAccepted();
});

describe('a workspace', () => {
  let report: Report;
  let clients: Readonly<Record<'ana' | 'bo' | 'cy', ApiClient>>;
  beforeAll(async () => {
    await writeSlack(archive());
    report = await target.report('slack', archive(), 'Ana@birch.example');
    clients = await target.startFor({ ana, bo: 'bo@birch.example', cy: 'cy@birch.example' });
  });

  const messagesOf = (
    person: keyof typeof clients,
    narrow?: Parameters<typeof readMessages>[1],
  ): Promise<JsonObject[]> => readMessages(clients[person], narrow);

  test('is accounted for', () => {
    expect(report).toMatchObject({ name: 'Birch Lab', dry_run: false });
    expectRecords(report, [
      ['messages', 'skipped', 'notices: channel_join', 1],
      ['messages', 'skipped', 'it is empty', 1],
      ['messages', 'skipped', 'it is hidden', 1],
      ['messages', 'skipped', 'notices: tombstone', 1],
      ['messages', 'skipped', 'ts is no time', 1],
      ['messages', 'skipped', 'no conversation has its folder', 1],
      ['messages', 'merged', 'another message has its key', 1],
      ['users.json', 'merged', 'another account has the same address', 2],
      ['groups.json', 'merged', 'another conversation has its id or its folder', 1],
      ['mpims.json', 'merged', 'another conversation has its id or its folder', 2],
      ['reactions', 'skipped', 'there is no such emoji here', 2],
      ['pins', 'skipped', 'pins have no place here', 2],
      ['other files', 'skipped', 'canvases, lists and logs have no place here', 2],
    ]);
    const remarks = Object.keys(report['remarks'] as object);
    expect(remarks).toContain('people of other workspaces, who are deactivated');
    expect(remarks).toContain('threads without their first message');
  });

  test('has its streams, of which the general one is for newcomers', async () => {
    const state = await clients.ana.post('register', {});
    const names = (list: string): unknown[] => readObjects(state, list).map(({ name }) => name);
    expect(names('realm_default_streams')).toEqual(['general']);
    expect(names('subscriptions')).toContain(longName.slice(0, 60));
    const old = await messagesOf('ana', [{ operator: 'search', operand: 'Long ago' }]);
    expect(old).toEqual([]);
    expect(contents(await messagesOf('cy'))).toContain('Long ago');
    expect(
      readObjects(state, 'subscriptions').find(({ name }) => name === 'general'),
    ).toMatchObject({
      description: 'All of **us** · Talk',
    });
  });

  test('keeps private what was private', async () => {
    expect(contents(await messagesOf('ana', inStream('secret')))).toEqual([
      'See #**secret**',
      'Bo has left since',
      'Between us',
    ]);
    for (const other of ['bo', 'cy'] as const) {
      expect(contents(await messagesOf(other)).join('\n')).not.toMatch(
        /Between us|Private by now|Before I went/,
      );
      const { streams } = await clients[other].get('streams');
      expect(JSON.stringify(streams)).not.toMatch(/secret|turned/);
    }
    expect(contents(await messagesOf('ana', inStream('turned')))).toEqual(['Private by now']);
  });

  test('has its private conversations, those of the same people as one', async () => {
    const privately = async (person: keyof typeof clients): Promise<string[]> =>
      contents(await messagesOf(person, [{ operator: 'is', operand: 'private' }]));
    // Two conversations in one folder: whoever was in both reads it; of the others everybody keeps the own.
    expect(await privately('cy')).toEqual(['Three', 'The same three', 'Once', 'Twice']);
    expect(await privately('bo')).toEqual([
      'Three',
      'The same three',
      'There',
      'Hi Bo',
      '> Hi Bo\n\nHi Ana',
    ]);
    const anas = await privately('ana');
    expect(anas).toEqual(expect.arrayContaining(['Before I went', 'Here']));
    expect(anas.filter((content) => ['Once', 'Twice', 'There'].includes(content))).toEqual([]);
  });

  test('has a topic for each thread, and one for all other messages', async () => {
    const topics = new Map(
      (await messagesOf('ana', inStream('general'))).map(({ content, subject }) => [
        content,
        subject,
      ]),
    );
    expect(topics.get('The disk')).toBe('The disk');
    expect(topics.get('It was full')).toBe('The disk');
    expect(topics.get('Months later')).toBe('The disk');
    expect(topics.get('Who asked?')).toBe('Who asked?');
    expect(topics.get('From another company')).toBe('chat');
    expect(topics.get('Answered all the same')).toBe('Answered all the same');
    expect(topics.get('In the thread')).toBe('Chat (thread)');
    // Names that a text has as ids, but for those of private channels.
    expect(topics.get('Seen')).toBe('Bo Tide see #build and #private channel?');
  });

  test('has its texts in our markup, whole and without keys', async () => {
    const texts = contents(await messagesOf('ana'));
    const bo = /@\*\*Bo Tide\|\d+\*\*/;
    expect(texts[0]).toMatch(
      new RegExp(
        String.raw`^Does ${bo.source} know why #\*\*build\*\* is \*\*red\*\* & \*slow\*\? See \[the log\]\(https://a.example/x\) :tada:$`,
      ),
    );
    expect(texts).toContain('Is `<b>` code? \n```\nlet x = 1 < 2\n```');
    expect(texts).toContain('**CI**: Build 7 failed');
    expect(texts).toContain('**Nameless**: [A card](https://c.example/1)\nBody\n**State**: ok');
    const files = texts.find((text) => text.startsWith('[plan.pdf]')) ?? '';
    expect(files).toMatch(
      /^\[plan.pdf\]\(https:\/\/files.slack.com\/f\/plan.pdf\)\n\(file file, deleted\)\n\[Größe.txt\]\(\/user_uploads\/\S+\)$/,
    );
    const path = /\/user_uploads\/[^)]+/.exec(files)?.[0] ?? '';
    expect((await download(clients.bo, path)).status).toBe(200);
    expect(texts.find((text) => text.startsWith('**Bold** '))).toMatch(
      new RegExp(
        String.raw`^\*\*Bold\*\* ${bo.source}:wave::cross_mark::\u2060check:\n\* one\n\n${'```'}\na < b\n${'```'}$`,
      ),
    );
    expect(texts).toContain('/me looks');
    const looks = (await messagesOf('ana')).find(({ content }) => content === '/me looks');
    expect(looks?.['last_edit_timestamp']).toBe(1_700_020_000);
    const failed = (await messagesOf('ana')).find(
      ({ content }) => content === '**CI**: Build 7 failed',
    );
    expect(failed?.['sender_full_name']).toBe('Build Bot');
    expect(texts).toContain('\u2060/me is no command');
    const expected = ['A **fine** file', 'A huddle', '(the text was withheld)'];
    expect(texts.filter((text) => expected.includes(text))).toEqual(expected);
    expect(texts).toContain('See https://d.example/page\n> Cy: Shared');
    expect(texts).toContain('@**all** lunch');
    expect(texts).toContain(':big_smile: :+1: 🇩🇪 :\u2060check: `:x:`');
    expect(texts).toContain('Not here: #private channel #private channel #far');
    expect(texts).toContain(longText);
    expect(JSON.stringify([texts, report])).not.toContain('xoxe-secret');
  });

  test('has links to the messages here, which tell nothing of private places', async () => {
    const messages = await messagesOf('ana');
    const idOf = (content: string): string =>
      String(messages.find((message) => message['content'] === content)?.['id']);
    const links = messages.find(({ content }) => String(content).startsWith('Links: '));
    const stream = `#narrow/stream/${String(links?.['stream_id'])}-general/topic/The.20disk/near/`;
    const [root, reply, hidden, archived, ...others] = String(links?.['content'])
      .replace('Links: ', '')
      .split(/ (?=\[)/);
    expect(root).toMatch(new RegExp(`/${stream}${idOf('The disk')}$`));
    expect(reply).toMatch(new RegExp(`^\\[the reply\\]\\(.*/${stream}${idOf('It was full')}\\)$`));
    expect(hidden).toMatch(new RegExp(`^\\[hidden\\]\\(.*/#narrow/near/${idOf('Between us')}\\)$`));
    // Its members alone read it.
    expect(archived).toMatch(/#narrow\/near\/\d+\)$/);
    expect(others).toEqual([
      '[gone](https://birch.slack.com/archives/C1/p1500000000000100)',
      '[far](https://birch.slack.com/archives/C99/p1700010000000100)',
    ]);
  });

  test('is read by everybody, and mentions and reactions are there', async () => {
    expect(await messagesOf('bo', [{ operator: 'is', operand: 'unread' }])).toEqual([]);
    const mentioned = await messagesOf('bo', [{ operator: 'is', operand: 'mentioned' }]);
    expect(mentioned).toHaveLength(4);
    const reacted = (await messagesOf('ana')).find(
      ({ content }) => content === 'From another company',
    );
    expect(readObjects(reacted ?? {}, 'reactions').map(({ emoji_name: name }) => name)).toEqual([
      '+1',
      '+1',
      'check',
      'cross_mark',
      'shrug',
    ]);
    expect(reacted).toMatchObject({ sender_full_name: 'Zoe Far' });
    const [huddle] = await messagesOf('ana', [{ operator: 'search', operand: 'huddle' }]);
    expect(huddle).toMatchObject({ sender_full_name: 'Cy Mast' });
  });

  test('has its people with their roles', async () => {
    const members = readObjects(await clients.ana.get('users'), 'members');
    const found = await rolesOf(clients.ana);
    for (const person of [
      ['Ana Ruiz', true, true, false],
      ['Bo Tide', true, false, false],
      ['Cy Mast', true, false, true],
      ['Gone Person', false, false, false],
      ['Kai Guest', false, false, true],
      ['Lou Grid', true, false, false],
      ['Zoe Far', false, false, true],
    ])
      expect(found).toContainEqual(person);
    expect(members.find(({ full_name: name }) => name === 'Mo App')).toMatchObject({
      is_bot: false,
      is_active: true,
    });
    const [posted] = await messagesOf('ana', [{ operator: 'search', operand: 'Posted' }]);
    expect(posted).toMatchObject({ sender_full_name: 'Mo App' });
    for (const bot of ['Build Bot', 'Slackbot'])
      expect(members.find(({ full_name: name }) => name === bot)).toMatchObject({
        is_bot: true,
        is_active: false,
      });
    expect(found.map(([name]) => name)).not.toContain('Ana Copy');
    expect(found.map(([name]) => name)).not.toContain('Bo Elsewhere');
    expect(members.find(({ full_name: name }) => name === 'Gone Person')).toMatchObject({
      email: 'gone-person@slack.invalid',
    });
  });

  test('goes on', async () => {
    await clients.ana.sendToStream('secret', 'chat', 'After');
    await clients.bo.sendToStream('general', 'chat', 'Here');
    const unread = await messagesOf('ana', [{ operator: 'is', operand: 'unread' }]);
    expect(contents(unread)).toEqual(['After', 'Here']);
  });
});
