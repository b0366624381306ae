/** A workspace as Slack exports it, with every oddity that docs/import/slack.md names. Written after the format's description. */
import { writeZip } from './write-archives.ts';

type Row = Readonly<Record<string, unknown>>;

const user = (id: string, name: string, more: Row = {}, profile: Row = {}): Row => ({
  id,
  team_id: 'T1',
  name: name.toLowerCase(),
  real_name: name,
  tz: 'Europe/Madrid',
  profile: {
    real_name: name,
    email: `${name.split(' ')[0]?.toLowerCase()}@birch.example`,
    fields: [],
    ...profile,
  },
  ...more,
});

const users: readonly Row[] = [
  user('U1', 'Ana Ruiz', { is_primary_owner: true }),
  user('U2', 'Bo *Tide*', { is_admin: false, tz: 'Mars/Olympus' }),
  user('U3', 'Cy Mast', { is_restricted: true }),
  user('U4', 'Gone Person', { deleted: true }, { email: undefined }),
  user('U5', 'Ana Copy', { is_stranger: true }, { email: 'ANA@birch.example' }),
  // Of another workspace, of which one has the address of a member, and one of the same Enterprise Grid.
  user('U7', 'Bo Elsewhere', { team_id: 'T9' }, { email: 'bo@birch.example' }),
  user('U8', 'Kai Guest', { team_id: 'T9' }),
  user('U11', 'Mo App', { is_app_user: true }),
  user('U10', 'Lou Grid', { team_id: 'T8', enterprise_user: { teams: ['T8', 'T1'] } }),
  user('U6', 'Build Bot', { is_bot: true }, { bot_id: 'B6', email: undefined }),
  {
    id: 'USLACKBOT',
    name: 'slackbot',
    is_bot: false,
    profile: { real_name: 'Slackbot', fields: null },
  },
];

const channel = (id: string, name: string, members: unknown, more: Row = {}): Row => ({
  id,
  name,
  created: 1_600_000_000,
  creator: 'U1',
  is_archived: false,
  is_general: false,
  members,
  topic: { value: 'Talk', creator: 'U1', last_set: 0 },
  purpose: { value: 'All of\n*us*', creator: 'U1', last_set: 1 },
  ...more,
});

let counter = 0;
/** Each message has a time of its own, in the order of their calls unless one is given. */
function message(user_: string | undefined, text: unknown, more: Row = {}): Row {
  counter += 1;
  return {
    type: 'message',
    user: user_,
    text,
    ts: `${1_700_000_000 + counter * 60}.00000${counter % 10}`,
    ...more,
  };
}

const root = '1700010000.000100';
/** A thread whose first message was deleted, and one that is named like the topic of all others. */
const deleted = '1700012000.000100';
const named = '1700013000.000100';

export const longName = 'n'.repeat(80);

export const longText = `${'leaf '.repeat(5_000)}end`;

const general: readonly Row[] = [
  message(
    'U1',
    'Does <@U2> know why <#C2|build> is *red* &amp; _slow_? See <https://a.example/x|the log> :tada::skin-tone-3:',
  ),
  message('U2', 'Is `&lt;b&gt;` code? ```let x = 1 &lt; 2```'),
  message('U1', 'The disk', {
    ts: root,
    thread_ts: root,
    reply_count: 1,
    replies: [{ user: 'U2', ts: '1700010001.000200' }],
  }),
  message('U2', 'It was full', { ts: '1700010001.000200', thread_ts: root }),
  message('U2', 'It was full', {
    ts: '1700010001.000200',
    thread_ts: root,
    subtype: 'thread_broadcast',
    root: { text: 'The disk' },
  }),
  message('U9', 'From another company', {
    user_profile: { real_name: 'Zoe Far' },
    reactions: [
      { name: '+1', count: 3, users: ['U1', 'U2'] },
      { name: 'party-parrot', count: 1, users: ['U1'] },
      { name: 'white_check_mark', count: 1, users: ['U1'] },
      { name: 'x', count: 1, users: ['U1'] },
      { name: 'man-shrugging::skin-tone-2', count: 1, users: ['U1'] },
      { name: 'flag-de', count: 1, users: ['U1'] },
    ],
  }),
  message('U1', '<@U1> has joined the channel', { subtype: 'channel_join' }),
  message(undefined, 'Build 7 failed', { subtype: 'bot_message', bot_id: 'B6', username: 'CI' }),
  message(undefined, '', {
    subtype: 'bot_message',
    username: 'Nameless',
    attachments: [
      {
        fallback: 'x',
        title: 'A card',
        title_link: 'https://c.example/1',
        text: 'Body',
        fields: [{ title: 'State', value: 'ok' }],
      },
    ],
  }),
  message('U1', null, {
    files: [
      {
        id: 'F1',
        name: 'plan.pdf',
        mode: 'hosted',
        url_private: 'https://files.slack.com/f/plan.pdf?t=xoxe-secret-1',
      },
      { id: 'F2', mode: 'tombstone' },
      { id: 'F3', name: 'Größe.txt', mode: 'hosted', url_private: 'https://files.slack.com/f/g' },
    ],
  }),
  message('U1', 'fallback only', {
    blocks: [
      {
        type: 'rich_text',
        elements: [
          {
            type: 'rich_text_section',
            elements: [
              { type: 'text', text: 'Bold ', style: { bold: true } },
              { type: 'user', user_id: 'U2' },
              { type: 'emoji', name: 'wave' },
              { type: 'emoji', name: 'nosuch', unicode: '274c' },
              { type: 'emoji', name: 'check' },
            ],
          },
          {
            type: 'rich_text_list',
            style: 'bullet',
            indent: 0,
            elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: 'one' }] }],
          },
          { type: 'rich_text_preformatted', elements: [{ type: 'text', text: 'a < b' }] },
        ],
      },
      { type: 'never_seen' },
    ],
  }),
  message('U1', 'looks', {
    subtype: 'me_message',
    edited: { user: 'U1', ts: '1700020000.000000' },
  }),
  message('U1', '', {}),
  message('U1', 'No time', { ts: 1_700_000_000.5 }),
  message('U1', longText),
  message('U1', '<!channel> lunch'),
  message('U11', 'Posted by an app', { bot_id: 'B11', bot_profile: { name: 'App' } }),
  message('U1', ':smile: :thumbsup: :flag-de: :check: `:x:`'),
  message('U1', 'commented on a file', {
    subtype: 'file_comment',
    comment: { user: 'U3', comment: 'A *fine* file' },
  }),
  message(undefined, '', { subtype: 'huddle_thread', room: { created_by: 'U3' } }),
  message('U1', '', { subtype: 'ekm_access_denied' }),
  message('U1', 'Hidden', { hidden: true }),
  message('U1', '', { subtype: 'tombstone', ts: deleted, thread_ts: deleted, reply_count: 1 }),
  message('U2', 'Answered all the same', { ts: '1700012001.000200', thread_ts: deleted }),
  message('U1', 'Chat', { ts: named, thread_ts: named }),
  message('U2', 'In the thread', { ts: '1700013001.000200', thread_ts: named }),
  message('U1', '/me is no command'),
  message('U1', 'See https://d.example/page', {
    attachments: [
      { from_url: 'https://d.example/page', text: 'A preview' },
      {
        is_share: true,
        from_url: 'https://birch.slack.example/p1',
        author_name: 'Cy',
        text: 'Shared',
      },
    ],
  }),
  message('U1', 'Not here: <#G1> <#G1|secret> <#C99|far>'),
];

const workspace = 'https://birch.slack.com/archives';

/** Links to a message of a thread, to a reply, to one of a private channel, and to such as are not there. */
const links = message(
  'U1',
  [
    `Links: <${workspace}/C1/p1700010000000100>`,
    `<${workspace}/C1/p1700010001000200?thread_ts=1700010000.000100&amp;cid=C1|the reply>`,
    `<${workspace}/G1/p1700050000000100|hidden>`,
    `<${workspace}/C3/p1577836800000100|archived>`,
    `<${workspace}/C1/p1500000000000100|gone>`,
    `<${workspace}/C99/p1700010000000100|far>`,
  ].join(' '),
);

const asked = '1700014000.000100';

const lateReply = message('U1', 'Months later', { ts: '1705000000.000300', thread_ts: root });
const askedBo = message('U1', '<@U2> see <#C2|build> and <#G1>?', { ts: asked, thread_ts: asked });
const answered = message('U2', 'Seen', { ts: '1700014001.000100', thread_ts: asked });
const orphan = message('U2', 'Who asked?', {
  ts: '1705000100.000300',
  thread_ts: '1600000000.000000',
});

/** How many messages all archives share. */
const sharedCount = counter;

/** @returns the files of an archive, the same for each call */
export function slackFiles(): Record<string, unknown> {
  counter = sharedCount;
  return {
    'users.json': users,
    'channels.json': [
      channel('C1', 'general', ['U1', 'U2', 'U3'], {
        is_general: true,
        pins: [
          { id: '1700010000.000100', type: 'C', user: 'U1' },
          { id: 'F1', type: 'F' },
        ],
      }),
      channel('C2', 'build', null),
      channel('C3', 'old', ['U3'], { is_archived: true }),
      channel('C4', 'turned', ['U1', 'U2']),
      channel('C5', longName, ['U1']),
    ],
    'groups.json': [channel('G1', 'secret', ['U1', 'U4']), channel('C4', 'turned', ['U1'])],
    'dms.json': [
      { id: 'D1', created: 0, members: ['U1', 'U2'] },
      { id: 'D2', members: ['U1'] },
    ],
    'mpims.json': [
      { id: 'G2', name: 'mpdm-ana--bo--cy-1', members: ['U1', 'U2', 'U3'] },
      { id: 'G3', name: 'mpdm-ana--bo--cy-2', members: ['U3', 'U2', 'U1'] },
      { id: 'G4', name: 'mpdm-twice', members: ['U1', 'U3'] },
      { id: 'G5', name: 'mpdm-twice', members: ['U2', 'U3'] },
      { id: 'G6', name: 'mpdm-apart', members: ['U1', 'U3'] },
      { id: 'G7', name: 'mpdm-apart', members: ['U2', 'U4'] },
    ],
    'integration_logs.json': [{ service_id: 1 }],
    'general/2023-11-14.json': general,
    'general/2024-01-11.json': [orphan, lateReply, links, askedBo, answered],
    // As other programs store files beside the messages.
    '__uploads/F3/Größe.txt': 'wide',
    'general/canvas_in_the_conversation.json': [{ id: 'x' }],
    'old/2020-01-01.json': [message('U1', 'Long ago', { ts: '1577836800.000100' })],
    'secret/2023-11-14.json': [
      message('U1', 'See <#G1>'),
      message('U1', 'Between us', { ts: '1700050000.000100' }),
      message('U2', 'Bo has left since'),
    ],
    'turned/2023-11-14.json': [message('U1', 'Private by now')],
    'D1/2023-11-14.json': [
      message('U1', 'Hi Bo', { ts: '1700030000.000100', thread_ts: '1700030000.000100' }),
      message('U2', 'Hi Ana', { ts: '1700030001.000100', thread_ts: '1700030000.000100' }),
    ],
    'D2/2023-11-14.json': [message('U4', 'Before I went')],
    'mpdm-ana--bo--cy-1/2023-11-14.json': [message('U3', 'Three')],
    'mpdm-ana--bo--cy-2/2023-11-14.json': [message('U2', 'The same three')],
    'mpdm-twice/2023-11-14.json': [message('U1', 'Once'), message('U2', 'Twice')],
    'mpdm-apart/2023-11-14.json': [message('U1', 'Here'), message('U2', 'There')],
    'nowhere/2023-11-14.json': [message('U1', 'Of no channel')],
  };
}

export async function writeSlack(
  path: string,
  changes: Record<string, unknown> = {},
): Promise<void> {
  const files = Object.entries({ ...slackFiles(), ...changes });
  await writeZip(
    path,
    files.flatMap(([name, content]) =>
      content === undefined
        ? []
        : { name, content: typeof content === 'string' ? content : JSON.stringify(content) },
    ),
  );
}
