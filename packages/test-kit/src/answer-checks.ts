/**
 * Rules for every answer of the interface that the OpenAPI document, checked by `answer-document.ts`, cannot express: the order of messages
 * and events, flags without repeats, and integers that a double represents exactly (contract, conventions 1, 6 and 7; reference facts,
 * messages 4.3 and 5).
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

// Values that clients stored are not values of the server.
const opaqueKeys = new Set(['storage', 'submessages', 'custom_profile_data', 'profile_data']);

/**
 * Checks a parsed answer: a JSON object with `result` and `msg` that fit its status, every id and timestamp an integer, messages and
 * events in increasing order, flags without repeats.
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
      // An anchor is answered as it was sent, whatever its size.
      const isInteger = key === 'anchor' ? Number.isInteger(member) : Number.isSafeInteger(member);
      if (!isInteger) throw new BadAnswer(`${place} is not an integer: ${JSON.stringify(member)}`);
      continue;
    }
    checkIntegers(member, place);
  }
}

function checkFetchedMessages(messages: readonly unknown[]): void {
  let newestId = -1;
  for (const [index, message] of messages.entries()) {
    // Answers about flags list the ids of messages.
    if (!isJsonObject(message)) continue;
    const place = `messages[${index}]`;
    checkFlags(message['flags'], place);
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
    if ((event['id'] as number) <= newestId)
      throw new BadAnswer(`${place}.id is not above the event before it`);
    newestId = event['id'] as number;
    if (event['type'] === 'message') checkFlags(event['flags'], place);
  }
}

function checkFlags(flags: unknown, place: string): void {
  if (Array.isArray(flags) && new Set(flags).size !== flags.length)
    throw new BadAnswer(`${place}.flags has one twice: ${JSON.stringify(flags)}`);
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

/** Reads a member that must be an array of objects. */
export function readObjects(body: JsonObject, key: string): readonly JsonObject[] {
  const list = body[key];
  if (!Array.isArray(list) || !list.every(isJsonObject))
    throw new Error(`${key} is not an array of objects`);
  return list;
}
