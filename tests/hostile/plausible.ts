/** Plausible values of a parameter, so that checks of the other parameters are reached. */
import type { JsonSchema, Parameter } from '@parley/api';

import type { SeededRandom } from '../privacy/seeded-random.ts';
import type { HostileWorld } from './hostile-world.ts';

type Make = (world: HostileWorld, random: SeededRandom, path: string) => string;

const idOf =
  (list: string): Make =>
  (world, random) =>
    random.pick(world.list(list));

const idsOf =
  (list: string): Make =>
  (world, random) =>
    `[${random.sample(world.list(list), 3).join(',')}]`;

const fixed =
  (...texts: readonly string[]): Make =>
  (_world, random) =>
    random.pick(texts);

const jsonOf =
  (list: string, count = 2): Make =>
  (world, random) =>
    JSON.stringify(random.sample(world.list(list), count));

const newName: Make = (_world, random) => `n${random.below(1_000_000)}`;

const narrows: Make = (world, random) =>
  JSON.stringify(
    random.pick<readonly unknown[]>([
      [],
      [['stream', random.pick(world.list('streamName'))]],
      [{ operator: 'topic', operand: 'topic', negated: true }],
      [['is', 'private']],
      [{ operator: 'search', operand: 'message room' }],
      [['sender', random.pick(world.list('email'))]],
    ]),
  );

const groupOf: Make = (world, random, path) =>
  random.pick(world.list(path.includes('default_stream_groups') ? 'streamGroup' : 'userGroup'));

/** A body that the example integration accepts, with parts of what the others read. */
const webhookBody: Make = (_world, random) =>
  JSON.stringify({
    featured_title: 'Kiln',
    featured_url: 'https://example.com',
    topic: `t${random.below(5)}`,
    content: 'opened @**all**',
    search_name: 'heat',
    alerts: [{ status: 'firing', generatorURL: 'x', labels: { instance: 'a' } }],
  });

const plausibleDraft = '{"type":"stream","to":[1],"topic":"oars","content":"Who has them?"}';

const byName: Readonly<Record<string, Make>> = {
  add: idsOf('user'),
  alert_words: fixed('["word"]'),
  anchor: fixed('0', '10000000000000000', '"newest"', '5'),
  attachment_id: idOf('attachment'),
  bot_id: idOf('bot'),
  bot_owner_id: idOf('user'),
  config_data: fixed('{"key":"value"}'),
  content: fixed('Hello', '*all* `of` it', '[1]'),
  data: (world, random) =>
    JSON.stringify([{ id: Number(random.pick(world.list('field'))), value: 'x' }]),
  delete: idsOf('user'),
  // Far in the future, because a message that is sent during reads would look like their effect.
  deliver_at: fixed('2999-01-01T09:30', '2999-07-01 09:30:00+02:00'),
  delivery_type: fixed('send_now', 'send_later', 'remind'),
  domain: idOf('domain'),
  email: (_world, random) => `new${random.below(1_000_000)}@example.com`,
  email_or_id: idOf('email'),
  emoji_name: fixed('smile', 'octopus', 'my_emoji'),
  event_types: fixed('["message"]', '["message","reaction"]'),
  field_id: idOf('field'),
  field_type: fixed('1', '3'),
  filter_id: idOf('filter'),
  flag: fixed('read', 'starred', 'collapsed'),
  full_name: newName,
  group_id: groupOf,
  keys: fixed('["a"]'),
  last_event_id: fixed('-1', '0'),
  members: idsOf('user'),
  message_id: idOf('message'),
  messages: idsOf('message'),
  msg_ids: idsOf('message'),
  narrow: narrows,
  num_after: fixed('0', '5'),
  num_before: fixed('0', '5'),
  op: fixed('add', 'remove'),
  order: fixed('[1]'),
  password: fixed('max-secret', 'a long enough password 17'),
  path: idOf('file'),
  principals: jsonOf('email'),
  property: fixed('color', 'pin_to_top', 'in_home_view'),
  queue_id: idOf('queue'),
  realm_id: fixed('1'),
  reaction_type: fixed('unicode_emoji'),
  emoji_code: fixed('1f604', '1f419'),
  session_id: fixed('1', '2', '999999'),
  scheduled_message_id: idOf('scheduledMessage'),
  draft: fixed(plausibleDraft),
  drafts: fixed('[]', `[${plausibleDraft}]`),
  draft_id: idOf('draft'),
  short_name: newName,
  size: fixed('thumbnail', 'full'),
  storage: fixed('{"a":"b"}'),
  stream: idOf('streamName'),
  stream_id: idOf('stream'),
  stream_name: idOf('streamName'),
  stream_names: jsonOf('streamName'),
  subscription_data: (world, random) =>
    JSON.stringify([
      { stream_id: Number(random.pick(world.list('stream'))), property: 'color', value: '#ff0000' },
    ]),
  to: (world, random) => random.pick(world.list(random.chance(0.5) ? 'streamName' : 'email')),
  topic: idOf('topic'),
  tz_guess: fixed('Europe/Oslo', 'UTC'),
  topic_name: idOf('topic'),
  type: fixed('stream', 'private'),
  url: (world, random) => `user_uploads/${random.pick(world.list('file'))}`,
  url_format_string: fixed('https://example.com/%(id)s'),
  body: webhookBody,
  pattern: (_world, random) => `x${random.below(1_000)}-(?P<id>[0-9]+)`,
  user_id: idOf('user'),
  username: idOf('email'),
  value: fixed('"#00ff00"', 'true'),
  widget_content: fixed('{"widget_type":"poll","extra_data":{"question":"?","options":["a"]}}'),
};

function bySchema(schema: JsonSchema, random: SeededRandom): unknown {
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const [branch] = schema.anyOf ?? [];
  if (branch !== undefined) return bySchema(branch, random);
  const type = typeof schema.type === 'object' ? schema.type[0] : schema.type;
  switch (type) {
    case 'boolean':
      return random.chance(0.5);
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, random.below(5));
    case 'array':
      return schema.items === undefined ? [] : [bySchema(schema.items, random)];
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, member]) => [
          name,
          bySchema(member, random),
        ]),
      );
    default:
      return `text ${random.below(100)}`;
  }
}

/** @returns the text of a value that the endpoint is likely to accept */
export function plausibleText(
  parameter: Parameter,
  world: HostileWorld,
  random: SeededRandom,
  path: string,
): string {
  const { name, schema, encoding } = parameter;
  if (
    name === 'subscriptions' ||
    (name === 'delete' && path.endsWith('subscriptions')) ||
    (name === 'add' && path.endsWith('subscriptions'))
  ) {
    const names = random.sample(world.list('streamName'), 2);
    const takesObjects = JSON.stringify(schema).includes('"name"');
    return JSON.stringify(takesObjects ? names.map((one) => ({ name: one })) : names);
  }
  const made = byName[name]?.(world, random, path);
  if (made !== undefined) return made;
  const value = bySchema(schema, random);
  return encoding === 'text' && typeof value === 'string' ? value : JSON.stringify(value);
}
