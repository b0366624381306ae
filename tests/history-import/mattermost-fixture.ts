/** A team as Mattermost exports it in bulk, with the oddities that docs/import/mattermost.md names. Written after the format's description. */
import { onePixel, writeZip } from './write-archives.ts';
import type { ZipEntry } from './write-archives.ts';

type Row = Readonly<Record<string, unknown>>;

const start = 1_700_000_000_000;
let counter = 0;

const line = (type: string, value: Row): string => JSON.stringify({ type, [type]: value });

const post = (user: string, message: string, more: Row = {}): Row => {
  counter += 1;
  return {
    team: 'birch',
    channel: 'town-square',
    user,
    type: '',
    message,
    props: {},
    create_at: start + counter * 60_000,
    edit_at: 0,
    flagged_by: null,
    reactions: null,
    replies: null,
    ...more,
  };
};

const member = (name: string, viewed: number, more: Row = {}): Row => ({
  name,
  roles: 'channel_user',
  last_viewed_at: viewed === 0 ? 0 : start + viewed * 60_000,
  notify_props: {},
  ...more,
});

const user = (username: string, channels: readonly Row[] | null, more: Row = {}): string =>
  line('user', {
    username,
    email: `${username}@birch.example`,
    first_name: username === 'ana' ? 'Ana' : '',
    last_name: username === 'ana' ? 'Ruiz' : '',
    nickname: username === 'bo' ? 'Bo' : '',
    roles: 'system_user',
    locale: 'de',
    delete_at: 0,
    password: 'secret-hash',
    teams: channels === null ? null : [{ name: 'birch', roles: 'team_user', channels }],
    ...more,
  });

/** A channel without a name for show. Replies are older than their roots, as converters write them. */
function nursery(): string[] {
  const day = 24 * 60 * 60_000;
  let second = 0;
  const at = (): number => {
    second += 10;
    return start + day + second * 1_000;
  };
  const seed = (user: string, message: string, more: Row = {}): string =>
    line('post', post(user, message, { channel: 'nursery', create_at: at(), ...more }));
  const reply = (user: string, message: string, more: Row = {}): Row => ({
    user,
    message,
    create_at: at(),
    ...more,
  });
  const plan = [{ path: '/data/20240307/u/f/plän.txt' }];
  return [
    line('channel', {
      team: 'birch',
      name: 'nursery',
      display_name: '',
      type: 'O',
      purpose: 'For seedlings',
      header: 'Water\n\nthem',
    }),
    seed('eva', '# Same _line_', { is_pinned: true, replies: [reply('eva', 'one')] }),
    seed('eva', 'same line', {
      replies: [reply('eva', 'two')],
      thread_followers: [{ user: 'bo', last_viewed: start + 9 * day, unread_mentions: 0 }],
    }),
    seed('eva', 'changed the header', {
      type: 'system_header_change',
      replies: [reply('eva', 'Why?')],
    }),
    seed('eva', '', { attachments: plan, replies: [reply('eva', '', { attachments: plan })] }),
    seed('eva', '', { type: 'custom_calls' }),
    seed('eva', 'To be seen @Ana.', { flagged_by: ['bo', 'dan'] }),
    // In the second in which bo looked last, and in the next one.
    seed('eva', 'Seen', { create_at: start + 2 * day + 900 }),
    seed('eva', 'Not seen', {
      create_at: start + 2 * day + 1_000,
      reactions: ['tada', 'lost'].map((name) => ({
        user: 'dan',
        emoji_name: name,
        create_at: start + 3 * day,
      })),
    }),
  ];
}

/** In minutes, as the other positions. */
const nurseryViewed = (24 * 2 * 60 * 60_000 + 100) / 60_000;

export const longText = `${'bark '.repeat(3_000)}end`;

/** Posts are not in the order of time; emoji come after the posts that use them. */
export function mattermostLines(): string[] {
  counter = 0;
  const [first, second] = [
    post('ana', 'Backups? ~dev @bo. _now_ and __then__ `@bo`', {
      reactions: [
        { user: 'bo', emoji_name: '+1_dark_skin_tone', create_at: start + 5_000 },
        { user: 'bo', emoji_name: 'Leaf', create_at: start },
        { user: 'bo', emoji_name: 'nosuch', create_at: start },
        { user: 'ana', emoji_name: 'thinking_face', create_at: start },
        { user: 'ana', emoji_name: 'rofl', create_at: start },
      ],
      flagged_by: ['bo'],
      replies: [
        {
          user: 'bo',
          message: 'Done',
          create_at: start + 61_500,
          edit_at: start + 99_000,
          attachments: [{ path: '20240307/u/f/plän.txt' }, { path: 'lost.txt' }],
        },
        { user: 'ana', message: 'Thanks', create_at: start + 61_000 },
      ],
    }),
    post('zoe', 'From one who is gone'),
  ];
  return [
    JSON.stringify({ type: 'version', version: 1, info: { generator: 'mattermost-server' } }),
    line('scheme', { name: 's' }),
    line('team', { name: 'birch', display_name: 'Birch Lab', type: 'O', description: 'We grow' }),
    line('channel', {
      team: 'birch',
      name: 'town-square',
      display_name: 'Town Square',
      type: 'O',
      header: 'Hello\nall',
      purpose: '',
    }),
    line('channel', { team: 'birch', name: 'dev', display_name: 'Dev', type: 'O' }),
    line('channel', { team: 'birch', name: 'dev-2', display_name: 'dev', type: 'O' }),
    line('channel', { team: 'birch', name: 'board', display_name: 'Board', type: 'P' }),
    line('channel', {
      team: 'birch',
      name: 'old',
      display_name: 'Old',
      type: 'O',
      deleted_at: start,
    }),
    user('ana', [member('town-square', 0), member('board', 99), member('old', 99)], {
      roles: 'system_admin system_user',
    }),
    user('gil', null, { email: 'BO@birch.example', delete_at: start }),
    user(
      'bo',
      [
        member('town-square', 2, { favorite: true }),
        member('dev', 0, { notify_props: { ignore_channel_mentions: 'on' } }),
        member('gone', 1),
        member('nursery', nurseryViewed, {
          notify_props: { mark_unread: 'mention', desktop: 'none' },
        }),
        member('nursery', 1),
      ],
      { notify_props: { mention_keys: 'bo,@bo,oak' }, military_time: 'true' },
    ),
    user('cy', [member('town-square', 1)], { delete_at: start }),
    user('dan', [member('nursery', 0)], { roles: 'system_guest' }),
    user('eva', null, {
      teams: [{ name: 'birch', roles: 'team_user team_admin', channels: [member('board', 0)] }],
    }),
    user('hal', null, { email: 'hal@birch.example' }),
    user('ira', null, { teams: [{ name: 'oak', roles: 'team_user team_admin', channels: null }] }),
    // The address is that of somebody of the team.
    user('jon', null, { email: 'FAY@birch.example' }),
    user('fay', null, { teams: [{ name: 'birch', roles: 'team_guest', channels: null }] }),
    line('bot', { username: 'calls', display_name: 'Calls', owner: 'com.plugin' }),
    line('bot', { username: 'raker', display_name: 'Raker', owner: 'bo' }),
    line('role', { name: 'r' }),
    ...nursery(),
    line('post', post('ana', 'Before it closed', { channel: 'old' })),
    line('post', { ...second, id: 'b'.repeat(26) }),
    line(
      'post',
      post(
        'ana',
        `See https://mm.example/birch/pl/${'b'.repeat(26)} and https://mm.example/birch/pl/${'c'.repeat(26)}`,
        { channel: 'dev' },
      ),
    ),
    line('post', first ?? {}),
    line('post', post('ana', 'ana joined', { type: 'system_join_channel' })),
    line('post', post('ana', '*waves*', { type: 'me' })),
    line(
      'post',
      post('calls', '', {
        props: JSON.stringify({
          override_username: 'CI',
          attachments: [{ title: 'Build', title_link: 'https://c.example/1', text: 'red' }],
        }),
      }),
    ),
    line('post', post('ana', 'Only for us of ~board', { channel: 'board' })),
    line('post', post('ana', 'Ask in ~board or ~old', { create_at: start + 98_000_000 })),
    line('post', post('ana', longText)),
    line(
      'post',
      post('ana', ':smile: :Leaf: :tada: :flag-de: :lost: :check: `:x:`', { channel: 'dev' }),
    ),
    line('post', post('ana', 'In seconds', { create_at: 1_700_000_000 })),
    line('post', post('ana', 'Elsewhere', { team: 'other' })),
    line('wiki', { name: 'x' }),
    '{"type":"post", broken',
    line('emoji', { name: 'Leaf', image: 'emoji/e1/image' }),
    line('emoji', { name: 'tada', image: 'emoji/e1/image' }),
    line('emoji', { name: 'lost', image: 'emoji/e2/image' }),
    line('direct_channel', {
      participants: [
        { username: 'ana', last_viewed_at: start },
        { username: 'bo', last_viewed_at: start + 9_999_000 },
      ],
    }),
    line('direct_post', { ...post('bo', 'Hi', { channel_members: ['ana', 'bo'] }) }),
    line('direct_post', {
      ...post('ana', 'Ask me', {
        channel_members: ['bo', 'ana'],
        replies: [{ user: 'bo', message: 'I do', create_at: start + 9_000_000 }],
      }),
    }),
    line('direct_post', post('ana', 'Are you there?', { channel_members: ['ana', 'kay', 'ana'] })),
  ];
}

/** A second team of the same server, with a channel of a name that the first one has too. */
export const otherTeam = [
  line('team', { name: 'oak', display_name: 'Oak', type: 'I' }),
  line('channel', { team: 'oak', name: 'town-square', display_name: 'Oaks', type: 'O' }),
  line('post', post('ana', 'Only for oaks', { team: 'oak' })),
];

export async function writeMattermost(
  path: string,
  lines = mattermostLines(),
  more: readonly ZipEntry[] = [],
): Promise<void> {
  await writeZip(path, [
    { name: 'import.jsonl', content: `${lines.join('\n')}\n` },
    // As a program that packs it again may spell the name.
    { name: 'data/20240307/u/f/plän.txt'.normalize('NFD'), content: 'leaves\n' },
    { name: 'data/emoji/e1/image', content: onePixel },
    { name: 'warnings.txt', content: 'missing a.png\nmissing b.png' },
    ...more,
  ]);
}
