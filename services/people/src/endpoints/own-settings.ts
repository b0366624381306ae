import {
  changeDisplaySettingsEndpoint,
  changeNotificationSettingsEndpoint,
  changeOwnAccountEndpoint,
  markHotspotSeenEndpoint,
  setEnterSendsEndpoint,
} from '@parley/api/people';
import {
  changeDisplaySettings,
  changeNotificationSettings,
  changeOwnAccount,
  givenMembers,
  markHotspotSeen,
  setEnterSends,
} from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement } from '@parley/server';

/** PATCH settings (reference facts, people 9). */
export const changeOwnAccountHandler = implement(
  changeOwnAccountEndpoint,
  (context: PeopleContext, { caller, parameters }) =>
    changeOwnAccount(context, caller, {
      fullName: parameters.full_name,
      email: parameters.email,
      oldPassword: parameters.old_password,
      newPassword: parameters.new_password,
    }),
);

/** PATCH settings/display (reference facts, people 9). */
export const changeDisplaySettingsHandler = implement(
  changeDisplaySettingsEndpoint,
  (context: PeopleContext, { caller, parameters }) =>
    changeDisplaySettings(context, caller, givenMembers(parameters)),
);

/** PATCH settings/notifications (reference facts, people 9). */
export const changeNotificationSettingsHandler = implement(
  changeNotificationSettingsEndpoint,
  (context: PeopleContext, { caller, parameters }) =>
    changeNotificationSettings(context, caller, givenMembers(parameters)),
);

/** POST users/me/enter-sends (reference facts, people 9). */
export const setEnterSendsHandler = implement(
  setEnterSendsEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await setEnterSends(context, caller, parameters.enter_sends);
    return {};
  },
);

/** POST users/me/hotspots (reference facts, events 15.6). */
export const markHotspotSeenHandler = implement(
  markHotspotSeenEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await markHotspotSeen(context, caller, parameters.hotspot);
    return {};
  },
);
