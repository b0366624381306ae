import { authenticationMethodsSchema, integer, objectOf, realmSettings } from '@parley/api-schemas';
import {
  convertedNumber,
  defineEndpoint,
  json,
  jsonBoolean,
  jsonInteger,
  jsonOrText,
  noContent,
} from '@parley/http';
import type { JsonSchema } from '@parley/http';
import type { RealmSettings } from '@parley/store';

import type { PresenceContext } from '../context.ts';
import { changeRealm } from '../organization/change-realm.ts';
import { deactivateOrganization } from '../organization/deactivate-organization.ts';
import { policyValues } from '../organization/realm-settings.ts';
import { emptyAnswer } from './empty-answer.ts';

const administrators = { authentication: 'required', administratorsOnly: true } as const;
const on = (description: string) => ({ description }) as const;

function policy<const Name extends keyof typeof policyValues>(name: Name, description: string) {
  const schema = { type: 'integer', enum: policyValues[name] } as const;
  return json<Name, typeof schema, { readonly description: string }>(name, schema, on(description));
}

const retentionNumber = convertedNumber(
  'message_retention_days',
  on('Days that messages are kept'),
);
const retentionDays: typeof retentionNumber = {
  ...retentionNumber,
  // Empty means that it stays as it is.
  decode: (raw) => (raw.trim() === '' ? undefined : retentionNumber.decode(raw)),
};

const settingParameters = [
  jsonBoolean('emails_restricted_to_domains', on('New people have addresses of its domains')),
  jsonBoolean(
    'disallow_disposable_email_addresses',
    on('Addresses of throw-away services are refused'),
  ),
  jsonBoolean('invite_required', on('New people have to be invited')),
  jsonBoolean('invite_by_admins_only', on('Only administrators invite')),
  jsonBoolean('name_changes_disabled', on('People keep their names')),
  jsonBoolean('email_changes_disabled', on('People keep their addresses')),
  jsonBoolean('avatar_changes_disabled', on('People keep their avatars')),
  jsonBoolean('inline_image_preview', on('Messages show pictures that they link to')),
  jsonBoolean('inline_url_embed_preview', on('Messages show pages that they link to')),
  jsonBoolean('add_emoji_by_admins_only', on('Only administrators add custom emoji')),
  jsonBoolean('allow_message_deleting', on('People delete their own messages')),
  convertedNumber('message_content_delete_limit_seconds', on('For so long; 0 for ever')),
  jsonBoolean('allow_message_editing', on('Messages may be edited')),
  jsonBoolean('allow_community_topic_editing', on('People change topics of messages of others')),
  jsonBoolean('mandatory_topics', on('Clients ask for a topic')),
  convertedNumber(
    'message_content_edit_limit_seconds',
    on('Content is edited for so long; 0 for ever'),
  ),
  jsonBoolean('allow_edit_history', on('What messages were before is shown')),
  jsonOrText('default_language', on('A language code')),
  convertedNumber('waiting_period_threshold', on('Days until somebody is no longer new')),
  retentionDays,
  jsonBoolean('send_welcome_emails', on('New people get a mail')),
  jsonBoolean('digest_emails_enabled', on('Digests are mailed')),
  jsonBoolean('message_content_allowed_in_email_notifications', on('Mails show messages')),
  policy(
    'bot_creation_policy',
    '1 everybody makes bots, 2 generic ones only administrators, 3 only administrators',
  ),
  policy('create_stream_policy', '1 members, 2 administrators, 3 after the waiting period'),
  policy('invite_to_stream_policy', '1 members, 2 administrators, 3 after the waiting period'),
  policy('user_group_edit_policy', '1 members, 2 administrators'),
  policy('email_address_visibility', '1 everybody sees addresses, 3 administrators'),
  jsonBoolean('default_twenty_four_hour_time', on('Times run to 24 hours for new people')),
  jsonInteger('video_chat_provider', on('1 Jitsi Meet, 2 Google Hangouts, 3 Zoom')),
  policy('digest_weekday', '0 Monday to 6 Sunday'),
] as const;

type Given = { readonly [name: string]: unknown };

/** @returns what a request asks for; settings that it does not name are absent */
function givenSettings(parameters: Given): Partial<RealmSettings> {
  return Object.fromEntries(
    settingParameters
      .map(({ name }) => [name, parameters[name]] as const)
      .filter(([, value]) => value !== undefined),
  );
}

/** What is answered for a text that changed. */
const updated: JsonSchema = { const: 'updated' };

/** PATCH realm (reference facts, people 14.1). */
export const changeRealmEndpoint = defineEndpoint({
  name: 'change-realm',
  method: 'PATCH',
  path: '/realm',
  summary: 'Change settings of the organization',
  description:
    'The answer holds what really changed: the new values, for texts the word `updated`. The three settings of message editing come together.',
  example: {
    parameters: {
      description: 'We build, mend and rent out *small* wooden boats.',
      waiting_period_threshold: 3,
    },
  },
  access: administrators,
  parameters: [
    jsonOrText('name', on('At most 40 characters')),
    jsonOrText('description', on('At most 1000 characters')),
    ...settingParameters,
    json(
      'authentication_methods',
      { type: 'object', additionalProperties: { type: 'boolean' } },
      on('Ways to sign in, by the names that register tells'),
    ),
    jsonInteger('notifications_stream_id', on('New streams are announced there; negative is none')),
    jsonInteger(
      'signup_notifications_stream_id',
      on('New people are announced there; negative is none'),
    ),
  ],
  response: objectOf(
    {},
    {
      ...Object.fromEntries(
        Object.entries(realmSettings).map(([name, schema]) => [
          name,
          schema.type === 'string' ? updated : schema,
        ]),
      ),
      name: updated,
      description: updated,
      authentication_methods: authenticationMethodsSchema,
      notifications_stream_id: integer,
      signup_notifications_stream_id: integer,
    },
  ),
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL', 'REQUEST_VARIABLE_INVALID'],
  handler: (context: PresenceContext, { caller, parameters }) => {
    const { name, description } = parameters;
    const methods = parameters.authentication_methods;
    const notificationsStreamId = parameters.notifications_stream_id;
    const signupNotificationsStreamId = parameters.signup_notifications_stream_id;
    return changeRealm(context, caller, {
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
      settings: givenSettings(parameters),
      ...(methods !== undefined && { authenticationMethods: methods }),
      ...(notificationsStreamId !== undefined && { notificationsStreamId }),
      ...(signupNotificationsStreamId !== undefined && { signupNotificationsStreamId }),
    });
  },
});

/** POST realm/deactivate (reference facts, people 14.4). */
export const deactivateRealmEndpoint = defineEndpoint({
  name: 'deactivate-realm',
  method: 'POST',
  path: '/realm/deactivate',
  summary: 'Deactivate the organization',
  description: 'Every later request is refused, whoever makes it.',
  access: administrators,
  parameters: [],
  response: emptyAnswer,
  errors: ['UNAUTHORIZED_PRINCIPAL'],
  handler: async (context: PresenceContext, { caller }) => {
    await deactivateOrganization(context, caller);
    return {};
  },
});

/** GET generate_204 (reference facts, people 5.5): clients ask it whether they are online. */
export const generate204Endpoint = defineEndpoint({
  name: 'generate-204',
  method: 'GET',
  path: '/generate_204',
  summary: 'Answer nothing, with status 204',
  access: { authentication: 'none' },
  parameters: [],
  response: emptyAnswer,
  rawResponse: { status: 204, description: 'Nothing' },
  handler: () => noContent,
});
