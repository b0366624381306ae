/** Subscribing, unsubscribing, and what a person sets for a stream or topic. Events bring the results. */
import type { App } from './app.ts';
import type { Stream } from './state.ts';
import { isTopicMuted } from './unread.ts';

/** @throws ApiError or NoAnswerError */
export async function subscribeTo({ request }: App, { name }: Stream): Promise<void> {
  await request('POST /users/me/subscriptions', { subscriptions: [{ name }] });
}

/** @throws ApiError or NoAnswerError */
export async function unsubscribeFrom({ request }: App, { name }: Stream): Promise<void> {
  await request('DELETE /users/me/subscriptions', { subscriptions: [name] });
}

/** @throws ApiError or NoAnswerError */
export async function setForStream(
  { request }: App,
  stream_id: number,
  properties: Readonly<Record<string, string | boolean>>,
): Promise<void> {
  const subscription_data = Object.entries(properties).map(([property, value]) => ({
    stream_id,
    property,
    value,
  }));
  await request('POST /users/me/subscriptions/properties', { subscription_data });
}

/** @throws ApiError or NoAnswerError */
export async function toggleTopicMute(
  { request, state }: App,
  stream_id: number,
  topic: string,
): Promise<void> {
  const op = isTopicMuted(state, stream_id, topic) ? 'remove' : 'add';
  await request('PATCH /users/me/subscriptions/muted_topics', { stream_id, topic, op });
}
