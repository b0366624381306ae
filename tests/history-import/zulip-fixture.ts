/**
 * An organization as the reference server exports it, with every oddity that docs/import/zulip.md names. Written after the format's description:
 * a bakery with a public stream, a private one whose subscribers share no history, one that was deactivated, and people of every kind.
 */
import { onePixel, writeTar } from './write-archives.ts';

type Row = Readonly<Record<string, unknown>>;

const start = 1_600_000_000;

function user(id: number, name: string, more: Row = {}): Row {
  const address = `${name.split(' ')[0]?.toLowerCase()}@bakery.example`;
  return {
    id,
    realm: 2,
    email: `user${id}@hidden.example`,
    delivery_email: address,
    full_name: name,
    short_name: name,
    date_joined: start,
    role: 400,
    is_active: true,
    is_bot: false,
    bot_type: null,
    bot_owner: null,
    is_mirror_dummy: false,
    long_term_idle: false,
    last_active_message_id: null,
    alert_words: '[]',
    default_language: 'de',
    twenty_four_hour_time: true,
    timezone: 'Europe/Berlin',
    emojiset: 'twitter',
    avatar_source: 'G',
    recipient: 100 + id,
    is_superuser: true,
    ...more,
  };
}

function stream(id: number, name: string, more: Row = {}): Row {
  return {
    id,
    name,
    realm: 2,
    date_created: start + 0.5,
    deactivated: false,
    description: `All about\n${name}`,
    invite_only: false,
    history_public_to_subscribers: true,
    is_web_public: false,
    is_announcement_only: false,
    is_in_zephyr_realm: false,
    ...more,
  };
}

let subscriptionId = 0;
function subscription(person: number, recipient: number, more: Row = {}): Row {
  subscriptionId += 1;
  return {
    id: subscriptionId,
    user_profile: person,
    recipient,
    active: true,
    is_muted: false,
    color: '#76ce90',
    pin_to_top: false,
    desktop_notifications: null,
    ...more,
  };
}

function message(
  id: number,
  sender: number,
  recipient: number,
  content: string,
  more: Row = {},
): Row {
  return {
    id,
    sender,
    recipient,
    subject: 'bread',
    content,
    rendered_content: '<p>old</p>',
    date_sent: start + id * 60 + 0.25,
    sending_client: 4,
    last_edit_time: null,
    edit_history: null,
    has_attachment: false,
    has_image: false,
    has_link: false,
    ...more,
  };
}

/** People: 10 Ada (administrator), 11 Bo, 12 Cy (idle), 13 Dee (guest), 14 Eli (deactivated), 15 a bot, 16 an outgoing bot, 19 to 22 of other releases. */
const people: readonly Row[] = [
  user(10, 'Ada Quay', { role: 100, alert_words: '["oven"]', avatar_source: 'U' }),
  user(11, 'Bo Tide', { alert_words: '"broken"' }),
  user(12, 'Cy Mast', { long_term_idle: true, last_active_message_id: 104 }),
  user(13, 'Dee Keel', { role: 600 }),
  user(14, 'Eli * Buoy', { is_active: false, timezone: 'Mars/Olympus' }),
  user(15, 'Oven Bot', {
    delivery_email: 'oven-bot@bakery.example',
    is_bot: true,
    bot_type: 1,
    bot_owner: 11,
  }),
  user(16, 'Call Bot', {
    delivery_email: 'call-bot@bakery.example',
    is_bot: true,
    bot_type: 3,
    bot_owner: 15,
  }),
  // As release 2.0 writes people; 3.x has their alert words in a table.
  user(19, 'Gus Prow', {
    email: 'gus@bakery.example',
    delivery_email: undefined,
    role: undefined,
    is_realm_admin: true,
    alert_words: undefined,
  }),
  user(20, 'Hal Rudder', { role: undefined, is_guest: true }),
  user(21, 'Ivy Helm', { role: 300 }),
  user(22, 'Jo Brig', { role: 200 }),
];

/** Recipients: 1 general, 2 board (protected), 3 cellar (deactivated), 4 a group; 110… people. */
const recipients: readonly Row[] = [
  { id: 1, type: 2, type_id: 21 },
  { id: 2, type: 2, type_id: 22 },
  { id: 3, type: 2, type_id: 23 },
  { id: 4, type: 3, type_id: 31 },
  { id: 110, type: 1, type_id: 10 },
  { id: 111, type: 1, type_id: 11 },
];

export const longText = `${'crumb '.repeat(3_000)}the end`;

const uploadPath = '2/3f/ugJGN-HVWU6ocI2XWWgMsX5L/recette-brûlée.txt';

/** Names a file that its sender could not open: `messages` of the file does not list it. */
const twice = 'Twice [that](/user_uploads/2/3f/ugJGN-HVWU6ocI2XWWgMsX5L/recette-brûlée.txt)';

const messages: readonly Row[] = [
  message(101, 11, 1, 'Who **bakes**? @**all**'),
  message(
    102,
    10,
    1,
    '@**Bo Tide|11** see [the recipe](/user_uploads/2/3f/ugJGN-HVWU6ocI2XWWgMsX5L/recette-brûlée.txt)',
  ),
  message(103, 10, 2, 'Before Bo came to the board', { subject: 'secrets' }),
  message(104, 10, 2, 'With Bo on the board, see #**board**', { subject: 'secrets' }),
  message(105, 11, 1, 'Rye', {
    subject: 'BREAD',
    last_edit_time: start + 9_000.5,
    edit_history: JSON.stringify([
      { user_id: 11, prev_subject: 'grain', timestamp: start + 9_000 },
      {
        user_id: 11,
        prev_content: 'Wheat',
        prev_rendered_content: '<p>Wheat</p>',
        timestamp: start + 8_000,
      },
    ]),
  }),
  message(
    106,
    10,
    1,
    `Look [here](#narrow/stream/21-general/topic/bread/near/101) and #**board** :lamp:`,
    {
      subject: '',
      edit_history: 'no list',
    },
  ),
  message(107, 10, 3, 'In the cellar', { subject: 'old' }),
  message(108, 11, 110, 'just you'),
  message(109, 10, 111, 'and you'),
  message(110, 11, 4, 'the three of us'),
  message(111, 17, 1, longText, { subject: 'long'.repeat(20) }),
  message(112, 999, 1, 'From nobody'),
  message(113, 10, 1, twice),
  message(
    114,
    10,
    1,
    'Ask @_**Bo Tide|11**, [him](#narrow/pm-with/11-bo), @**Gone|998**, ' +
      '[there](https://old.example/#narrow/stream/21-general/near/101), ' +
      '[elsewhere](https://other.example/#narrow/stream/21-general/near/101)',
    {
      subject: 'links',
      edit_history: JSON.stringify([
        { user_id: 10, prev_stream: 24, timestamp: start + 9_100 },
        { user_id: 10, prev_topic: 'knots', timestamp: start + 9_000 },
      ]),
    },
  ),
  message(116, 11, 1, '/poll Rye or wheat?\n* Rye\nWheat', { subject: 'polls' }),
  // As release 2.0 writes messages. It was sent before the others.
  message(117, 11, 1, 'Sent early', {
    subject: 'early',
    date_sent: undefined,
    pub_date: start + 60,
  }),
];

/** As messages to a system bot, which come in files of their own at the end. */
const lateMessages: readonly Row[] = [
  message(100, 10, 506, 'Dear bot'),
  message(113, 10, 1, twice),
];

function row(person: number, of: number, flags: number, id = person * 10_000 + of): Row {
  return { id, user_profile: person, message: of, flags_mask: flags };
}

const read = 1;
const starred = 2;
const collapsed = 4;
const mentioned = 8;
const everybody = 16;
const alerted = 512;
const historical = 1024;

const rows: readonly Row[] = [
  ...[10, 11, 12].map((person) => row(person, 101, read | everybody)),
  row(10, 102, read),
  row(11, 102, read | starred | mentioned),
  row(12, 102, 0),
  row(10, 103, read),
  row(10, 104, read | collapsed),
  row(11, 104, 0),
  row(10, 105, 0),
  row(11, 105, read),
  row(10, 106, read),
  row(11, 106, alerted),
  row(10, 107, read),
  row(14, 107, 0),
  row(10, 108, 0),
  row(11, 108, read),
  row(10, 109, read),
  ...[10, 11, 12].map((person) => row(person, 110, 2048)),
  row(10, 111, read),
  row(11, 111, 0),
  row(11, 111, starred | 8192, 999_999),
  row(13, 105, read | starred | historical),
  ...[113, 114, 116, 117].map((of) => row(10, of, read)),
  row(16, 113, read),
  row(10, 777, read),
  row(998, 101, read),
  row(10, 112, read),
];

const extras = {
  zerver_realm: [
    {
      id: 2,
      name: 'Bakery',
      string_id: 'bakery',
      description: 'We bake',
      default_language: 'de',
      allow_message_deleting: true,
      create_stream_by_admins_only: true,
      bot_creation_policy: 3,
      invite_to_stream_policy: 77,
      email_address_visibility: 1,
      zoom_api_secret: 'very-secret-zoom',
      notifications_stream: 21,
      signup_notifications_stream: 999,
    },
  ],
  zerver_defaultstream: [
    { id: 1, realm: 2, stream: 21 },
    { id: 2, realm: 2, stream: 22 },
  ],
  zerver_alertword: [{ id: 1, realm: 2, user_profile: 19, word: 'yeast' }],
  zerver_customprofilefield: [
    {
      id: 5,
      realm: 2,
      name: 'Bread',
      hint: 'the best',
      order: 2,
      field_type: 3,
      field_data: '{"r": {"text": "Rye", "order": "1"}}',
    },
    { id: 6, realm: 2, name: 'Mentor', hint: '', order: 1, field_type: 6, field_data: '' },
    { id: 7, realm: 2, name: 'Pronouns', hint: '', order: 3, field_type: 9, field_data: '' },
  ],
  zerver_customprofilefieldvalue: [
    { id: 1, user_profile: 11, field: 5, value: 'r' },
    { id: 2, user_profile: 11, field: 6, value: '[10, 998]' },
    { id: 3, user_profile: 11, field: 7, value: 'they' },
  ],
  zerver_realmemoji: [
    { id: 7, author: 10, realm: 2, name: 'lamp', file_name: '7.png', deactivated: false },
    { id: 8, author: 10, realm: 2, name: 'gone', file_name: '8.png', deactivated: true },
  ],
  zerver_realmdomain: [{ id: 1, realm: 2, domain: 'Bakery.Example', allow_subdomains: true }],
  zerver_realmfilter: [
    { id: 1, realm: 2, pattern: '#(?P<id>[0-9]+)', url_format_string: 'https://t.example/%(id)s' },
    { id: 2, realm: 2, pattern: '(a+)+$', url_format_string: 'https://t.example/%(id)s' },
  ],
  zerver_client: [{ id: 4, name: 'website' }],
  zerver_mutedtopic: [{ id: 1, user_profile: 11, stream: 21, recipient: 1, topic_name: 'bread' }],
  zerver_usergroup: [{ id: 1, name: ' bakers', members: [10], realm: 2, description: '' }],
  zerver_usergroupmembership: [{ id: 1, user_group: 1, user_profile: 11 }],
  zerver_userpresence: [{ id: 1, user_profile: 10, status: 1 }],
  zerver_botconfigdata: [{ id: 1, bot_profile: 15, key: 'k', value: 'bot-secret' }],
  zerver_newthing: [{ id: 1 }, { id: 2 }],
};

function change(
  id: number,
  time: number,
  type: unknown,
  stream: number | null,
  last: number | null,
): Row {
  return {
    id,
    event_time: time,
    event_type: type,
    modified_user: 12,
    modified_stream: stream,
    event_last_message_id: last,
  };
}

/** Cy was in general from the beginning and left after 106; Bo joined the board after 103. */
const log = [
  change(1, start, 301, 21, 90),
  change(2, start + 7_000, 'subscription_deactivated', 21, 106),
  change(3, start, 101, null, null),
];

function reaction(
  id: number,
  person: number,
  of: number,
  [name, code, type = 'unicode_emoji']: readonly [name: string, code: string, type?: string],
): Row {
  return {
    id,
    user_profile: person,
    message: of,
    emoji_name: name,
    reaction_type: type,
    emoji_code: code,
  };
}

const reactions = [
  reaction(1, 10, 101, ['+1', '1f44d']),
  reaction(2, 10, 101, ['thumbs_up', '1f44d']),
  reaction(3, 11, 101, ['lamp', '7', 'realm_emoji']),
  reaction(4, 11, 101, ['zulip', 'zulip', 'zulip_extra_emoji']),
  reaction(5, 11, 777, ['+1', '1f44d']),
  reaction(6, 11, 102, ['gone', '8', 'realm_emoji']),
];

/** The whole of `realm.json`; the key order is not that of the reference server, and nothing depends on it. */
export const realm: Readonly<Record<string, readonly Row[]>> = {
  zerver_reaction: reactions,
  zerver_subscription: [
    ...[10, 11, 13].map((person) => subscription(person, 1)),
    subscription(12, 1, { active: false }),
    subscription(10, 2, { color: 'red', pin_to_top: true }),
    subscription(11, 2, { is_muted: true }),
    subscription(11, 2, { desktop_notifications: true }),
    subscription(19, 1, { is_muted: undefined, in_home_view: false }),
    ...[10, 14].map((person) => subscription(person, 3, { active: false })),
    ...[10, 11, 12].map((person) => subscription(person, 4)),
    subscription(10, 110),
    subscription(998, 1),
  ],
  zerver_recipient: recipients,
  zerver_huddle: [{ id: 31, huddle_hash: 'x' }],
  zerver_stream: [
    stream(21, 'general'),
    stream(22, 'board', { invite_only: true, history_public_to_subscribers: false }),
    stream(23, '!DEACTIVATED:cellar', { invite_only: true, deactivated: true }),
    stream(24, 'General', { is_web_public: true }),
    stream(25, 'porch', { history_public_to_subscribers: false }),
    stream(26, 'news', { is_announcement_only: true }),
    stream(27, 'rules', { is_announcement_only: undefined, stream_post_policy: 2 }),
  ],
  zerver_realmauditlog: log,
  zerver_userprofile: people,
  zerver_userprofile_mirrordummy: [
    user(17, 'Mail Sender', {
      delivery_email: 'mail@elsewhere.example',
      is_mirror_dummy: true,
      is_active: false,
    }),
    user(18, 'Bo Again', {
      delivery_email: 'BO@bakery.example',
      is_mirror_dummy: true,
      is_active: false,
    }),
  ],
  zerver_userprofile_crossrealm: [
    { id: 6, email: 'notification-bot@zulip.com', recipient_id: 506 },
    { id: 7, email: 'odd-bot@zulip.com', recipient_id: 507 },
  ],
  ...extras,
};

/** The text of a file as release 2.1 writes it: ASCII alone, slashes escaped, no blank after a colon. */
export function asExported(value: unknown): string {
  return JSON.stringify(value, undefined, 4)
    .replaceAll('": ', '":')
    .replaceAll('/', String.raw`\/`)
    .replaceAll(
      /[\u0080-\uffff]/g,
      (unit) => `\\u${unit.codePointAt(0)?.toString(16).padStart(4, '0')}`,
    );
}

/** Tells of one reaction more than there are. */
const stats = `messages-000001.json
${String(messages.length).padStart(5)} zerver_message

realm.json
    0 zerver_service
    7 zerver_reaction

/exports/x/uploads/records.json
    2 records

`;

export type ZulipFiles = Readonly<Record<string, string | Buffer>>;

/** The files of the archive by their paths. */
export function zulipFiles(): ZulipFiles {
  return {
    'uploads/records.json': asExported([
      { path: uploadPath, s3_path: uploadPath, realm_id: 2, user_profile_id: 11, size: 19 },
      {
        path: '2/aa/unused/x.bin',
        s3_path: '2/aa/unused/x.bin',
        realm_id: 2,
        user_profile_id: 11,
        size: 1,
      },
    ]),
    [`uploads/${uploadPath}`]: 'flour, water, salt\n',
    'uploads/2/aa/unused/x.bin': 'x',
    'avatars/records.json': asExported([
      { path: '2/abc.png', s3_path: '2/abc.png', realm_id: 2, user_profile_id: 10 },
      { path: '2/abc.original', s3_path: '2/abc.original', realm_id: 2, user_profile_id: 10 },
      { path: '2/bot.png', s3_path: '2/bot.png', realm_id: 1, user_profile_id: 6 },
    ]),
    'avatars/2/abc.png': 'no picture',
    'avatars/2/abc.original': onePixel,
    'avatars/2/bot.png': onePixel,
    'emoji/records.json': asExported([
      {
        path: '2/emoji/images/7.png',
        s3_path: '2/emoji/images/7.png',
        realm_id: 2,
        file_name: '7.png',
        name: 'lamp',
      },
    ]),
    'emoji/2/emoji/images/7.png': onePixel,
    'messages-000001.json': asExported({ zerver_message: messages, zerver_usermessage: rows }),
    'messages-000002.json': asExported({
      zerver_usermessage: [row(10, 100, read)],
      zerver_message: lateMessages,
    }),
    'attachment.json': asExported({
      zerver_attachment: [
        {
          id: 1,
          file_name: 'recette-brûlée.txt',
          path_id: uploadPath,
          owner: 11,
          realm: 2,
          create_time: start + 1.5,
          size: 7,
          messages: [102],
        },
        {
          id: 2,
          file_name: 'lost.txt',
          path_id: '2/bb/lost/lost.txt',
          owner: 11,
          realm: 2,
          create_time: start,
          size: 3,
          messages: [102],
        },
      ],
    }),
    'analytics.json': asExported({ zerver_analytics: [{ id: 2 }], analytics_realmcount: [] }),
    'realm.json': asExported(realm),
    'stats.txt': stats,
  };
}

/** Writes the archive, with the given files instead of its own; undefined leaves one out. */
export async function writeZulip(
  path: string,
  changes: Readonly<Record<string, string | Buffer | undefined>> = {},
): Promise<void> {
  const files = Object.entries({ ...zulipFiles(), ...changes });
  await writeTar(
    path,
    files.flatMap(([name, content]) =>
      content === undefined ? [] : { name: `zulip-export-k3v9x2/${name}`, content },
    ),
  );
}
