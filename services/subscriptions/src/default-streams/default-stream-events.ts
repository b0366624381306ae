import type { ApiEvent } from '@parley/api/events';
import type { EventPart } from '@parley/event-log';
import type { Client } from '@parley/database';
import { readDefaultStreamGroups, readDefaultStreams } from '@parley/store/objects';
import { holdListedStreams } from '@parley/store';
import type { ListForMembers } from '@parley/store/objects';

/**
 * Events that replace a whole list (reference facts, streams 11.4; events 12.3). They are made while nobody else can change the list
 * (`lockDefaultStreams`) or the streams in it, so the last event that a client gets is current. If the list contains private streams,
 * administrators and other members get different events.
 */

function eventsOf<Item>(
  list: ListForMembers<Item>,
  eventOf: (items: readonly Item[]) => ApiEvent,
): EventPart[] {
  const all: EventPart = {
    form: 'same',
    audience: { to: list.isSame ? 'members' : 'administrators' },
    event: eventOf(list.forAdministrators),
  };
  if (list.isSame) return [all];
  return [
    all,
    {
      form: 'same',
      audience: { to: 'plain-members' },
      event: eventOf(list.forPlainMembers),
    },
  ];
}

/** @returns the events of all default streams */
export async function defaultStreamsEvents(client: Client): Promise<EventPart[]> {
  await holdListedStreams(client);
  return eventsOf(await readDefaultStreams(client), (streams) => ({
    type: 'default_streams',
    default_streams: streams,
  }));
}

/** @returns the events of all groups of default streams */
export async function defaultStreamGroupsEvents(client: Client): Promise<EventPart[]> {
  await holdListedStreams(client);
  return eventsOf(await readDefaultStreamGroups(client), (groups) => ({
    type: 'default_stream_groups',
    default_stream_groups: groups,
  }));
}
