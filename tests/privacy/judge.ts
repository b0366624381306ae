import { isJsonObject } from '@parley/test-kit';
import type { Parameters } from '@parley/test-kit';

import { findMarks } from './marks.ts';
import { mayHaveKnown, mayKnow, mayListMembers, mayRead, mayReceive } from './world.ts';
import type { MessageRecord, Person, StreamRecord, World } from './world.ts';

export type Shown = {
  readonly status: number;
  /** Headers and body. */
  readonly text: string;
  /** The body, if it is JSON. */
  readonly json: unknown;
};

const apiKeyShape = /(?<![A-Za-z0-9])[A-Za-z0-9]{32}(?![A-Za-z0-9])/g;

const messageIdKeys = new Set([
  'mentions',
  'starred_messages',
  'message_id',
  'message_ids',
  'unread_message_ids',
  'pointer',
]);

/** The count must not exceed the list, and each listed message is judged separately. */
function countFaults(unread: Readonly<Record<string, unknown>>): string[] {
  const listed = JSON.stringify(unread).matchAll(/"unread_message_ids":\[([^\]]*)\]/g);
  const ids = [...listed].flatMap(([, list = '']) => list.split(',').filter((id) => id !== ''));
  return Number(unread['count']) > ids.length
    ? [`counts ${String(unread['count'])} unread messages and lists ${ids.length}`]
    : [];
}

function namesMembers(value: Readonly<Record<string, unknown>>): boolean {
  const { subscribers, op } = value;
  return (Array.isArray(subscribers) && subscribers.length > 0) || op === 'peer_add';
}

/** Visible in events for users who were there, or saw it, when the events were made. */
function maySeeMembers(person: Person, stream: StreamRecord, saying: Saying): boolean {
  if (mayListMembers(person, stream)) return true;
  if (saying === 'answer') return false;
  return stream.wasEverMember(person.id) || (person.role !== 'guest' && stream.wasPublicAfter(0));
}

/** The text without the names of the streams that the caller left, which the caller may know (reference facts, streams 6.2). */
function withoutNamesOfLeftStreams({ text, json }: Shown): string {
  if (!isJsonObject(json) || !Array.isArray(json['unsubscribed'])) return text;
  const left: readonly unknown[] = json['unsubscribed'];
  return JSON.stringify({
    ...json,
    unsubscribed: left.map((stream) => (isJsonObject(stream) ? { ...stream, name: '' } : stream)),
  });
}

/** When visibility counts: for an answer now; for an event when it was made; for an edit's event, if the person could read it then. */
type Saying = 'answer' | 'event' | 'edit';

/** Reports what an answer reveals that the caller must not see. */
export class Judge {
  readonly #world: World;
  readonly #ownersOfKeys: ReadonlyMap<string, Person>;
  /** Marks in sends of bots, by the id of their owner, who gets a notice about failed sends. */
  readonly #saidByBots = new Map<number, Set<string>>();

  constructor(world: World) {
    this.#world = world;
    this.#ownersOfKeys = new Map(world.people.map((person) => [person.apiKey, person]));
  }

  /** Permits the owner of a bot to see what the bot sends. */
  noteSaid(person: Person, said: string): void {
    if (person.ownerId === undefined) return;
    const marks = this.#saidByBots.get(person.ownerId) ?? new Set();
    for (const mark of findMarks(said)) marks.add(mark);
    this.#saidByBots.set(person.ownerId, marks);
  }

  /**
   * @param requested what the caller sent, which reveals nothing new
   * @returns a sentence for each fault
   */
  faultsOf(
    person: Person,
    requested: readonly (string | Parameters)[],
    shown: Shown,
    saying: Saying = 'answer',
  ): string[] {
    const input = JSON.stringify(requested);
    return [
      ...this.#markFaults(person, findMarks(input), withoutNamesOfLeftStreams(shown), saying),
      ...this.#keyFaults(person, shown.text),
      ...(saying === 'answer' ? this.#presenceFaults(shown.json) : []),
      ...this.#idFaults(person, new Set(input.match(/\d+/g)?.map(Number)), shown.json, saying),
      ...(shown.status >= 500 ? [`status ${shown.status}: ${shown.text}`] : []),
    ];
  }

  /**
   * @param requested the words of the person's own earlier requests
   * @returns a sentence for each fault of an event that reached the person's queue
   */
  eventFaults(
    person: Person,
    requested: readonly (string | Parameters)[],
    event: Readonly<Record<string, unknown>>,
  ): string[] {
    const shown = { status: 200, text: JSON.stringify(event), json: event };
    const saying = event['type'] === 'update_message' ? 'edit' : 'event';
    const faults = this.faultsOf(person, requested, shown, saying);
    const { message } = event;
    if (event['type'] !== 'message' || !isJsonObject(message)) return faults;
    const sent = this.#world.findMessage(Number(message['id']));
    if (sent !== undefined && !mayReceive(person, sent))
      faults.push(
        `the event of message ${sent.id} reached the queue of a person who is not entitled to it`,
      );
    return faults;
  }

  #markFaults(
    person: Person,
    requested: ReadonlySet<string>,
    text: string,
    saying: Saying,
  ): string[] {
    return [...findMarks(text)].flatMap((mark) => {
      if (requested.has(mark) || this.#saidByBots.get(person.id)?.has(mark) === true) return [];
      const secret = this.#world.secrets.get(mark.toLowerCase());
      if (secret === undefined || secret.maySee(person)) return [];
      const isPermitted =
        (saying === 'edit' && secret.message?.editEvents.has(person) === true) ||
        (saying !== 'answer' && secret.mayHaveGotEvent?.(person) === true);
      return isPermitted ? [] : [`shows ${secret.what}`];
    });
  }

  /** Deactivated users exist from before, but must not appear in any later answer. */
  #presenceFaults(json: unknown): string[] {
    const presences = isJsonObject(json) ? json['presences'] : undefined;
    if (!isJsonObject(presences)) return [];
    return this.#world.people
      .filter(({ email, isActive }) => !isActive && Object.hasOwn(presences, email))
      .map(({ fullName }) => `tells when ${fullName} was there, who is deactivated`);
  }

  /** A person may see the person's own key, and a bot's key also its owner and administrators. */
  #keyFaults(person: Person, text: string): string[] {
    return (text.match(apiKeyShape) ?? []).flatMap((key) => {
      const owner = this.#ownersOfKeys.get(key);
      if (owner === undefined || owner === person || owner.ownerId === person.id) return [];
      const isOverseen = owner.botType !== null && person.role === 'administrator';
      return isOverseen ? [] : [`shows the key of ${owner.fullName}`];
    });
  }

  #idFaults(
    person: Person,
    requested: ReadonlySet<number>,
    json: unknown,
    saying: Saying,
  ): string[] {
    const faults: string[] = [];
    const checkMessage = (id: unknown): void => {
      const message = this.#world.findMessage(Number(id));
      if (message === undefined || (saying === 'edit' && message.editEvents.has(person))) return;
      if (!this.#maySeeId(person, message)) faults.push(`names message ${message.id}`);
    };
    const walk = (value: unknown, key: string): void => {
      if (Array.isArray(value)) {
        for (const item of value) walk(item, key);
        return;
      }
      if (typeof value === 'number') {
        if (messageIdKeys.has(key) || key === 'messages') checkMessage(value);
        const stream = key === 'stream_id' ? this.#world.findStream(value) : undefined;
        if (stream === undefined || requested.has(value)) return;
        const knows =
          saying === 'answer' ? mayKnow(person, stream) : mayHaveKnown(person, stream, 0);
        if (!knows) faults.push(`names stream ${value}`);
        return;
      }
      if (!isJsonObject(value)) return;
      const stream = this.#world.findStream(Number(value['stream_id']));
      if (stream !== undefined && namesMembers(value) && !maySeeMembers(person, stream, saying))
        faults.push(`names members of stream ${stream.id}`);
      if (key === 'unread_msgs') faults.push(...countFaults(value));
      if ('sender_id' in value && 'recipient_id' in value) checkMessage(value['id']);
      for (const [name, member] of Object.entries(value)) {
        // matches_narrow returns an object with ids as keys.
        if (key === 'messages' && /^\d+$/.test(name)) checkMessage(name);
        walk(member, name);
      }
    };
    walk(json, '');
    return faults;
  }

  /** Outgoing-webhook bots see the messages that reach them, but hold none. */
  #maySeeId(person: Person, message: MessageRecord): boolean {
    return mayRead(person, message) || mayReceive(person, message);
  }
}
