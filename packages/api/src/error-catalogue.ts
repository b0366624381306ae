/**
 * Every refusal that a client can see. Texts are those of the contract (Errors) and the reference facts (people 2 to 4). Clients should act
 * on `code`, but some read the text, so both are stable.
 */

/** One form of the answer with a code. `{x}` marks a value that is filled in. */
export type ErrorForm = {
  readonly status: number;
  readonly text: string;
  readonly fields: readonly string[];
  readonly when: string;
};

/** All codes, with every form of their answers. Documentation is generated from this table. */
export const errorCatalogue = {
  BAD_REQUEST: [
    {
      status: 400,
      text: '{varies}',
      fields: [],
      when: 'the request is refused for the reason named in the text',
    },
    {
      status: 400,
      text: 'An owner may have at most {max} active bots.',
      fields: [],
      when: 'a bot is created, reactivated or given away beyond `PARLEY_BOTS_PER_OWNER_MAX`',
    },
    {
      status: 400,
      text: 'You already have {max} event queues, the maximum.',
      fields: [],
      when: 'an account registers more than `PARLEY_QUEUES_PER_USER_MAX`',
    },
    {
      status: 400,
      text: 'A bot owner and their bots may have at most {max} event queues together.',
      fields: [],
      when: 'they register more than `PARLEY_BUDGETS_PER_OWNER_MAX` times that',
    },
    {
      status: 400,
      text: 'One request may create at most {max} streams.',
      fields: [],
      when: 'somebody who is no administrator names more new streams than `PARLEY_NEW_STREAMS_PER_REQUEST_MAX`',
    },
    {
      status: 400,
      text: 'An organization may have at most {max} {elements}.',
      fields: [],
      when: 'there would be more accounts, bots, streams or subscriptions than `PARLEY_ACCOUNTS_MAX`, `PARLEY_BOTS_MAX`, `PARLEY_STREAMS_MAX` or `PARLEY_SUBSCRIPTIONS_MAX`',
    },
    {
      status: 400,
      text: 'The texts of all {elements} may have at most {max} bytes together.',
      fields: [],
      when: 'names, descriptions or other texts of a list that everybody gets would be larger than `PARLEY_LIST_TEXTS_MAX_KIB`',
    },
    {
      status: 400,
      text: 'A bot owner and their bots may add at most {max} {elements} in a day.',
      fields: [],
      when: 'people who are no administrators make more in a day than `PARLEY_NEW_STREAMS_PER_DAY_MAX`, `PARLEY_NEW_SUBSCRIPTIONS_PER_DAY_MAX` or twice `PARLEY_BOTS_PER_OWNER_MAX`, or texts of more than a sixteenth of `PARLEY_LIST_TEXTS_MAX_KIB`',
    },
    {
      status: 400,
      text: '{parameter} is too long (limit: {max} {unit})',
      fields: [],
      when: 'a text has more characters, or a list more items, than its parameter takes; names and descriptions of streams, groups and profiles among them',
    },
  ],
  REQUEST_VARIABLE_MISSING: [
    {
      status: 400,
      text: "Missing '{var_name}' argument",
      fields: ['var_name'],
      when: 'a required parameter is absent',
    },
  ],
  REQUEST_VARIABLE_INVALID: [
    {
      status: 400,
      text: "Bad value for '{var_name}': {bad_value}",
      fields: ['var_name', 'bad_value'],
      when: 'a parameter cannot be converted',
    },
  ],
  REQUEST_CONFUSING_VAR: [
    {
      status: 400,
      text: "Can't decide between '{var_name1}' and '{var_name2}' arguments",
      fields: ['var_name1', 'var_name2'],
      when: 'two names of one parameter are both given',
    },
  ],
  INVALID_JSON: [
    { status: 400, text: 'Malformed JSON', fields: [], when: 'the body of a webhook is not JSON' },
  ],
  BAD_IMAGE: [
    {
      status: 400,
      text: 'Could not decode image; did you upload an image file?',
      fields: [],
      when: 'an avatar, emoji, icon or logo is not a usable image',
    },
    {
      status: 400,
      text: 'Image size exceeds limit.',
      fields: [],
      when: 'an image has too many pixels',
    },
  ],
  REALM_UPLOAD_QUOTA: [
    {
      status: 400,
      text: "Upload would exceed your organization's upload quota.",
      fields: [],
      when: 'the upload quota is used up',
    },
  ],
  BAD_NARROW: [
    {
      status: 400,
      text: 'Invalid narrow operator: {desc}',
      fields: ['desc'],
      when: 'a narrow cannot be understood',
    },
  ],
  CANNOT_DEACTIVATE_LAST_USER: [
    {
      status: 400,
      text: 'Cannot deactivate the only {entity}.',
      fields: ['is_last_admin', 'entity'],
      when: 'the last administrator or the last user deactivates itself',
    },
  ],
  MISSING_HTTP_EVENT_HEADER: [
    {
      status: 400,
      text: "Missing the HTTP event header '{header}'",
      fields: ['header'],
      when: 'a webhook comes without the header that names its event',
    },
  ],
  STREAM_DOES_NOT_EXIST: [
    {
      status: 400,
      text: "Stream '{stream}' does not exist",
      fields: ['stream'],
      when: 'a message is sent to an unknown stream name, or one that is closed to its sender (HTML-escaped in text and field)',
    },
    {
      status: 400,
      text: "Stream with ID '{stream_id}' does not exist",
      fields: ['stream_id'],
      when: 'a message is sent to an unknown stream id, or one that is closed to its sender',
    },
    {
      status: 400,
      text: 'Stream(s) ({names}) do not exist',
      fields: ['stream'],
      when: 'subscriptions are removed from unknown streams; `stream` is the first of them',
    },
  ],
  UNAUTHORIZED_PRINCIPAL: [
    {
      status: 403,
      text: "User not authorized to execute queries on behalf of '{principal}'",
      fields: ['principal'],
      when: 'a principal is unknown or deactivated',
    },
    {
      status: 400,
      text: 'Must be an organization administrator',
      fields: [],
      when: 'an administrator-only endpoint is called by somebody else',
    },
  ],
  UNEXPECTED_WEBHOOK_EVENT_TYPE: [
    {
      status: 400,
      text: "The '{event_type}' event isn't currently supported by the {webhook_name} webhook",
      fields: ['webhook_name', 'event_type'],
      when: 'a webhook brings an event that its integration does not handle',
    },
  ],
  BAD_EVENT_QUEUE_ID: [
    {
      status: 400,
      text: 'Bad event queue id: {queue_id}',
      fields: ['queue_id'],
      when: 'an event queue is unknown, deleted or garbage-collected; register again',
    },
  ],
  INVITATION_FAILED: [
    {
      status: 400,
      text: '{varies}',
      fields: ['errors', 'sent_invitations'],
      when: 'some or all invitations could not be sent',
    },
  ],
  INVALID_API_KEY: [
    {
      status: 401,
      text: 'Invalid API key',
      fields: [],
      when: 'the `api_key` parameter is unknown',
    },
    {
      status: 401,
      text: 'Malformed API key',
      fields: [],
      when: 'the `api_key` parameter is not 32 letters and digits',
    },
  ],
  IDEMPOTENCY_KEY_REUSED: [
    {
      status: 409,
      text: 'This idempotency key was used for another message',
      fields: [],
      when: 'an `Idempotency-Key` header was used before, within a day, for a message of other content or to others',
    },
  ],
  SERVICE_UNAVAILABLE: [
    {
      status: 503,
      text: 'Service temporarily unavailable',
      fields: [],
      when: 'a store or service is away or has too much to do; repeat after the seconds in `Retry-After`',
    },
  ],
  OUTCOME_UNKNOWN: [
    {
      status: 504,
      text: 'It is not known whether the change was made',
      fields: [],
      when: 'a service or store was lost while it made a change, or a fault of the server came after it; look whether it was made before you repeat the request',
    },
  ],
} as const satisfies Record<string, readonly ErrorForm[]>;

export type ErrorCode = keyof typeof errorCatalogue;

/** Errors without a `code`, beside the plain refusals of single endpoints. For documentation. */
export const errorsWithoutCode: readonly ErrorForm[] = [
  {
    status: 401,
    text: 'Not logged in: API authentication or user session required',
    fields: [],
    when: 'no credentials were given, or their session has ended; also other texts for bad ones, with `WWW-Authenticate: Basic realm="zulip"` except in pages of this server',
  },
  {
    status: 403,
    text: 'A session works only in pages of this server.',
    fields: [],
    when: 'a request by the cookie of a session, or `POST sessions`, has neither `Sec-Fetch-Site: same-origin` nor an equal `Origin`',
  },
  {
    status: 403,
    text: 'Give your password too, or sign in again in this browser.',
    fields: ['reason'],
    when: 'a key, an address or a way to sign in would be replaced or added without proof that the person is there; `reason` is `proof required`',
  },
  {
    status: 400,
    text: 'This endpoint requires HTTP basic authentication.',
    fields: [],
    when: 'the Authorization header has another scheme',
  },
  {
    status: 401,
    text: 'This API is not available to incoming webhook bots.',
    fields: [],
    when: 'an incoming-webhook bot calls anything but sending a message',
  },
  {
    status: 400,
    text: 'This endpoint does not accept bot requests.',
    fields: [],
    when: 'a bot calls an endpoint for humans',
  },
  {
    status: 400,
    text: 'Request exceeds storage limit by {excess} {unit}. The limit is {max} {unit}.',
    fields: [],
    when: 'an account would keep more than 10,000 keys, or more than 10,000,000 characters, in `bot_storage`',
  },
  {
    status: 400,
    text: 'Missing Host header',
    fields: [],
    when: 'a request of HTTP/1.1 names no host; the connection ends',
  },
  {
    status: 400,
    text: 'Duplicate {name} header',
    fields: [],
    when: 'a header that says one thing stands twice: Host, Authorization, Content-Type, Content-Length, Transfer-Encoding, Idempotency-Key or Last-Event-ID; the connection ends',
  },
  { status: 404, text: 'Not found', fields: [], when: 'the path is unknown' },
  {
    status: 405,
    text: 'Method Not Allowed',
    fields: ['allowed_methods'],
    when: 'the path exists, but not with this method',
  },
  {
    status: 413,
    text: 'Request body is too large',
    fields: [],
    when: 'a body is larger than its endpoint takes',
  },
  {
    status: 429,
    text: 'API usage exceeded rate limit',
    fields: ['retry-after'],
    when: 'a user, or a bot owner and their bots together, have sent too many requests, or an account got too many wrong passwords; repeat after the seconds in `Retry-After`',
  },
  {
    status: 500,
    text: 'Internal server error',
    fields: [],
    when: 'a fault of the server; a change that may not be made twice was not made, of others it is not known',
  },
];
