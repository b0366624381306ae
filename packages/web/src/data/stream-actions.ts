/** What people do with streams and subscriptions. */
import type { App } from './app.ts';
import { operation } from './operation.ts';
import type { Stream } from './state.ts';

export const createStream = operation('POST /users/me/subscriptions');
export const changeStream = operation('PATCH /streams/{stream_id}');
export const deleteStream = operation('DELETE /streams/{stream_id}');
export const changeSubscriptions = operation('POST /users/me/subscriptions/properties');

/** @param userIds who joins; nobody: the signed-in person */
export async function subscribe(
  app: App,
  { name }: Stream,
  userIds: readonly number[] = [],
): Promise<void> {
  await createStream(app, { subscriptions: [{ name }], principals: userIds });
}

/** @param userIds who leaves; nobody: the signed-in person */
export async function unsubscribe(
  app: App,
  { name }: Stream,
  userIds: readonly number[] = [],
): Promise<void> {
  await app.client.request('DELETE /users/me/subscriptions', {
    subscriptions: [name],
    principals: userIds,
  });
}
