import { noRecipients, sendMessageEndpoint } from '@parley/api/messages';
import { badRequest } from '@parley/api';
import { implement } from '@parley/server';

import type { MessagesContext } from '../context.ts';

const deliveryTypes = new Set(['send_now', 'send_later', 'remind']);
const affirmatives = new Set(['yes', 'true']);

/** POST messages (contract, Messages; reference facts, messages 3). */
export const sendMessageHandler = implement(
  sendMessageEndpoint,
  async (context: MessagesContext, { caller, parameters, clientName, requestId, header }) => {
    // No account here may send on behalf of others.
    if (affirmatives.has(parameters.forged ?? ''))
      throw badRequest('User not authorized for this query');
    if (
      parameters.realm_str !== undefined &&
      parameters.realm_str !== (await context.sender.realmStringId())
    ) {
      throw badRequest('User not authorized for this query');
    }
    const { delivery_type: deliveryType } = parameters;
    if (!deliveryTypes.has(deliveryType))
      throw badRequest(`Invalid delivery_type: '${deliveryType}'`);
    const request = {
      senderId: caller.userId,
      type: parameters.type,
      to: parameters.to ?? noRecipients,
      topic: parameters.topic,
      content: parameters.content,
      clientName,
      requestId,
      idempotencyKey: header('idempotency-key'),
      queueId: parameters.queue_id,
      localId: parameters.local_id,
      widgetContent: parameters.widget_content,
    };
    if (deliveryType === 'send_now') return { id: await context.sender.send(request) };
    return {
      deliver_at: await context.deferredMessages.defer({
        ...request,
        deliveryType,
        deliverAt: parameters.deliver_at,
        tzGuess: parameters.tz_guess,
      }),
    };
  },
);
