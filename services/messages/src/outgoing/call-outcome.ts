/** The bot's reply and the notice to its owner after a call (reference facts, people 18). */
import { codeBlock, joinNotices, link, notice } from '@parley/composing';
import type { Notice } from '@parley/composing';
import type { CallResult } from '@parley/outgoing';

import { readAnswer } from './service-interfaces.ts';
import type { Reply } from './service-interfaces.ts';

/** The actions that follow a call. */
export type CallOutcome = {
  readonly reply?: Reply;
  /** The whole notice to the owner. */
  readonly notice?: string;
};

function failure(text: string): Reply {
  return { content: `Failure! ${text}` };
}

/**
 * @param url of the message
 * @param lines about the call, each on its own line
 */
export function ownerNotice(url: string, lines: readonly Notice[]): string {
  const whatFor = notice`${link(notice`A message`, url)} triggered an outgoing webhook.`;
  return joinNotices([whatFor, ...lines], '\n').content;
}

/** @returns the error's type and text as a block of code */
export function errorBlock(type: string, text: string): Notice {
  return codeBlock(text === '' ? type : `${type}: ${text}`);
}

/** The outcome if the interface does not support private messages. */
export const slackRefusesPrivate: CallOutcome = {
  reply: failure("Slack outgoing webhooks don't support private messages."),
};

function statusOutcome(status: number, payload: string, url: string): CallOutcome {
  return {
    reply: failure(`Third party responded with ${status}`),
    notice: ownerNotice(url, [
      notice`The webhook got a response with status code *${status}*.`,
      ...(payload.trim() === ''
        ? []
        : [notice`The response contains the following payload:`, codeBlock(payload)]),
    ]),
  };
}

/**
 * Decides the outcome of a call that is not repeated any more.
 *
 * @param url of the message
 */
export function outcomeOf(
  result: Exclude<CallResult, { readonly kind: 'called-off' }>,
  interfaceNumber: number,
  url: string,
): CallOutcome {
  switch (result.kind) {
    case 'answer': {
      const { status, text } = result;
      if (status < 200 || status > 299) return statusOutcome(status, text, url);
      const read = readAnswer(interfaceNumber, text);
      if (read === 'not JSON') return { reply: failure('Invalid JSON in response') };
      return read === 'nothing' ? {} : { reply: read };
    }
    case 'timeout':
      return {
        reply: failure('Bot is unavailable'),
        notice: ownerNotice(url, [notice`A timeout occurred.`]),
      };
    case 'connection':
      return {
        reply: failure('Bot is unavailable'),
        notice: ownerNotice(url, [notice`A connection error occurred. Is my bot server down?`]),
      };
    case 'fault':
      return {
        reply: failure(`An error of type ${result.type} occurred.`),
        notice: ownerNotice(url, [errorBlock(result.type, result.text)]),
      };
  }
}
