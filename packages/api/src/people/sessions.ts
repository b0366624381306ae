import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { pathInteger, textParameter } from '../declare/parameters.ts';
import {
  boolean,
  described,
  integer,
  listOf,
  object,
  optional,
  text,
  timestamp,
} from '../declare/schema.ts';
import { limits } from '../limits.ts';
import { signInRefusal, username } from './sign-in.ts';

/** Sessions of people in browsers, by cookie (decision 0048). */

const access = { authentication: 'required', bots: 'refused' } as const;

const sessionId = integer;

/** POST sessions: signs in the browser. */
export const openSessionEndpoint = declareEndpoint({
  name: 'open-session',
  method: 'POST',
  afterLoss: 'lapses',
  path: '/sessions',
  service: 'people',
  tag: 'Server',
  summary: 'Sign in a browser by the password of an account',
  description: [
    "The answer sets a cookie that only the browser reads. The browser's next requests to this server are then those of the account, as with its key: calls, streams of events, uploads and pictures. An `Authorization` header takes precedence over the cookie, also if it is wrong.",
    'A browser that signs in for the first time gets a second cookie. It signs nobody in, but the browser is known by it, and wrong passwords of strangers do not keep the person out there.',
    "The request must come from a page of this server, and so must every request by the cookie: with `Sec-Fetch-Site: same-origin`, or with an `Origin` equal to the server's address, as browsers send them; otherwise the answer is 403. Programs use a key instead.",
    `Each sign-in opens a new session and ends the one that the browser had. A person has at most ${limits.sessionsMax} sessions; the one that was not used for longest ends for another one. A session ends 30 days after its last use (\`PARLEY_SESSION_IDLE_DAYS\`), with a new password or key of the account, and with its deactivation. Its polls and streams of events end then too.`,
  ].join('\n\n'),
  example: {
    as: 'nobody',
    parameters: { username: exampleVariables.email, password: exampleVariables.password },
    headers: { 'Sec-Fetch-Site': 'same-origin' },
  },
  access: { authentication: 'none' },
  parameters: [
    username,
    textParameter('password', {
      description:
        'The password of the account. A development server signs in without one, any account that `GET dev_list_users` lists.',
    }),
  ],
  success: object({
    session_id: described(sessionId, 'The new session'),
    user_id: integer,
    email: described(text, 'the real address'),
  }),
  errors: ['BAD_REQUEST', 'REQUEST_VARIABLE_MISSING'],
  refusals: [
    signInRefusal,
    { status: 403, description: 'The request does not come from a page of this server' },
    { status: 429, description: 'Too many wrong passwords' },
  ],
  judgesPassword: true,
  opensSession: true,
});

/** GET sessions. */
export const listSessionsEndpoint = declareEndpoint({
  name: 'list-sessions',
  method: 'GET',
  path: '/sessions',
  service: 'people',
  tag: 'Own account',
  summary: 'List the browsers where the caller is signed in',
  access,
  parameters: [],
  success: object({
    sessions: described(
      listOf(
        object(
          {
            session_id: sessionId,
            device: described(text, 'What the browser called itself when it signed in'),
            created_at: described(timestamp, 'When it signed in, seconds since 1970'),
            last_used_at: described(
              timestamp,
              'Its last use, seconds since 1970; some minutes old while the session is in use',
            ),
            is_current: described(boolean, 'Whether this request came by it'),
          },
          { name: 'Session' },
        ),
      ),
      'The newest first',
    ),
  }),
});

/** DELETE sessions/{session_id}. */
export const endSessionEndpoint = declareEndpoint({
  name: 'end-session',
  method: 'DELETE',
  path: '/sessions/{session_id}',
  service: 'people',
  tag: 'Own account',
  summary: 'Sign out one browser of the caller',
  description:
    'A browser signs itself out with the id of its own session; the answer then removes its cookie. If the session began at an OpenID provider where people can be signed out too, the answer has the address.',
  example: { parameters: { session_id: exampleVariables.sessionId } },
  access,
  parameters: [pathInteger('session_id', { description: 'The id of the session' })],
  success: object({
    ...optional({
      sign_out_url: described(text, 'Where the browser goes to sign out at the provider too'),
    }),
  }),
  takesHeaders: ['cookie'],
  limits: { waitMaxMs: limits.identityProviderWaitMaxMs },
});

/** DELETE sessions. */
export const endOtherSessionsEndpoint = declareEndpoint({
  name: 'end-other-sessions',
  method: 'DELETE',
  path: '/sessions',
  service: 'people',
  tag: 'Own account',
  summary: 'Sign out all other browsers of the caller',
  description: 'The session of the request stays. A request with a key ends all sessions.',
  access,
  parameters: [],
  success: object({}),
});
