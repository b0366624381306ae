/** The state of a client: the answer of register, changed by events. */
import type { JsonObject } from '@parley/test-kit';

import type { Item } from './state-item.ts';
import { UnreadMessages } from './unread-messages.ts';

export type Reader = {
  readonly userId: number;
  readonly role: 'administrator' | 'member' | 'guest';
  readonly includeSubscribers: boolean;
  readonly clientGravatar: boolean;
  readonly nullSettings: boolean;
  /** Unix time before the request. */
  readonly askedAtSecs: number;
};

/** Parts of the state that changed without an event: `compareStates` ignores these and nothing else. */
export type Unreported = {
  /** The newest message was deleted, and no event says which one is the newest now. */
  maxMessageId: boolean;
  /** Private conversations, by participants, whose newest message was deleted. */
  readonly conversations: Set<string>;
  /** Streams whose first message was deleted. */
  readonly firstMessages: Set<number>;
  /** Settings that the account sets for all streams; a subscription's own value hides whether it was inherited. */
  readonly inheritedSettings: Set<string>;
  /** Clients that made Gravatar URLs themselves get them from the server now, or the other way round. */
  emailVisibility: boolean;
  /** Reactivated people, whose earlier presence is visible again. */
  readonly returned: Set<number>;
};

export type Fold = (client: ClientState, event: JsonObject) => void;

export class ClientState {
  readonly state: Item;
  readonly reader: Reader;
  readonly unread: UnreadMessages;
  readonly unreported: Unreported = {
    maxMessageId: false,
    conversations: new Set(),
    firstMessages: new Set(),
    inheritedSettings: new Set(),
    emailVisibility: false,
    returned: new Set(),
  };

  constructor(answer: JsonObject, reader: Reader) {
    this.state = structuredClone(answer);
    this.reader = reader;
    this.unread = new UnreadMessages(this);
  }

  get isAdministrator(): boolean {
    return this.reader.role === 'administrator';
  }

  get isGuest(): boolean {
    return this.reader.role === 'guest';
  }

  items(key: string): Item[] {
    return (this.state[key] as Item[] | undefined) ?? [];
  }

  findById(key: string, idKey: string, id: unknown): Item | undefined {
    return this.items(key).find((item) => item[idKey] === id);
  }

  drop(key: string, idKey: string, id: unknown): Item | undefined {
    const item = this.findById(key, idKey, id);
    if (item !== undefined) this.state[key] = this.items(key).filter((other) => other !== item);
    return item;
  }

  /** Replaces the item with the same id, or appends it. */
  put(key: string, idKey: string, item: Item): void {
    this.drop(key, idKey, item[idKey]);
    this.state[key] = [...this.items(key), item];
  }
}
