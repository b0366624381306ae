import { createHash } from 'node:crypto';

import type { Recipients } from './recipients-parameter.ts';

function sha256(...parts: readonly (string | number | readonly (string | number)[])[]): string {
  // JSON keeps the parts apart whatever they hold.
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** What names one send, so that repeating it is harmless. */
export type SendKey = {
  readonly key: string;
  /** Of what is sent and to whom, so that a key used for another message is noticed. */
  readonly contentHash: string;
  /** The client has the key too and may send again. */
  readonly isClients: boolean;
};

export type SendKeyParts = {
  readonly userId: number;
  readonly requestId: string;
  /** The header `Idempotency-Key`. */
  readonly idempotencyKey: string | undefined;
  readonly queueId: string | undefined;
  readonly localId: string | undefined;
};

/** A message as its request says it. A repeat says the same, whatever has changed since. */
export type RequestedMessage = {
  readonly type: string;
  readonly to: Recipients;
  readonly topic: string | undefined;
  readonly content: string;
  readonly widgetContent?: string | undefined;
};

/**
 * Makes the key of a send (architecture, A send): the client's `Idempotency-Key`; else its event queue and local
 * id with the content, since clients number their messages anew; else the id of the request, which a gateway gives once.
 */
export function makeSendKey(parts: SendKeyParts, message: RequestedMessage): SendKey {
  const { userId, requestId, idempotencyKey, queueId, localId } = parts;
  const { type, to, topic, content, widgetContent } = message;
  const addressees = to.kind === 'names' ? to.names : to.ids;
  const contentHash = sha256(
    type,
    to.kind,
    addressees,
    topic ?? '',
    content,
    ...(widgetContent === undefined ? [] : [widgetContent]),
  );
  if (idempotencyKey !== undefined)
    return { key: `k:${sha256(userId, idempotencyKey)}`, contentHash, isClients: true };
  if (queueId !== undefined && localId !== undefined) {
    return {
      key: `l:${sha256(userId, queueId, localId, contentHash)}`,
      contentHash,
      isClients: true,
    };
  }
  return { key: `r:${userId}:${requestId}`, contentHash, isClients: false };
}
