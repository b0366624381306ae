/** Every event of administrators' changes to streams and default streams: its recipients and order (reference facts, events 12 and 18). */
import { settle } from '@parley/test-kit';
import type { JsonObject, Parameters } from '@parley/test-kit';
import { describe, test } from 'vitest';

import { anyNumber } from '../support/matchers.ts';
import { but, inside, members, useEventAudience } from './event-audience.ts';
import type { EventAudience, Who } from './event-audience.ts';
import { closedStream, notice, ofStream, peerEvent, stream } from './event-bodies.ts';

let all: EventAudience;
const expectEvents = useEventAudience((made) => {
  all = made;
});

const administrators: readonly Who[] = ['admin', 'admin bot'];

const updated = (name: string, id: number, more: JsonObject): JsonObject => ({
  type: 'stream',
  op: 'update',
  stream_id: id,
  name,
  ...more,
});
const change = (id: number, wish: Parameters): Promise<JsonObject> =>
  all.client('admin').patch(`streams/${id}`, wish);

/** The streams as the first two tests leave them. */
const social = (): JsonObject =>
  stream('social', all.streamIds.social, {
    description: '*new*',
    rendered_description: '<p><em>new</em></p>',
    first_message_id: anyNumber,
  });
const closed = (): JsonObject =>
  closedStream('closed', all.streamIds.closed, {
    description: 'x',
    rendered_description: '<p>x</p>',
  });

describe('changing a stream', () => {
  test('a public one: everybody who can see it; a rename under the old name, address first; then the notice', async () => {
    const id = all.streamIds.social;
    await change(id, { description: '*new*' });
    await change(id, { new_name: 'Social' });
    await settle();
    await change(id, { is_announcement_only: true });
    const { user } = all.people.admin;
    const renamed = `@_**${user.fullName}|${user.id}** renamed this stream from **social** to **Social**.`;
    await expectEvents({
      bodies: {
        text: updated('social', id, {
          property: 'description',
          value: '*new*',
          rendered_description: '<p><em>new</em></p>',
        }),
        address: updated('social', id, { property: 'email_address', value: '' }),
        name: updated('social', id, { property: 'name', value: 'Social' }),
        notice: notice('Social', id, renamed, 'admin'),
        closed: updated('Social', id, { property: 'is_announcement_only', value: true }),
      },
      to: [
        [inside, 'text address name notice closed'],
        [['out', 'bot', 'admin bot'], 'text address name closed'],
      ],
    });
    await change(id, { new_name: 'social', is_announcement_only: false });
  });

  test('a private one: subscribers and administrators', async () => {
    const id = all.streamIds.closed;
    await change(id, { description: 'x' });
    const text = updated('closed', id, {
      property: 'description',
      value: 'x',
      rendered_description: '<p>x</p>',
    });
    await expectEvents({ bodies: { text }, to: [[[...inside, 'admin bot'], 'text']] });
  });

  test('its privacy: everybody who can see it afterwards; create for those who gain it, delete for those who lose it', async () => {
    const id = all.streamIds.social;
    await change(id, { is_private: true });
    await change(id, { is_private: false });
    await change(id, { is_private: true, history_public_to_subscribers: true });
    const makeEvent = (inviteOnly: boolean, isShared: boolean): JsonObject =>
      updated('social', id, {
        property: 'invite_only',
        value: inviteOnly,
        history_public_to_subscribers: isShared,
      });
    const subscribers = inside.toSorted((a, b) => all.id(a) - all.id(b));
    const peers = Object.fromEntries(
      subscribers.map((who, n) => [`peer${n}`, peerEvent('peer_add', 'social', id, all.id(who))]),
    );
    await expectEvents({
      bodies: {
        closed: makeEvent(true, false),
        open: makeEvent(false, true),
        shared: makeEvent(true, true),
        delete: ofStream('delete', social()),
        create: ofStream('create', social()),
        ...peers,
      },
      to: [
        [[...inside, 'admin bot'], 'closed open shared'],
        [['out', 'bot'], `delete create open ${Object.keys(peers).join(' ')} delete`],
      ],
    });
    await change(id, { is_private: false });
  });
});

describe('default streams', () => {
  const list = (...streams: readonly JsonObject[]): JsonObject => ({
    type: 'default_streams',
    default_streams: streams,
  });
  const fences = async (): Promise<JsonObject> => {
    const id = await all.client('bob').streamId('fences');
    return stream('fences', id, { first_message_id: anyNumber });
  };

  test('adding and removing: members get the whole list by name, guests nothing', async () => {
    const other = await fences();
    await all.client('admin').post('default_streams', { stream_name: 'social' });
    await all.client('admin').post('default_streams', { stream_name: 'fences' });
    await all.client('admin').delete('default_streams', { stream_name: 'fences' });
    await expectEvents({
      bodies: { one: list(social()), two: list(other, social()) },
      to: [[members, 'one two one']],
    });
  });

  test('a private one is only in the list of administrators', async () => {
    await all.client('admin').post('default_streams', { stream_name: 'closed' });
    await all.client('admin').delete('default_streams', { stream_name: 'closed' });
    await expectEvents({
      bodies: { without: list(social()), with: list(closed(), social()) },
      to: [
        [administrators, 'with without'],
        [but(members, ...administrators), 'without without'],
      ],
    });
  });

  test('groups: members get all of them, with their streams', async () => {
    const other = await fences();
    const groups = (description: string, ...streams: readonly JsonObject[]): JsonObject => ({
      type: 'default_stream_groups',
      default_stream_groups: [{ id: anyNumber, name: 'dev', description, streams }],
    });
    const admin = all.client('admin');
    await admin.post('default_stream_groups/create', {
      group_name: 'dev',
      description: 'of us',
      stream_names: ['fences'],
    });
    const { rows } = await all.all.pool.query<{ id: number }>({
      text: 'SELECT id FROM default_stream_groups',
    });
    const id = rows[0]?.id ?? 0;
    await all.client('bob').subscribe('more');
    await all.forget();
    await admin.patch(`default_stream_groups/${id}/streams`, { op: 'add', stream_names: ['more'] });
    const moreId = await admin.streamId('more');
    const more = stream('more', moreId, { first_message_id: anyNumber });
    await admin.patch(`default_stream_groups/${id}`, { new_description: 'of all' });
    await admin.delete(`default_stream_groups/${id}`);
    await expectEvents({
      bodies: {
        both: groups('of us', other, more),
        renamed: groups('of all', other, more),
        none: { type: 'default_stream_groups', default_stream_groups: [] },
      },
      to: [[members, 'both renamed none']],
    });
  });
});

describe('deactivating a stream', () => {
  test('a default one: first the list, then the end for everybody who could see it, without unsubscribe events', async () => {
    const id = all.streamIds.social;
    await all.client('admin').delete(`streams/${id}`);
    await expectEvents({
      bodies: {
        list: { type: 'default_streams', default_streams: [] },
        delete: ofStream('delete', social()),
      },
      to: [
        [members, 'list delete'],
        [['guest in'], 'delete'],
      ],
    });
  });

  test('a private one: its subscribers and administrators', async () => {
    await all.client('admin').delete(`streams/${all.streamIds.closed}`);
    await expectEvents({
      bodies: { delete: ofStream('delete', closed()) },
      to: [[[...inside, 'admin bot'], 'delete']],
    });
  });
});
