/** The lists of streams from register, kept by a client that only applies events. */
import { readObjects } from '@parley/test-kit';
import type { JsonObject } from '@parley/test-kit';

type ListName = 'subscriptions' | 'unsubscribed' | 'never_subscribed';
const listNames: readonly ListName[] = ['subscriptions', 'unsubscribed', 'never_subscribed'];

/** The members that events change. Only register updates a stream's first message and traffic. */
const fields = [
  'name',
  'stream_id',
  'description',
  'rendered_description',
  'invite_only',
  'is_announcement_only',
  'history_public_to_subscribers',
] as const;

type Known = {
  list: ListName;
  fields: Record<string, unknown>;
  subscribers: Set<number> | undefined;
};

function fieldsOf(stream: JsonObject): Record<string, unknown> {
  return Object.fromEntries(fields.map((field) => [field, stream[field]]));
}

export class StreamLists {
  readonly account: { readonly id: number; readonly role: 'administrator' | 'member' | 'guest' };
  readonly #known = new Map<number, Known>();

  constructor(account: StreamLists['account'], state: JsonObject) {
    this.account = account;
    for (const list of listNames)
      for (const stream of readObjects(state, list))
        this.#known.set(stream['stream_id'] as number, {
          list,
          fields: fieldsOf(stream),
          subscribers:
            stream['subscribers'] === undefined
              ? undefined
              : new Set(stream['subscribers'] as number[]),
        });
    const listed = readObjects(state, 'streams').map(fieldsOf);
    if (JSON.stringify(listed) !== JSON.stringify(this.#visible()))
      throw new Error('`streams` has others than public streams and subscriptions');
  }

  apply(event: JsonObject): void {
    if (event['type'] === 'stream') this.#applyToStream(event);
    else if (event['type'] === 'subscription') this.#applyToSubscription(event);
  }

  /** @returns the three lists and `streams`, by name */
  seen(): JsonObject {
    const lists = listNames.map((list): [string, unknown] => [
      list,
      this.#sorted((known) => known.list === list).map((known) => ({
        ...known.fields,
        subscribers: known.subscribers && [...known.subscribers].toSorted((a, b) => a - b),
      })),
    ]);
    return { ...Object.fromEntries(lists), streams: this.#visible() };
  }

  #sorted(isWanted: (known: Known) => boolean): Known[] {
    return [...this.#known.values()]
      .filter(isWanted)
      .toSorted((a, b) => (String(a.fields['name']) < String(b.fields['name']) ? -1 : 1));
  }

  #visible(): JsonObject[] {
    const isGuest = this.account.role === 'guest';
    return this.#sorted(
      ({ list, fields: { invite_only } }) =>
        list === 'subscriptions' || (invite_only === false && !isGuest),
    ).map((known) => known.fields);
  }

  #get(streamId: unknown): Known {
    const known = this.#known.get(streamId as number);
    if (known === undefined) throw new Error(`stream ${String(streamId)} is unknown`);
    return known;
  }

  #applyToStream(event: JsonObject): void {
    const { op } = event;
    if (op === 'update') {
      const known = this.#get(event['stream_id']);
      for (const field of ['history_public_to_subscribers', 'rendered_description'])
        if (field in event) known.fields[field] = event[field];
      known.fields[event['property'] as string] = event['value'];
      delete known.fields['email_address'];
      this.#forgetWhatIsHidden(known);
      return;
    }
    for (const stream of readObjects(event, 'streams')) {
      const id = stream['stream_id'] as number;
      const known = this.#known.get(id);
      if (op === 'delete' && !this.#known.delete(id)) throw new Error(`stream ${id} is unknown`);
      if (op !== 'create') continue;
      if (known === undefined)
        this.#known.set(id, {
          list: 'never_subscribed',
          fields: fieldsOf(stream),
          subscribers: new Set(),
        });
      else known.fields = fieldsOf(stream);
    }
  }

  /** A client does not know the subscribers and description of a stream that its user left and no longer sees. */
  #forgetWhatIsHidden(known: Known): void {
    const { role } = this.account;
    const isHidden =
      role === 'guest' || (role === 'member' && known.fields['invite_only'] === true);
    if (known.list !== 'unsubscribed' || !isHidden) return;
    known.subscribers = undefined;
    known.fields['description'] = '';
    known.fields['rendered_description'] = '';
  }

  #applyToSubscription(event: JsonObject): void {
    const { op } = event;
    if (op === 'add') {
      for (const added of readObjects(event, 'subscriptions'))
        this.#known.set(added['stream_id'] as number, {
          list: 'subscriptions',
          fields: fieldsOf(added),
          subscribers: new Set(added['subscribers'] as number[]),
        });
    } else if (op === 'remove') {
      for (const removed of readObjects(event, 'subscriptions')) {
        const known = this.#get(removed['stream_id']);
        known.list = 'unsubscribed';
        // A user who joins and leaves in one request gets a list without the user.
        known.subscribers?.delete(this.account.id);
        this.#forgetWhatIsHidden(known);
      }
    } else if (op === 'peer_add' || op === 'peer_remove') {
      const known = this.#get(event['stream_id']);
      const userId = event['user_id'] as number;
      known.subscribers ??= new Set();
      // The terminal client fails on a repeated user and on a removed user who is not there.
      if (known.subscribers.has(userId) === (op === 'peer_add')) throw new Error(`${op} twice`);
      if (op === 'peer_add') known.subscribers.add(userId);
      else known.subscribers.delete(userId);
    }
  }
}
