import { hidesEmails, namesOfFlags } from '@parley/store';

import type { MessageBody } from './message-body.ts';
import type { MessageNames } from './message-names.ts';

export type MessageJsonOptions = {
  /** Clients make Gravatar URLs themselves. */
  readonly clientGravatar: boolean;
  readonly showEditHistory: boolean;
};

/** By bits; only few combinations occur. */
const flagsKept = new Map<number, string>();
const flagsKeptMax = 2_048;

function flagsJson(bits: number): string {
  let json = flagsKept.get(bits);
  if (json === undefined) {
    json = JSON.stringify(namesOfFlags(bits));
    if (flagsKept.size < flagsKeptMax) flagsKept.set(bits, json);
  }
  return json;
}

function reactionsJson({ reactions }: MessageBody, names: MessageNames): string {
  if (reactions.length === 0) return '[]';
  return `[${reactions.map(({ userId, json }) => `${json},"user":${names.reactorJson(userId)}}`).join(',')}]`;
}

/** The parts of a message that differ between readers. */
export type OwnMembers = {
  /** Omitted if nobody reads it. */
  readonly flagBits?: number;
  /** The fields with marked hits of a search. */
  readonly match?: Readonly<Record<string, string>> | undefined;
};

/** @returns a function that gives messages of fetched history as JSON for clients (contract, Message; reference facts, messages 5) */
export function messageJsonWriter(
  names: MessageNames,
  options: MessageJsonOptions,
): (body: MessageBody, own: OwnMembers) => string {
  const { settings } = names.realm;
  // Clients cannot make Gravatar URLs if addresses are hidden (reference facts, messages 5.2).
  const withGravatar = !options.clientGravatar || hidesEmails(settings);
  const showEditHistory = options.showEditHistory && settings.allow_edit_history;
  const recipients = new Map<number, string>();
  const recipientJson = (body: MessageBody): string => {
    if (body.streamId !== null) return names.displayRecipientJson(body);
    let json = recipients.get(body.conversationId);
    if (json === undefined) {
      json = names.displayRecipientJson(body);
      recipients.set(body.conversationId, json);
    }
    return json;
  };
  return (body, { flagBits, match }) => {
    const flags = flagBits === undefined ? '' : `,"flags":${flagsJson(flagBits)}`;
    const history =
      showEditHistory && body.editHistoryJson !== undefined
        ? `,"edit_history":${body.editHistoryJson}`
        : '';
    const marks = match === undefined ? '' : `,${JSON.stringify(match).slice(1, -1)}`;
    return `{${body.membersJson},"content":${body.contentJson},"reactions":${reactionsJson(body, names)},"display_recipient":${recipientJson(body)},${names.senderJson(body.senderId, withGravatar)}${flags}${history}${marks}}`;
  };
}
