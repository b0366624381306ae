/** The requests to a bot's service, and the meaning of its answers (reference facts, people 18). */
import { serviceInterfaces } from '@parley/api';
import type { ServiceCall } from '@parley/outgoing';

/** A message and the bot that is called for it. */
export type TriggeringMessage = {
  readonly bot: { readonly id: number; readonly email: string };
  readonly token: string;
  /** The message object of the interface, with raw content and without flags. */
  readonly message: Readonly<Record<string, unknown>> & {
    readonly id: number;
    readonly content: string;
    readonly sender_id: number;
    readonly sender_full_name: string;
    readonly sender_email: string;
    readonly subject: string;
    readonly timestamp: number;
  };
  readonly stream: { readonly id: number; readonly name: string } | undefined;
  readonly renderedContent: string;
  readonly realmStringId: string;
};

/** The bot's reply. */
export type Reply = { readonly content: string; readonly widgetContent?: string };

export type ReadAnswer = Reply | 'nothing' | 'not JSON';

type ServiceInterface = {
  /** Undefined for messages that the interface does not support. */
  readonly write: (
    triggering: TriggeringMessage,
  ) => Pick<ServiceCall, 'contentType' | 'body'> | undefined;
  readonly read: (answer: Readonly<Record<string, unknown>>) => Reply | 'nothing';
};

/** JSON can contain characters that no message can: unpaired surrogates and NULs. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '') : undefined;
}

function triggerOf({ stream }: TriggeringMessage): 'mention' | 'private_message' {
  return stream === undefined ? 'private_message' : 'mention';
}

const generic: ServiceInterface = {
  write: (triggering) => ({
    contentType: 'application/json',
    body: JSON.stringify({
      data: triggering.message.content,
      message: { ...triggering.message, rendered_content: triggering.renderedContent },
      bot_email: triggering.bot.email,
      token: triggering.token,
      trigger: triggerOf(triggering),
    }),
  }),
  read: (answer) => {
    if (answer['response_not_required'] === true) return 'nothing';
    const older = textOf(answer['response_string']);
    if (older !== undefined) return { content: older };
    const content = textOf(answer['content']);
    if (content === undefined) return 'nothing';
    const widgetContent = textOf(answer['widget_content']);
    return { content, ...(widgetContent !== undefined && { widgetContent }) };
  },
};

const slack: ServiceInterface = {
  write: (triggering) => {
    const { message, stream, bot } = triggering;
    if (stream === undefined) return undefined;
    return {
      contentType: 'application/x-www-form-urlencoded',
      body: new URLSearchParams({
        token: triggering.token,
        team_id: triggering.realmStringId,
        team_domain: message.sender_email.slice(message.sender_email.lastIndexOf('@') + 1),
        channel_id: String(stream.id),
        channel_name: stream.name,
        timestamp: String(message.timestamp),
        user_id: String(message.sender_id),
        user_name: message.sender_full_name,
        text: message.content,
        trigger_word: triggerOf(triggering),
        service_id: String(bot.id),
      }).toString(),
    };
  },
  read: (answer) => {
    const content = textOf(answer['text']);
    return content === undefined ? 'nothing' : { content };
  },
};

function interfaceOf(number: number): ServiceInterface {
  return number === serviceInterfaces.slack ? slack : generic;
}

/** @returns the request to the service; undefined for a private message if the interface does not support it */
export function writeCall(
  interfaceNumber: number,
  triggering: TriggeringMessage,
): Pick<ServiceCall, 'contentType' | 'body'> | undefined {
  return interfaceOf(interfaceNumber).write(triggering);
}

/** @returns the bot's reply, from an answer with a status of success */
export function readAnswer(interfaceNumber: number, text: string): ReadAnswer {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  if (typeof answer !== 'object' || answer === null) return 'nothing';
  const reply = interfaceOf(interfaceNumber).read(answer as Readonly<Record<string, unknown>>);
  return reply === 'nothing' || reply.content.trim() === '' ? 'nothing' : reply;
}
