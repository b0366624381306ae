/** Compares everything that the store returns about read state with the model. */
import { flagBits, listFlagsOfHolders, unreadState } from '@parley/store';
import type { UnreadState } from '@parley/store';
import { expect } from 'vitest';

import { checkLists } from './check-lists.ts';
import { expectedBits } from './expected-bits.ts';
import { Model, hasFlag } from './model.ts';
import type { ModelMessage } from './model.ts';
import type { World } from './world.ts';

function expectedUnread(world: World, model: Model, user: number): UnreadState {
  const listed = model.unread(user, (message) => {
    const streamIndex = Model.streamOf(message.conversation);
    return streamIndex === undefined || model.isMember(user, streamIndex);
  });
  const of = (condition: (message: ModelMessage) => boolean): number[] =>
    listed.filter(condition).map((message) => message.id);
  const isPair = (message: ModelMessage): boolean =>
    Model.streamOf(message.conversation) === undefined &&
    Model.peopleOf(message.conversation).length < 3;
  const conversations = [...new Set(listed.map((message) => message.conversation))].toSorted(
    (a, b) => a - b,
  );
  return {
    pms: [...new Set(listed.filter(isPair).map((message) => message.sender))]
      .toSorted((a, b) => a - b)
      .map((sender) => ({
        sender_id: world.users[sender] ?? 0,
        unread_message_ids: of((message) => isPair(message) && message.sender === sender),
      })),
    streams: conversations
      .filter((index) => Model.streamOf(index) !== undefined)
      .map((index) => ({
        stream_id: world.streams[Model.streamOf(index) ?? 0] ?? 0,
        topic: `topic ${index}`,
        sender_ids: [
          ...new Set(
            listed
              .filter((message) => message.conversation === index)
              .map((message) => message.sender),
          ),
        ]
          .toSorted((a, b) => a - b)
          .map((sender) => world.users[sender] ?? 0),
        unread_message_ids: of((message) => message.conversation === index),
      })),
    huddles: conversations
      .filter((index) => Model.peopleOf(index).length > 2)
      .map((index) => ({
        user_ids_string: world.users.join(','),
        unread_message_ids: of((message) => message.conversation === index),
      })),
    mentions: of(
      (message) =>
        hasFlag(message, user, flagBits.mentioned) ||
        (hasFlag(message, user, flagBits.wildcard_mentioned) &&
          !model.isMuted(user, message.conversation)),
    ),
    count: of((message) => !model.isMuted(user, message.conversation)).length,
  };
}

export async function checkAll(world: World, model: Model): Promise<void> {
  for (const [user, userId] of world.users.entries()) {
    const bits = await listFlagsOfHolders(
      world.client,
      model.messages.map(({ id }) => ({ userId, messageId: id })),
    );
    expect(model.messages.map(({ id }, at) => [id, bits[at]])).toEqual(
      model.messages.map((message) => [message.id, expectedBits(message, user)]),
    );
    await checkLists(world, model, user);
    expect(await unreadState(world.client, userId)).toEqual(expectedUnread(world, model, user));
  }
}
