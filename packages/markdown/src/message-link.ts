import { narrowEncode, streamOperand } from './stream-links.ts';

/** The place of a message. */
export type MessagePlace =
  | {
      readonly type: 'stream';
      readonly streamId: number;
      readonly streamName: string;
      readonly topic: string;
    }
  | {
      readonly type: 'private';
      /** All participants, as in the message object. */
      readonly participantIds: readonly number[];
    };

/** @returns an address at which clients show the message, and which tells nothing of its place */
export function unnamedMessageLink(realmUri: string, messageId: number): string {
  return `${realmUri}/#narrow/near/${messageId}`;
}

/** @returns an address at which clients show the message (reference facts, markdown 8) */
export function messageLink(realmUri: string, messageId: number, place: MessagePlace): string {
  if (place.type === 'private')
    return `${realmUri}/#narrow/pm-with/${place.participantIds.join(',')}-pm/near/${messageId}`;
  const stream = streamOperand({ id: place.streamId, name: place.streamName });
  return `${realmUri}/#narrow/stream/${stream}/topic/${narrowEncode(place.topic)}/near/${messageId}`;
}
