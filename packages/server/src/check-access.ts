import {
  botTypes,
  mustBeAdministrator,
  notAllowedForGuests,
  notAuthenticated,
  notForBots,
  notForIncomingWebhookBots,
  scimTokenRequired,
} from '@parley/api';
import type { Caller, EndpointAccess } from '@parley/api';

/**
 * Refuses callers that the declaration does not admit (reference facts, people 3 and 4), in their order: nobody,
 * incoming-webhook bots, non-administrators, guests, bots.
 *
 * @throws ApiError 401 or 400
 */
export function checkAccess(access: EndpointAccess, caller: Caller | null | undefined): void {
  if (access.authentication === 'none') return;
  if (access.authentication === 'scim token') {
    if (caller?.scimTokenId === undefined) throw scimTokenRequired();
    return;
  }
  // A token of SCIM is for SCIM alone.
  if (!caller || caller.scimTokenId !== undefined) throw notAuthenticated();
  if (caller.botType === botTypes.incomingWebhook && access.incomingWebhookBots !== 'allowed') {
    throw notForIncomingWebhookBots();
  }
  if (access.administratorsOnly === true && caller.role !== 'administrator')
    throw mustBeAdministrator();
  if (access.guests === 'refused' && caller.role === 'guest') throw notAllowedForGuests();
  if (access.bots === 'refused' && caller.botType !== null) throw notForBots();
}
