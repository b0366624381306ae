import { changeRealmEndpoint, deactivateRealmEndpoint } from '@parley/api/organization';
import { implement } from '@parley/server';
import { changeRealm, deactivateOrganization } from '@parley/people';
import type { PeopleContext } from '@parley/people';

export const changeRealmHandler = implement(
  changeRealmEndpoint,
  (context: PeopleContext, { caller, parameters }) => {
    const {
      name,
      description,
      authentication_methods: authenticationMethods,
      notifications_stream_id: notificationsStreamId,
      signup_notifications_stream_id: signupNotificationsStreamId,
      // With the parameters that only refuse, whose value is always undefined.
      ...settings
    } = parameters;
    return changeRealm(context, caller, {
      name,
      description,
      settings,
      authenticationMethods,
      notificationsStreamId,
      signupNotificationsStreamId,
    });
  },
);

export const deactivateRealmHandler = implement(
  deactivateRealmEndpoint,
  async (context: PeopleContext, { caller }) => {
    await deactivateOrganization(context, caller);
    return {};
  },
);
