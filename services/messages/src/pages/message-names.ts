import { avatarUrl } from '@parley/store/objects';
import type { ShownNames, ShownPerson } from '@parley/store';

import type { MessageBody } from './message-body.ts';

/** A person or bot as messages show it, as JSON. */
type PersonJson = {
  readonly id: number;
  readonly email: string;
  /** The members about the sender. */
  readonly asSender: string;
  /** The same for clients that make Gravatar URLs themselves. */
  readonly asSenderWithoutGravatar: string;
  /** In a reaction. */
  readonly asReactor: string;
  /** In a private conversation. */
  readonly asParticipant: string;
};

function personJsonOf(person: ShownPerson, realmStringId: string): PersonJson {
  const { id, email, fullName, shortName } = person;
  const asSender = (avatar: string | null): string =>
    JSON.stringify({
      sender_full_name: fullName,
      sender_short_name: shortName,
      sender_email: email,
      sender_realm_str: realmStringId,
      avatar_url: avatar,
    }).slice(1, -1);
  const url = avatarUrl(person);
  return {
    id,
    email,
    asSender: asSender(url),
    asSenderWithoutGravatar: asSender(person.avatarSource === 'G' ? null : url),
    asReactor: JSON.stringify({ id, email, full_name: fullName }),
    asParticipant: JSON.stringify({
      id,
      email,
      full_name: fullName,
      short_name: shortName,
      is_mirror_dummy: false,
    }),
  };
}

/** One version of the names of people, streams and the organization in messages, as far as they were read. */
export class MessageNames {
  readonly #epoch: number;
  readonly #version: string;
  #realm: ShownNames['realm'] | undefined;
  readonly #people = new Map<number, PersonJson>();
  readonly #streams = new Map<number, { readonly name: string; readonly json: string }>();

  /**
   * @param epoch of the log: after its end, ids of lost accounts and streams may belong to others
   * @param version within the epoch
   */
  constructor(epoch: number, version: string) {
    this.#epoch = epoch;
    this.#version = version;
  }

  isOf(epoch: number, version: string): boolean {
    return this.#epoch === epoch && this.#version === version;
  }

  /** @returns how many people and streams were read */
  get size(): number {
    return this.#people.size + this.#streams.size;
  }

  /** @param shown of the same version */
  add({ realm, people, streams }: ShownNames): void {
    this.#realm = realm;
    for (const person of people) this.#people.set(person.id, personJsonOf(person, realm.stringId));
    for (const { id, name } of streams) this.#streams.set(id, { name, json: JSON.stringify(name) });
  }

  /** @returns the people and streams in messages whose names were not read */
  findMissing(bodies: Iterable<MessageBody>): {
    readonly userIds: readonly number[];
    readonly streamIds: readonly number[];
  } {
    const userIds = new Set<number>();
    const streamIds = new Set<number>();
    const lookFor = (userId: number): void => {
      if (!this.#people.has(userId)) userIds.add(userId);
    };
    for (const { senderId, streamId, participantIds, reactions } of bodies) {
      lookFor(senderId);
      for (const { userId } of reactions) lookFor(userId);
      for (const userId of participantIds ?? []) lookFor(userId);
      if (streamId !== null && !this.#streams.has(streamId)) streamIds.add(streamId);
    }
    return { userIds: [...userIds], streamIds: [...streamIds] };
  }

  get realm(): ShownNames['realm'] {
    if (this.#realm === undefined) throw new Error('of the organization nothing was read');
    return this.#realm;
  }

  streamName(id: number): string {
    return this.#stream(id).name;
  }

  /** @param withGravatar whether to include the URL of a Gravatar */
  senderJson(id: number, withGravatar: boolean): string {
    const { asSender, asSenderWithoutGravatar } = this.#person(id);
    return withGravatar ? asSender : asSenderWithoutGravatar;
  }

  reactorJson(id: number): string {
    return this.#person(id).asReactor;
  }

  displayRecipientJson(body: MessageBody): string {
    if (body.streamId !== null) return this.#stream(body.streamId).json;
    return `[${this.listParticipants(body)
      .map(({ asParticipant }) => asParticipant)
      .join(',')}]`;
  }

  /** @returns the recipients that a private message lists: two people by address, more by id (reference facts, messages 5.1) */
  listParticipants({ participantIds }: MessageBody): readonly PersonJson[] {
    const people = (participantIds ?? []).map((id) => this.#person(id));
    if (people.length === 2) people.sort((a, b) => (a.email < b.email ? -1 : 1));
    return people;
  }

  #person(id: number): PersonJson {
    const person = this.#people.get(id);
    if (person === undefined) throw new Error(`user ${id} is named and was not read`);
    return person;
  }

  #stream(id: number): { readonly name: string; readonly json: string } {
    const stream = this.#streams.get(id);
    if (stream === undefined) throw new Error(`stream ${id} is named and was not read`);
    return stream;
  }
}
