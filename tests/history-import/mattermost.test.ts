import { join } from 'node:path';

import { readObjects } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { ImportTarget, contents, readMessages } from './imported-organization.ts';
import { longText, mattermostLines, writeMattermost } from './mattermost-fixture.ts';

let target: ImportTarget;
let report: JsonObject;
let clients: Record<'ana' | 'bo', ApiClient>;

const archive = (): string => join(target.folder, 'birch.zip');

beforeAll(async () => {
  target = await ImportTarget.create();
});

afterAll(() => target[Symbol.asyncDispose]());

describe('an archive that is not whole, or has several teams, is refused', () => {
  const [version = '', , team = '', ...rest] = mattermostLines();
  test.each([
    ['no version', [team], /does not begin with its version/],
    ['two versions', [version, version], /several files in one/],
    ['another version', [version.replace('"version":1', '"version":2')], /another version than 1/],
    ['several teams', [version, team, team.replace('birch', 'oak'), ...rest], /--team: birch, oak/],
  ])('%s', async (_name, lines, reason) => {
    await writeMattermost(archive(), lines);
    const ended = await target.importFrom('mattermost', archive(), 'ana@birch.example');
    expect(ended.error).toMatch(reason);
    expect(ended.code).toBe(1);
  });

  test('a second file', async () => {
    await writeMattermost(archive(), [version], [{ name: 'other.jsonl' }]);
    const ended = await target.importFrom('mattermost', archive(), 'ana@birch.example');
    expect(ended.error).toMatch(/one .jsonl file/);
  });
});

test('what is no record, and times that are none, stop nobody', async () => {
  const text = (value: unknown): string => JSON.stringify(value);
  const post = (more: object): string =>
    text({
      type: 'post',
      post: {
        team: 'birch',
        channel: 'town-square',
        user: 'ana',
        message: 'Odd',
        create_at: 1_700_000_000_000,
        ...more,
      },
    });
  const [version = '', ...rest] = mattermostLines();
  await writeMattermost(archive(), [
    `\uFEFF${version}`,
    ...rest,
    post({ message: 'A separator \u2028 of lines' }),
    post({ replies: [null, 'no reply', { user: 'bo', message: 'x', create_at: 1e300 }] }),
    post({ replies: 'none', reactions: [null, 'x'], attachments: [null, 'x', { path: 7 }] }),
    post({ edit_at: 1e300, reactions: [{ user: 'ana', emoji_name: 'smile', create_at: 1e300 }] }),
    post({ create_at: 1e300, replies: [{ user: 'ana', message: 'x', create_at: -1 }] }),
    text({ type: 'channel', channel: { team: 'birch', name: '', type: 'O' } }),
    text({
      type: 'user',
      user: { username: 'teams', teams: [null, 'x', { name: 'birch', channels: [null, 'x'] }] },
    }),
    'null',
    '"text"',
  ]);
  const ended = await target.importFrom('mattermost', archive(), 'ana@birch.example', [
    '--json',
    '--dry-run',
  ]);
  expect(ended.error).toBe('');
  expect(ended.code).toBe(0);
});

describe('a team', () => {
  beforeAll(async () => {
    await writeMattermost(archive());
    const ended = await target.importFrom('mattermost', archive(), 'ana@birch.example', ['--json']);
    if (ended.code !== 0) throw new Error(ended.error);
    report = JSON.parse(ended.out) as JsonObject;
    const clientOf = await target.start();
    clients = { ana: await clientOf('ana@birch.example'), bo: await clientOf('bo@birch.example') };
  });

  const messagesOf = (
    person: keyof typeof clients,
    narrow?: Parameters<typeof readMessages>[1],
  ): Promise<JsonObject[]> => readMessages(clients[person], narrow);

  test('is accounted for', () => {
    expect(report['name']).toBe('Birch Lab');
    const { records } = report as { records: JsonObject[] };
    for (const [kind, outcome, reason, count] of [
      ['message', 'skipped', 'notices: system_join_channel', 1],
      ['message', 'skipped', 'create_at is no time in milliseconds', 1],
      ['message', 'skipped', 'its channel is not imported', 1],
      ['line', 'skipped', 'it is no JSON', 1],
      ['wiki', 'skipped', 'this release does not know the type', 1],
      ['membership', 'skipped', 'its channel is not in the archive', 1],
      ['attachment', 'skipped', 'its file is not in the archive', 1],
      ['reaction', 'skipped', 'there is no such emoji here', 1],
    ])
      expect(records).toContainEqual(expect.objectContaining({ kind, outcome, reason, count }));
    expect(JSON.stringify(report)).not.toContain('secret-hash');
  });

  test('keeps private what was private', async () => {
    expect(contents(await messagesOf('ana'))).toContain('Only for us of #**Board**');
    const bos = contents(await messagesOf('bo'));
    expect(bos.join('\n')).not.toMatch(/Only for us|Board/);
    expect(bos).toContain('Ask in ~board or #**!DEACTIVATED:Old**');
    const { streams } = await clients.bo.get('streams');
    expect(JSON.stringify(streams)).not.toContain('Board');
  });

  test('is in the order of time, with a topic for each thread', async () => {
    const narrow = [{ operator: 'stream', operand: 'Town Square' }];
    const shown = (await messagesOf('ana', narrow)).map(({ content, subject }) => [
      String(content).slice(0, 8),
      subject,
    ]);
    const thread = 'Backups? dev @bo. now and then @bo';
    expect(shown).toEqual([
      ['Backups?', thread],
      ['Thanks', thread],
      [expect.stringMatching(/^Done/), thread],
      ['From one', 'chat'],
      ['/me wave', 'chat'],
      ['**CI**: ', 'chat'],
      ['bark bar', 'chat'],
      ['Ask in ~', 'chat'],
    ]);
  });

  test('has its texts in our dialect, its files and its reactions', async () => {
    const messages = await messagesOf('bo');
    const [first] = messages;
    expect(first?.['content']).toMatch(
      /^Backups\? #\*\*Dev\*\* @\*\*Bo\|\d+\*\*\. \*now\* and \*\*then\*\* `@bo`$/,
    );
    expect(first?.['flags']).toEqual(['read', 'starred', 'mentioned']);
    const names = readObjects(first ?? {}, 'reactions').map(({ emoji_name: name }) => name);
    expect(names).toEqual(['+1', 'leaf']);
    const done = contents(messages).find((content) => content.startsWith('Done'));
    expect(done).toMatch(
      /^Done\n\[plan.txt\]\(\/user_uploads\/1\/.*\/plan.txt\)\n\(file lost.txt missing\)$/,
    );
    expect(contents(messages)).toContain('**CI**: [Build](https://c.example/1)\nred');
    expect(contents(messages)).toContain(longText);
  });

  test('is read as far as it was', async () => {
    const unread = async (person: keyof typeof clients): Promise<string[]> =>
      contents(await messagesOf(person, [{ operator: 'is', operand: 'unread' }])).map((content) =>
        content.slice(0, 8),
      );
    expect(await unread('bo')).toEqual(['/me wave', '**CI**: ', 'bark bar', 'Ask in ~']);
    expect(await unread('ana')).toEqual(['Hi', '> Ask me']);
  });

  test('has its people', async () => {
    const members = readObjects(await clients.ana.get('users'), 'members');
    const found = members.map((user) => [user['full_name'], user['is_active'], user['is_admin']]);
    expect(found).toContainEqual(['Ana Ruiz', true, true]);
    expect(found).toContainEqual(['Bo', true, false]);
    expect(found).toContainEqual(['cy', false, false]);
    expect(found).toContainEqual(['zoe', false, false]);
    expect((await clients.bo.get('users/me/alert_words'))['alert_words']).toEqual(['oak']);
  });
});
