import { declareEndpoint } from '../declare/endpoint.ts';
import {
  booleanParameter,
  customParameter,
  integerParameter,
  jsonOrTextParameter,
  jsonParameter,
  numberParameter,
} from '../declare/parameters.ts';
import {
  boolean,
  constant,
  each,
  integer,
  mapOf,
  object,
  oneOfIntegers,
  optional,
} from '../declare/schema.ts';
import type { Value } from '../declare/schema.ts';
import { requestVariableInvalid, withoutCode } from '../errors.ts';
import { authenticationMethodsSchema } from './objects.ts';
import { policyValues, realmSettings } from './settings.ts';

/** The organization itself. */

const administrators = { authentication: 'required', administratorsOnly: true } as const;
const on = (description: string): { readonly description: string } => ({ description });

function policyParameter<const Name extends keyof typeof policyValues>(
  name: Name,
  description: string,
) {
  return jsonParameter(name, oneOfIntegers(policyValues[name]), on(description));
}

/** Messages are kept without end, which is the meaning of `-1` (reference facts, people 14.1); an empty value is ignored. */
const retentionDaysParameter = customParameter(
  'message_retention_days',
  { encoding: 'json', schema: constant(-1), ...on('-1: messages are kept for ever') },
  (raw, name) => {
    const days = raw.trim();
    if (days === '' || days === '-1') return undefined;
    throw /^-?\d+$/.test(days)
      ? withoutCode('Message retention is not supported.')
      : requestVariableInvalid(name, raw);
  },
);

/** Calls with Zoom are not supported, so their values are refused (reference facts, people 14.1); an empty value is ignored. */
function zoomParameter<const Name extends string>(name: Name) {
  return customParameter(
    name,
    { encoding: 'json', schema: constant(''), ...on('Empty: there are no calls to Zoom') },
    (raw) => {
      if (raw !== '' && raw !== '""') throw withoutCode('Calls to Zoom are not supported.');
      return undefined;
    },
  );
}

const settingParameters = [
  booleanParameter('emails_restricted_to_domains', on('New people have addresses of its domains')),
  booleanParameter(
    'disallow_disposable_email_addresses',
    on('Addresses of throw-away services are refused'),
  ),
  booleanParameter('invite_required', on('New people have to be invited')),
  booleanParameter('invite_by_admins_only', on('Only administrators invite')),
  booleanParameter('name_changes_disabled', on('People keep their names')),
  booleanParameter('email_changes_disabled', on('People keep their addresses')),
  booleanParameter('avatar_changes_disabled', on('People keep their avatars')),
  booleanParameter('inline_image_preview', on('Messages show pictures that they link to')),
  booleanParameter('inline_url_embed_preview', on('Messages show pages that they link to')),
  booleanParameter('add_emoji_by_admins_only', on('Only administrators add custom emoji')),
  booleanParameter('allow_message_deleting', on('People delete their own messages')),
  numberParameter('message_content_delete_limit_seconds', on('For so long; 0 for ever')),
  booleanParameter('allow_message_editing', on('Messages may be edited')),
  booleanParameter(
    'allow_community_topic_editing',
    on('People change topics of messages of others'),
  ),
  booleanParameter('mandatory_topics', on('Clients ask for a topic')),
  booleanParameter(
    'send_move_notices',
    on('Messages that move to another topic leave a notice in both'),
  ),
  numberParameter(
    'message_content_edit_limit_seconds',
    on('Content is edited for so long; 0 for ever'),
  ),
  booleanParameter('allow_edit_history', on('What messages were before is shown')),
  jsonOrTextParameter('default_language', on('A language code')),
  numberParameter('waiting_period_threshold', on('Days until somebody is no longer new')),
  booleanParameter('send_welcome_emails', on('New people get a mail')),
  booleanParameter('digest_emails_enabled', on('Digests are mailed')),
  booleanParameter('message_content_allowed_in_email_notifications', on('Mails show messages')),
  policyParameter(
    'bot_creation_policy',
    '1 everybody creates bots, 2 only administrators create generic ones, 3 only administrators create bots',
  ),
  policyParameter(
    'create_stream_policy',
    '1 members, 2 administrators, 3 after the waiting period',
  ),
  policyParameter(
    'invite_to_stream_policy',
    '1 members, 2 administrators, 3 after the waiting period',
  ),
  policyParameter('user_group_edit_policy', '1 members, 2 administrators'),
  policyParameter('email_address_visibility', '1 everybody sees addresses, 3 administrators'),
  booleanParameter('default_twenty_four_hour_time', on('Times run to 24 hours for new people')),
  integerParameter('video_chat_provider', on('1 Jitsi Meet, 2 Google Hangouts')),
  jsonOrTextParameter(
    'google_hangouts_domain',
    on('Where calls of Google Hangouts are; empty only without them'),
  ),
  policyParameter('digest_weekday', '0 Monday to 6 Sunday'),
] as const;

const changedRealmSchema = object(
  optional({
    ...realmSettings,
    // Clients depend on these texts.
    ...each(
      ['default_language', 'google_hangouts_domain', 'name', 'description'],
      constant('updated'),
    ),
    authentication_methods: authenticationMethodsSchema,
    notifications_stream_id: integer,
    signup_notifications_stream_id: integer,
  }),
);

/** The actual changes of the organization: the new values, or for texts the word `updated`. */
export type ChangedRealm = Value<typeof changedRealmSchema>;

/** PATCH realm (reference facts, people 14.1). */
export const changeRealmEndpoint = declareEndpoint({
  name: 'change-realm',
  method: 'PATCH',
  path: '/realm',
  service: 'people',
  tag: 'Organization',
  summary: 'Change settings of the organization',
  description:
    'The answer contains the actual changes: the new values, or for texts the word `updated`. The three settings of message editing are answered together.',
  example: {
    parameters: {
      description: 'We build, mend and rent out *small* wooden boats.',
      waiting_period_threshold: 3,
    },
  },
  access: administrators,
  parameters: [
    jsonOrTextParameter('name', on('At most 40 characters')),
    jsonOrTextParameter('description', on('At most 1000 characters')),
    ...settingParameters,
    retentionDaysParameter,
    zoomParameter('zoom_user_id'),
    zoomParameter('zoom_api_key'),
    zoomParameter('zoom_api_secret'),
    jsonParameter(
      'authentication_methods',
      mapOf(boolean),
      on('Ways to sign in, by the names that register tells'),
    ),
    integerParameter(
      'notifications_stream_id',
      on('New streams are announced there; negative is none'),
    ),
    integerParameter(
      'signup_notifications_stream_id',
      on('New people are announced there; negative is none'),
    ),
  ],
  success: changedRealmSchema,
  errors: ['BAD_REQUEST', 'UNAUTHORIZED_PRINCIPAL', 'REQUEST_VARIABLE_INVALID'],
});

/** POST realm/deactivate (reference facts, people 14.4). */
export const deactivateRealmEndpoint = declareEndpoint({
  name: 'deactivate-realm',
  method: 'POST',
  path: '/realm/deactivate',
  service: 'people',
  tag: 'Organization',
  summary: 'Deactivate the organization',
  description: 'Every later request of any account is refused.',
  access: administrators,
  parameters: [],
  success: object({}),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
});
