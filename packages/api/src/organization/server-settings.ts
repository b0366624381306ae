import { declareEndpoint } from '../declare/endpoint.ts';
import {
  boolean,
  described,
  listOf,
  mapOf,
  nullable,
  object,
  optional,
  text,
} from '../declare/schema.ts';

/** The requests of a client before it signs in. */

/** GET server_settings (contract, Server settings; reference facts, people 5.5). */
export const getServerSettingsEndpoint = declareEndpoint({
  name: 'get-server-settings',
  method: 'GET',
  path: '/server_settings',
  service: 'people',
  tag: 'Server',
  summary: 'Get the settings that a client needs before it signs in',
  description: 'An Authorization header is ignored.',
  access: { authentication: 'none' },
  parameters: [],
  success: object({
    authentication_methods: mapOf(boolean),
    service_version: text,
    zulip_version: text,
    push_notifications_enabled: boolean,
    is_incompatible: boolean,
    email_auth_enabled: boolean,
    require_email_format_usernames: boolean,
    signup_enabled: described(boolean, 'Whether `POST join/request` needs no invitation'),
    realm_uri: text,
    ...optional({
      realm_name: text,
      realm_icon: text,
      realm_logo: text,
      realm_night_logo: text,
      realm_description: described(text, 'HTML'),
    }),
    external_authentication_methods: described(
      listOf(
        object(
          {
            name: described(text, '`oidc:` and the id of an OpenID provider'),
            display_name: text,
            display_icon: nullable(text),
            login_url: described(text, 'The path of the page that begins a sign-in there'),
            signup_url: text,
          },
          { name: 'ExternalAuthenticationMethod' },
        ),
      ),
      'The preferred first',
    ),
  }),
});

/** GET generate_204 (reference facts, people 5.5), with which clients check whether they are online. */
export const generate204Endpoint = declareEndpoint({
  name: 'generate-204',
  method: 'GET',
  path: '/generate_204',
  service: 'people',
  tag: 'Server',
  summary: 'Answer with status 204 and no body',
  access: { authentication: 'none' },
  parameters: [],
  success: [{ status: 204, description: 'Nothing' }],
});
