import { join } from 'node:path';

import { readObjects } from '@parley/test-kit';
import type { ApiClient, JsonObject } from '@parley/test-kit';
import { beforeAll, describe, expect, test } from 'vitest';

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
import { longText, mattermostLines, otherTeam, writeMattermost } from './mattermost-fixture.ts';
import { writeZip } from './write-archives.ts';

const ana = 'ana@birch.example';
const target = useImportTarget();
const archive = (): string => join(target.folder, 'birch.zip');

describe('an archive that is not whole, or has several teams, is refused', () => {
  const [version = '', , team = '', ...rest] = mattermostLines();
  test.each([
    ['no version', [team], /does not begin with its version/],
    ['two versions', [version, version], /several files in one/],
    ['another version', [version.replace('"version":1', '"version":2')], /another version than 1/],
    ['several teams', [version, team, team.replace('birch', 'oak'), ...rest], /--team: birch, oak/],
  ])('%s', async (_name, lines, reason) => {
    await writeMattermost(archive(), lines);
    await expectRefused(target, reason, 'mattermost', archive(), ana);
  });

  test('a line that was cut at the end', async () => {
    const cut = mattermostLines().join('\n').slice(0, -9);
    await writeZip(archive(), [{ name: 'import.jsonl', content: cut }]);
    const reason = /import.jsonl is cut off in line \d+/;
    await expectRefused(target, reason, 'mattermost', archive(), ana);
  });

  test('a second file', async () => {
    await writeMattermost(archive(), [version], [{ name: 'other.jsonl' }]);
    await expectRefused(target, /one .jsonl file/, 'mattermost', archive(), ana);
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
  expect(await target.report('mattermost', archive(), ana, ['--dry-run'])).toBeDefined();
});

describe('a team', () => {
  let report: Report;
  let clientOf: (email: string) => Promise<ApiClient>;
  let clients: Record<'ana' | 'bo' | 'eva', ApiClient>;
  beforeAll(async () => {
    await writeMattermost(archive(), [...mattermostLines(), ...otherTeam]);
    report = await target.report('mattermost', archive(), ana, ['--team', 'birch']);
    clientOf = await target.start();
    clients = {
      ana: await clientOf(ana),
      bo: await clientOf('bo@birch.example'),
      eva: await clientOf('eva@birch.example'),
    };
  });

  const messagesOf = (
    person: keyof typeof clients,
    narrow?: Parameters<typeof readMessages>[1],
  ): Promise<JsonObject[]> => readMessages(clients[person], narrow);

  test('is accounted for', () => {
    expect(report['name']).toBe('Birch Lab');
    expectRecords(report, [
      ['message', 'skipped', 'notices: system_join_channel', 1],
      ['message', 'skipped', 'create_at is no time in milliseconds', 1],
      ['message', 'skipped', 'notices: system_header_change', 1],
      ['message', 'skipped', 'it is empty', 1],
      ['message', 'skipped', 'its channel is not imported', 2],
      ['team', 'skipped', 'another team is imported', 1],
      ['channel', 'skipped', 'it is of another team', 1],
      ['role', 'skipped', 'roles have no place here', 1],
      ['scheme', 'skipped', 'schemes have no place here', 1],
      ['emoji', 'skipped', 'its name or picture cannot be used', 1],
      ['line', 'skipped', 'it is no JSON', 1],
      ['wiki', 'skipped', 'this release does not know the type', 1],
      ['membership', 'skipped', 'its channel is not in the archive', 1],
      ['membership', 'merged', 'it is listed twice', 1],
      ['attachment', 'skipped', 'its file is not in the archive', 1],
      ['reaction', 'skipped', 'there is no such emoji here', 1],
      ['pin', 'skipped', 'pins have no place here', 1],
      ['thread_follower', 'skipped', 'a reply counts as read with its channel', 1],
    ]);
    expect(report['remarks']).toHaveProperty(['stream "dev" is now "dev (2)"'], 1);
    expect(report['remarks']).toHaveProperty(['people whose address another person has'], 2);
    expect(report['remarks']).toHaveProperty(['people of other teams, who are deactivated'], 3);
    const notExported = 'files that could not be exported, by warnings.txt';
    expect(report['remarks']).toHaveProperty([notExported], 2);
    expect(JSON.stringify(report)).not.toContain('secret-hash');
  });

  test('keeps private what was private', async () => {
    expect(contents(await messagesOf('ana'))).toContain('Only for us of #**Board**');
    const bos = contents(await messagesOf('bo'));
    expect(bos.join('\n')).not.toMatch(/Only for us|Board/);
    expect(bos).toContain('Ask in ~board or #**!DEACTIVATED:Old**');
    const { streams } = await clients.bo.get('streams');
    expect(JSON.stringify(streams)).not.toContain('Board');
    expect(contents(await messagesOf('ana'))).toContain('Before it closed');
    expect(bos).not.toContain('Before it closed');
  });

  test('shares the whole history of a private channel with its members', async () => {
    expect(contents(await messagesOf('eva', inStream('Board')))).toEqual([
      'Only for us of #**Board**',
    ]);
  });

  test('has its channels', async () => {
    const state = await clients.bo.post('register', {});
    expect(state).toMatchObject({
      realm_description: 'We grow',
      realm_default_streams: [{ name: 'Town Square', description: 'Hello all' }],
    });
    const subscriptions = readObjects(state, 'subscriptions');
    const found = Object.fromEntries(subscriptions.map((one) => [String(one['name']), one]));
    expect(found).toMatchObject({
      'Town Square': { pin_to_top: true, is_muted: false },
      Dev: { pin_to_top: false, wildcard_mentions_notify: false },
      nursery: {
        description: 'For seedlings · Water them',
        is_muted: true,
      },
    });
    const { rows } = await target.pool.query<{ name: string }>(
      'SELECT name FROM subscriptions JOIN streams ON streams.id = stream_id WHERE NOT desktop_notifications',
    );
    expect(rows).toEqual([{ name: 'nursery' }]);
    expect(Object.keys(found).toSorted()).toEqual(['Dev', 'Town Square', 'nursery']);
  });

  test('names threads by their first line, that of the first reply, or the day', async () => {
    const shown = await messagesOf('eva', inStream('nursery'));
    const file: unknown = expect.stringMatching(
      /^\[plän.txt\]\(\/user_uploads\/1\/.*\/pl%C3%A4n.txt\)$/,
    );
    expect(shown.map(({ content, subject }) => [content, subject])).toEqual([
      ['one', 'Same line'],
      ['# Same *line*', 'Same line'],
      ['two', 'same line (2)'],
      ['same line', 'same line (2)'],
      ['Why?', 'Why?'],
      [file, 'thread 2023-11-15'],
      [file, 'thread 2023-11-15'],
      [expect.stringMatching(/^To be seen @\*\*Ana Ruiz\|\d+\*\*\.$/), 'chat'],
      ['Seen', 'chat'],
      ['Not seen', 'chat'],
    ]);
  });

  test('has one file for a path in several posts, of the one who posted it first', async () => {
    const filesOf = async (person: keyof typeof clients): Promise<readonly JsonObject[]> =>
      readObjects(await clients[person].get('attachments'), 'attachments');
    const [file, ...others] = await filesOf('bo');
    expect([file?.['name'], readObjects(file ?? {}, 'messages').length, others]).toEqual([
      'plän.txt',
      3,
      [],
    ]);
    expect(await filesOf('eva')).toEqual([]);
    const { path_id: path } = file ?? {};
    expect(path).toMatch(/\/plän\.txt$/);
    // Ana reads all of the stream with the file, and Eva reads the other one.
    for (const person of ['bo', 'ana', 'eva'] as const)
      expect(await download(clients[person], `/user_uploads/${String(path)}`)).toEqual({
        status: 200,
        text: 'leaves\n',
      });
  });

  test('has one conversation of the same people, in which replies quote', async () => {
    const narrow = [{ operator: 'pm-with', operand: 'bo@birch.example' }];
    expect(contents(await messagesOf('ana', narrow))).toEqual(['Hi', 'Ask me', '> Ask me\n\nI do']);
  });

  test('is in the order of time, with a topic for each thread', async () => {
    const shown = (await messagesOf('ana', inStream('Town Square'))).map(({ content, subject }) => [
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
    expect(names).toEqual(['+1', 'leaf', 'thinking', 'rolling_on_the_floor_laughing']);
    const { rows } = await target.pool.query<{ at: number }>(
      'SELECT extract(epoch FROM reacted_at)::integer AS at FROM reactions WHERE message_id = $1 ORDER BY 1',
      [first?.['id']],
    );
    expect(rows.map(({ at }) => at)).toEqual([
      1_700_000_000, 1_700_000_000, 1_700_000_000, 1_700_000_005,
    ]);
    const seen = messages.find(({ content }) => content === 'Not seen');
    expect(readObjects(seen ?? {}, 'reactions')).toMatchObject([
      { emoji_name: 'tada', reaction_type: 'realm_emoji' },
    ]);
    const done = messages.find(({ content }) => String(content).startsWith('Done'));
    expect(done?.['last_edit_timestamp']).toBe(1_700_000_099);
    expect(done?.['content']).toMatch(
      /^Done\n\[plän.txt\]\(\/user_uploads\/1\/.*\/pl%C3%A4n.txt\)\n\(file lost.txt missing\)$/,
    );
    expect(contents(messages)).toContain('**CI**: [Build](https://c.example/1)\nred');
    expect(contents(messages)).toContain(longText);
    expect(contents(messages)).toContain(':big_smile: :leaf: :tada: 🇩🇪 :lost: :\u2060check: `:x:`');
  });

  test('has links to posts of which the archive has the ids', async () => {
    const messages = await messagesOf('bo');
    const linked = messages.find(({ content }) => content === 'From one who is gone');
    const link = messages.find(({ content }) => String(content).startsWith('See '));
    expect(link?.['content']).toBe(
      `See http://127.0.0.1:9991/#narrow/near/${String(linked?.['id'])} and https://mm.example/birch/pl/${'c'.repeat(26)}`,
    );
    expect(report['remarks']).toHaveProperty(
      ['links to posts that the archive does not have, or has without their ids'],
      1,
    );
  });

  test('is read as far as it was', async () => {
    const unread = async (person: keyof typeof clients): Promise<string[]> =>
      contents(await messagesOf(person, [{ operator: 'is', operand: 'unread' }])).map((content) =>
        content.slice(0, 8),
      );
    expect(await unread('bo')).toEqual([
      '/me wave',
      '**CI**: ',
      'bark bar',
      'Ask in ~',
      'Not seen',
    ]);
    expect(await unread('ana')).toEqual(['Hi', '> Ask me']);
    expect(await unread('eva')).toEqual([]);
  });

  test('has its people', async () => {
    const members = readObjects(await clients.ana.get('users'), 'members');
    const idOf = (name: string): unknown =>
      members.find(({ full_name: found }) => found === name)?.['user_id'];
    const found = await rolesOf(clients.ana);
    for (const person of [
      ['Ana Ruiz', true, true, false],
      ['Bo', true, false, false],
      ['cy', false, false, false],
      ['zoe', false, false, false],
      ['kay', false, false, false],
      ['dan', true, false, true],
      ['eva', true, true, false],
      ['fay', true, false, true],
      // Of no team, and of another one.
      ['hal', false, false, false],
      ['ira', false, false, false],
      ['jon', false, false, false],
    ])
      expect(found).toContainEqual(person);
    for (const [name, owner] of [
      ['Calls', 'Ana Ruiz'],
      ['Raker', 'Bo'],
    ])
      expect(members).toContainEqual(
        expect.objectContaining({
          full_name: name,
          is_bot: true,
          is_active: false,
          bot_owner_id: idOf(owner ?? ''),
        }),
      );
    expect(await clients.bo.post('register', {})).toMatchObject({
      default_language: 'de',
      twenty_four_hour_time: true,
    });
    expect((await clients.bo.get('users/me/alert_words'))['alert_words']).toEqual(['oak']);
  });

  test('is read by those who were deactivated, when they come back', async () => {
    const members = readObjects(await clients.ana.get('users'), 'members');
    const cy = members.find(({ full_name: name }) => name === 'cy');
    await clients.ana.post(`users/${String(cy?.['user_id'])}/reactivate`);
    const client = await clientOf('cy@birch.example');
    expect(await readMessages(client, inStream('Town Square'))).toHaveLength(8);
    expect(await readMessages(client, [{ operator: 'is', operand: 'unread' }])).toEqual([]);
  });
});
