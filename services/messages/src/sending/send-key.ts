import { hash } from 'node:crypto';

import type { Recipients } from '@parley/api/messages';

function sha256(...parts: readonly (string | number | readonly (string | number)[])[]): string {
  // JSON keeps the parts apart whatever they hold.
  return hash('sha256', JSON.stringify(parts));
}

/** The key of one send, which makes a repeat harmless. */
export type SendKey = {
  readonly key: string;
  /** A hash of the content and the addressee, so that a key used for another message is noticed. */
  readonly contentHash: string;
  /** The client knows the key too and may repeat the request. */
  readonly isClients: boolean;
};

export type SendKeyParts = {
  readonly userId: number;
  readonly requestId: string;
  /** The value of the header `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined;
  readonly queueId: string | undefined;
  readonly localId: string | undefined;
};

/** A message as in its request. A repeat contains the same, whatever has changed since. */
export type RequestedMessage = {
  readonly type: string;
  readonly to: Recipients;
  readonly topic: string | undefined;
  readonly content: string;
  readonly widgetContent?: string | undefined;
  /** For a message to send later. */
  readonly delivery?: RequestedDelivery;
};

/** When and how to deliver a message, as in its request. */
export type RequestedDelivery = {
  readonly type: string;
  readonly at: string;
  readonly tzGuess: string | undefined;
};

/**
 * Makes the key of a send (architecture, A send): the client's `Idempotency-Key`; else its event queue and local
 * id with the content, since clients may reuse local ids; else the id of the request, which is unique. Deferred messages have separate
 * keys: a client that uses one key for a deferred and for another message gets both.
 */
export function makeSendKey(parts: SendKeyParts, message: RequestedMessage): SendKey {
  const { userId, requestId, idempotencyKey, queueId, localId } = parts;
  const { type, to, topic, content, widgetContent, delivery } = message;
  const addressees = to.kind === 'names' ? to.names : to.ids;
  const contentHash = sha256(
    type,
    to.kind,
    addressees,
    topic ?? '',
    content,
    ...(widgetContent === undefined ? [] : [widgetContent]),
    ...(delivery === undefined ? [] : [[delivery.type, delivery.at, delivery.tzGuess ?? '']]),
  );
  const kind = delivery === undefined ? '' : 'd';
  if (idempotencyKey !== undefined)
    return { key: `${kind}k:${sha256(userId, idempotencyKey)}`, contentHash, isClients: true };
  if (queueId !== undefined && localId !== undefined) {
    return {
      key: `${kind}l:${sha256(userId, queueId, localId, contentHash)}`,
      contentHash,
      isClients: true,
    };
  }
  return { key: `${kind}r:${userId}:${requestId}`, contentHash, isClients: false };
}
