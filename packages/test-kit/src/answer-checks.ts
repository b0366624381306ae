/**
 * What must hold for every answer of the interface, checked wherever the test kit sees one (contract, conventions 1, 6 and 7;
 * reference facts, messages 4.3 and 5).
 */

export class BadAnswer extends Error {
  override readonly name = 'BadAnswer';
}

export type JsonObject = { readonly [key: string]: unknown };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const integerKeys = new Set([
  'id',
  'user_id',
  'sender_id',
  'recipient_id',
  'stream_id',
  'message_id',
  'last_event_id',
  'max_id',
  'max_message_id',
  'pointer',
  'anchor',
  'timestamp',
  'last_edit_timestamp',
]);

// What clients stored themselves is none of the server's values.
const opaqueKeys = new Set(['storage', 'submessages', 'custom_profile_data', 'profile_data']);

const messageFields: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: Number.isInteger,
  sender_id: Number.isInteger,
  recipient_id: Number.isInteger,
  type: (value) => value === 'stream' || value === 'private',
  content: isString,
  content_type: (value) => value === 'text/html' || value === 'text/x-markdown',
  timestamp: Number.isInteger,
  client: isString,
  subject: isString,
  subject_links: (value) => Array.isArray(value) && value.every(isString),
  is_me_message: isBoolean,
  reactions: Array.isArray,
  submessages: Array.isArray,
  sender_full_name: isString,
  sender_short_name: isString,
  sender_email: isString,
  sender_realm_str: isString,
  avatar_url: (value) => value === null || isString(value),
  display_recipient: (value) => isString(value) || Array.isArray(value),
};

const editFields: typeof messageFields = {
  last_edit_timestamp: Number.isInteger,
  edit_history: Array.isArray,
};

const searchFields: typeof messageFields = { match_content: isString, match_subject: isString };

const allowedFlags = new Set([
  'read',
  'starred',
  'collapsed',
  'mentioned',
  'wildcard_mentioned',
  'summarize_in_home',
  'summarize_in_stream',
  'force_expand',
  'force_collapse',
  'has_alert_word',
  'historical',
]);

const recipientFields: typeof messageFields = {
  id: Number.isInteger,
  email: isString,
  full_name: isString,
  short_name: isString,
  is_mirror_dummy: isBoolean,
};

const eventFlags = [
  'push_notified',
  'email_notified',
  'stream_push_notify',
  'stream_email_notify',
  'wildcard_mention_notify',
];

/**
 * Checks a parsed answer: a JSON object with `result` and `msg`, every id and timestamp an integer, every message with exactly
 * its fields, events in increasing order.
 *
 * @throws BadAnswer naming the place
 */
export function checkAnswer(status: number, body: unknown): asserts body is JsonObject {
  if (!isJsonObject(body)) throw new BadAnswer('the answer is not a JSON object');
  if (body['result'] !== 'success' && body['result'] !== 'error')
    throw new BadAnswer(`result is ${JSON.stringify(body['result'])}`);
  if (!isString(body['msg'])) throw new BadAnswer('msg is not a string');
  const succeeded = body['result'] === 'success';
  if (succeeded && body['msg'] !== '') throw new BadAnswer(`msg is not empty: ${body['msg']}`);
  if (succeeded !== (status === 200))
    throw new BadAnswer(`status ${status} with result ${body['result']}`);
  checkIntegers(body, '');
  if (Array.isArray(body['messages'])) checkFetchedMessages(body['messages']);
  if (Array.isArray(body['events'])) checkEvents(body['events']);
}

// The anchor that stands for the newest message is 10^16, exactly a double (reference facts, messages 6.3).
const newestAnchor = 10_000_000_000_000_000;

function checkIntegers(value: unknown, path: string): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) checkIntegers(item, `${path}[${index}]`);
    return;
  }
  if (!isJsonObject(value)) return;
  // Ids of custom emoji are strings (contract, Custom emoji).
  const isEmoji = 'source_url' in value && 'deactivated' in value;
  for (const [key, member] of Object.entries(value)) {
    const place = path === '' ? key : `${path}.${key}`;
    if (opaqueKeys.has(key)) continue;
    if (integerKeys.has(key) && !isJsonObject(member) && !(isEmoji && key === 'id')) {
      if (!Number.isSafeInteger(member) && member !== newestAnchor)
        throw new BadAnswer(`${place} is not an integer: ${JSON.stringify(member)}`);
      continue;
    }
    checkIntegers(member, place);
  }
}

function checkFetchedMessages(messages: readonly unknown[]): void {
  let newestId = -1;
  for (const [index, message] of messages.entries()) {
    // The answers about flags list the ids of messages.
    if (Number.isSafeInteger(message)) continue;
    const place = `messages[${index}]`;
    if (!isJsonObject(message)) throw new BadAnswer(`${place} is neither a message nor an id`);
    checkMessage(message, place, { flags: true });
    if ((message['id'] as number) <= newestId)
      throw new BadAnswer(`${place} is not above the message before it`);
    newestId = message['id'] as number;
  }
}

function checkEvents(events: readonly unknown[]): void {
  let newestId = -2;
  for (const [index, event] of events.entries()) {
    const place = `events[${index}]`;
    if (!isJsonObject(event)) throw new BadAnswer(`${place} is not an object`);
    if (!isString(event['type'])) throw new BadAnswer(`${place}.type is not a string`);
    if (!Number.isSafeInteger(event['id'])) throw new BadAnswer(`${place}.id is not an integer`);
    if ((event['id'] as number) <= newestId)
      throw new BadAnswer(`${place}.id is not above the event before it`);
    newestId = event['id'] as number;
    if (event['type'] === 'message') checkMessageEvent(event, place);
  }
}

/** Checks a `message` event: its own members and its message, which holds no flags. */
export function checkMessageEvent(event: JsonObject, place: string): void {
  checkFields(
    event,
    place,
    { id: Number.isInteger, type: isString, message: isJsonObject, flags: isFlags },
    {
      local_message_id: isString,
      ...Object.fromEntries(eventFlags.map((name) => [name, isBoolean])),
    },
  );
  checkMessage(event['message'] as JsonObject, `${place}.message`, { flags: false });
}

/** Checks that a message object has exactly the fields that its kind and place ask for, each of its type. */
export function checkMessage(
  message: JsonObject,
  place: string,
  expected: { readonly flags: boolean },
): void {
  const isStream = message['type'] === 'stream';
  checkFields(
    message,
    place,
    {
      ...messageFields,
      ...(isStream ? { stream_id: Number.isInteger } : {}),
      ...(expected.flags ? { flags: isFlags } : {}),
    },
    { ...editFields, ...(expected.flags ? searchFields : {}) },
  );
  const recipient = message['display_recipient'];
  if (isStream !== isString(recipient))
    throw new BadAnswer(`${place}.display_recipient does not fit the type`);
  if (Array.isArray(recipient)) {
    if (message['subject'] !== '') throw new BadAnswer(`${place}.subject is not empty`);
    for (const [index, person] of recipient.entries())
      checkFields(person, `${place}.display_recipient[${index}]`, recipientFields, {});
  }
}

function checkFields(
  value: unknown,
  place: string,
  required: typeof messageFields,
  optional: typeof messageFields,
): void {
  if (!isJsonObject(value)) throw new BadAnswer(`${place} is not an object`);
  for (const name of Object.keys(required))
    if (!Object.hasOwn(value, name)) throw new BadAnswer(`${place}.${name} is missing`);
  for (const [name, member] of Object.entries(value)) {
    const check = required[name] ?? optional[name];
    if (check === undefined) throw new BadAnswer(`${place}.${name} does not belong there`);
    if (!check(member))
      throw new BadAnswer(`${place}.${name} has a bad value: ${JSON.stringify(member)}`);
  }
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isBoolean(value: unknown): boolean {
  return typeof value === 'boolean';
}

function isFlags(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((flag) => isString(flag) && allowedFlags.has(flag)) &&
    new Set(value).size === value.length
  );
}

/** Reads a member that must be an array of objects. */
export function readObjects(body: JsonObject, key: string): readonly JsonObject[] {
  const list = body[key];
  if (!Array.isArray(list) || !list.every(isJsonObject))
    throw new Error(`${key} is not an array of objects`);
  return list;
}
