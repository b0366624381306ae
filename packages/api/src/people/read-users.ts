import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { booleanParameter, pathInteger } from '../declare/parameters.ts';
import { boolean, described, integer, listOf, object, optional, text } from '../declare/schema.ts';
import { memberSchema, profileDataSchema } from './objects.ts';

/** GET users/me (contract, Profile; reference facts, people 7.2). */
export const getOwnProfileEndpoint = declareEndpoint({
  name: 'get-own-profile',
  method: 'GET',
  path: '/users/me',
  service: 'people',
  tag: 'Own account',
  summary: "Get the caller's profile",
  access: { authentication: 'required' },
  parameters: [],
  success: object({
    user_id: integer,
    email: text,
    full_name: text,
    short_name: text,
    avatar_url: text,
    is_admin: boolean,
    is_bot: boolean,
    pointer: described(integer, '-1 for a new account'),
    client_id: described(text, 'another one on every call'),
    max_message_id: described(
      integer,
      'the newest message that the account sent, -1 if there is none',
    ),
    ...optional({ profile_data: profileDataSchema }),
  }),
});

const clientGravatar = booleanParameter('client_gravatar', {
  default: false,
  description: 'avatar_url is null for accounts whose avatar is a Gravatar',
});
const includeCustomProfileFields = booleanParameter('include_custom_profile_fields', {
  default: false,
  description: 'Add profile_data for people',
});

/** GET users (contract, User; reference facts, people 7.1). */
export const listUsersEndpoint = declareEndpoint({
  name: 'list-users',
  method: 'GET',
  path: '/users',
  service: 'people',
  tag: 'People',
  summary: 'List all accounts, active and deactivated, by ascending id',
  access: { authentication: 'required' },
  parameters: [clientGravatar, includeCustomProfileFields],
  success: object({ members: listOf(memberSchema) }),
});

/** GET users/{user_id} (reference facts, people 1). */
export const getUserEndpoint = declareEndpoint({
  name: 'get-user',
  method: 'GET',
  path: '/users/{user_id}',
  service: 'people',
  tag: 'People',
  summary: 'Get one account, active or deactivated',
  example: { parameters: { user_id: exampleVariables.userId } },
  access: { authentication: 'required' },
  parameters: [
    pathInteger('user_id', { description: 'The id of the person or bot' }),
    clientGravatar,
    includeCustomProfileFields,
  ],
  success: object({ user: memberSchema }),
  errors: ['BAD_REQUEST'],
});
