import {
  changeSubscriptionPropertiesEndpoint,
  changeSubscriptionPropertyEndpoint,
} from '@parley/api/streams';
import { implement } from '@parley/server';

import type { SubscriptionsContext } from '../context.ts';
import { changeProperties } from '../subscribing/subscription-properties.ts';

export const changeSubscriptionPropertiesHandler = implement(
  changeSubscriptionPropertiesEndpoint,
  async (context: SubscriptionsContext, { caller, parameters }) => {
    await changeProperties(context, caller, parameters.subscription_data);
    return {
      subscription_data: parameters.subscription_data.map(({ stream_id, property, value }) => ({
        stream_id,
        property,
        value,
      })),
    };
  },
);

export const changeSubscriptionPropertyHandler = implement(
  changeSubscriptionPropertyEndpoint,
  async (context: SubscriptionsContext, { caller, parameters }) => {
    const { stream_id, property } = parameters;
    // Raw text: the value of a colour; for all other properties it should be a boolean.
    const isBoolean = property !== 'color' && /^(?:true|false)$/.test(parameters.value);
    const value = isBoolean ? parameters.value === 'true' : parameters.value;
    const change = { stream_id, property, value };
    await changeProperties(context, caller, [change]);
    return { subscription_data: [change] };
  },
);
