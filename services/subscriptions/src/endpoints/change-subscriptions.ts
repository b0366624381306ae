import { badRequest, requestVariableInvalid } from '@parley/api';
import {
  addSubscriptionsEndpoint,
  changeSubscriptionsEndpoint,
  removeSubscriptionsEndpoint,
} from '@parley/api/streams';
import type { StreamEntry } from '@parley/api/streams';
import { implement } from '@parley/server';

import type { SubscriptionsContext } from '../context.ts';
import {
  changeSubscriptions,
  subscribePeople,
  unsubscribePeople,
} from '../subscribing/change-subscriptions.ts';
import type { JoinOptions } from '../subscribing/join-streams.ts';
import { isHexColor } from '../subscribing/subscription-properties.ts';

/**
 * Checks what the schema cannot express.
 *
 * @param parameter its name
 * @param raw its text
 * @throws ApiError for a colour that clients cannot read, and for a U+0000 outside of names
 */
function checkStreamsToJoin(parameter: string, raw: string, streams: readonly StreamEntry[]): void {
  for (const [n, { color, description = '' }] of streams.entries()) {
    if (color !== undefined && !isHexColor(color)) {
      throw badRequest(`${parameter}[${n}]["color"] is not a valid hex color code`);
    }
    if (description.includes('\0')) throw requestVariableInvalid(parameter, raw);
  }
}

/** @returns the options by the names that the service uses */
function joinOptions(parameters: {
  readonly invite_only: boolean;
  readonly is_announcement_only: boolean;
  readonly history_public_to_subscribers: boolean | null;
  readonly announce: boolean;
  readonly authorization_errors_fatal: boolean;
}): JoinOptions {
  return {
    inviteOnly: parameters.invite_only,
    isAnnouncementOnly: parameters.is_announcement_only,
    historyPublicToSubscribers: parameters.history_public_to_subscribers,
    announce: parameters.announce,
    authorizationErrorsFatal: parameters.authorization_errors_fatal,
  };
}

export const addSubscriptionsHandler = implement(
  addSubscriptionsEndpoint,
  async (context: SubscriptionsContext, { caller, parameters, rawText }) => {
    const { subscriptions, principals } = parameters;
    checkStreamsToJoin('subscriptions', rawText('subscriptions') ?? '', subscriptions);
    const options = joinOptions(parameters);
    return subscribePeople(context, { caller, subscriptions, principals, options });
  },
);

export const removeSubscriptionsHandler = implement(
  removeSubscriptionsEndpoint,
  async (context: SubscriptionsContext, { caller, parameters }) =>
    unsubscribePeople(context, {
      caller,
      streamNames: parameters.subscriptions,
      principals: parameters.principals,
    }),
);

export const changeSubscriptionsHandler = implement(
  changeSubscriptionsEndpoint,
  async (context: SubscriptionsContext, { caller, parameters, rawText }) => {
    const { add: subscriptions, delete: streamNames, principals } = parameters;
    checkStreamsToJoin('add', rawText('add') ?? '', subscriptions);
    const options = joinOptions(parameters);
    return changeSubscriptions(context, {
      caller,
      subscriptions,
      streamNames,
      principals,
      options,
    });
  },
);
