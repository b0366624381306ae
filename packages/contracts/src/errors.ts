/**
 * The single error catalogue. Every refusal a client can see is listed here, and `ApiError` can be
 * made only by the functions below, so that code, status and extra fields cannot drift apart.
 * Texts are those of the contract (Errors) and the reference facts (people 2 to 4); clients should act
 * on `code`, but some read the text, so both are stable.
 */

/** One shape in which a code is answered. `{x}` marks a value filled in. */
export type ErrorForm = {
  readonly status: number;
  readonly text: string;
  readonly fields: readonly string[];
  readonly when: string;
};

/** All codes, with every form in which each is answered. Documentation is generated from this table. */
export const errorCatalogue = {
  BAD_REQUEST: [
    {
      status: 400,
      text: '{varies}',
      fields: [],
      when: 'the request is refused for the reason named in the text',
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
      when: 'a message is sent to an unknown stream name (HTML-escaped in text and field)',
    },
    {
      status: 400,
      text: "Stream with ID '{stream_id}' does not exist",
      fields: ['stream_id'],
      when: 'a message is sent to an unknown stream id',
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
} as const satisfies Record<string, readonly ErrorForm[]>;

export type ErrorCode = keyof typeof errorCatalogue;

/** Errors that carry no `code`, beside the plain refusals of single endpoints. For documentation. */
export const errorsWithoutCode: readonly ErrorForm[] = [
  {
    status: 401,
    text: 'Not logged in: API authentication or user session required',
    fields: [],
    when: 'no credentials were given; also other texts for bad ones, with `WWW-Authenticate: Basic realm="zulip"`',
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
    when: 'a body is larger than 25 MiB',
  },
  {
    status: 429,
    text: 'API usage exceeded rate limit',
    fields: ['retry-after'],
    when: 'a user has sent too many requests; repeat after the seconds in `Retry-After`',
  },
  {
    status: 500,
    text: 'Internal server error',
    fields: [],
    when: 'a fault of the server; nothing was changed',
  },
];

// Only this module holds the key, so that no error is made past the catalogue.
const catalogueKey: unique symbol = Symbol('error catalogue');

type ErrorParts = {
  readonly code?: ErrorCode;
  readonly status: number;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** An answer that refuses a request. Thrown anywhere, written as JSON by the error handler of the http package. */
export class ApiError extends Error {
  readonly code: ErrorCode | undefined;
  readonly status: number;
  /** Extra members of the error object, beside `result`, `msg` and `code`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Response headers that belong to the error, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(key: typeof catalogueKey, text: string, parts: ErrorParts) {
    // Refusals are ordinary answers and can be frequent: without the trace they cost a fifth.
    const traceLimit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(text);
    Error.stackTraceLimit = traceLimit;
    if (key !== catalogueKey)
      throw new TypeError('ApiError is made only by the functions of the error catalogue');
    this.name = 'ApiError';
    this.code = parts.code;
    this.status = parts.status;
    this.fields = parts.fields ?? {};
    this.headers = parts.headers ?? {};
  }

  /** The JSON object of the answer (contract, Errors): `result`, `msg`, extra fields, `code`. */
  toBody(): Record<string, unknown> {
    const body: Record<string, unknown> = { result: 'error', msg: this.message, ...this.fields };
    if (this.code !== undefined) body['code'] = this.code;
    return body;
  }
}

function coded(
  code: ErrorCode,
  text: string,
  parts: Omit<ErrorParts, 'code' | 'status'> = {},
  form = 0,
): ApiError {
  const status = errorCatalogue[code][form]?.status ?? 400;
  return new ApiError(catalogueKey, text, { code, status, ...parts });
}

/** A refusal with code `BAD_REQUEST`, status 400. */
export function badRequest(text: string): ApiError {
  return coded('BAD_REQUEST', text);
}

/** A refusal without a `code` (marked with a dash in the reference facts). */
export function withoutCode(
  text: string,
  status = 400,
  fields: Readonly<Record<string, unknown>> = {},
): ApiError {
  return new ApiError(catalogueKey, text, { status, fields });
}

/** A required parameter is absent. `name` is its external, primary name. */
export function requestVariableMissing(name: string): ApiError {
  return coded('REQUEST_VARIABLE_MISSING', `Missing '${name}' argument`, {
    fields: { var_name: name },
  });
}

/** A parameter cannot be converted. `rawValue` is the text as the client sent it. */
export function requestVariableInvalid(name: string, rawValue: string): ApiError {
  return coded('REQUEST_VARIABLE_INVALID', `Bad value for '${name}': ${rawValue}`, {
    fields: { var_name: name, bad_value: rawValue },
  });
}

/** Two names of one parameter are both given. */
export function requestConfusingVariable(name1: string, name2: string): ApiError {
  return coded(
    'REQUEST_CONFUSING_VAR',
    `Can't decide between '${name1}' and '${name2}' arguments`,
    {
      fields: { var_name1: name1, var_name2: name2 },
    },
  );
}

/** A JSON-encoded parameter is not JSON (code `BAD_REQUEST`; reference facts, people 2.3). */
export function argumentIsNotJson(name: string): ApiError {
  return coded('BAD_REQUEST', `Argument "${name}" is not valid JSON.`);
}

/** The body of a webhook is not JSON. */
export function invalidJson(): ApiError {
  return coded('INVALID_JSON', 'Malformed JSON');
}

/** An uploaded picture is not an image, or has too many pixels. */
export function badImage(reason: 'not an image' | 'too large'): ApiError {
  const forms = errorCatalogue.BAD_IMAGE;
  return coded('BAD_IMAGE', reason === 'not an image' ? forms[0].text : forms[1].text);
}

/** The organization's upload quota is used up. */
export function uploadQuotaExceeded(): ApiError {
  return coded('REALM_UPLOAD_QUOTA', errorCatalogue.REALM_UPLOAD_QUOTA[0].text);
}

/** A file is larger than the setting allows (reference facts, people 15). */
export function uploadTooLarge(maxBytes: number): ApiError {
  const maxMib = Math.floor(maxBytes / (1024 * 1024));
  return withoutCode(`Uploaded file is larger than the allowed limit of ${maxMib} MB`);
}

/** A narrow cannot be understood; `desc` says why. */
export function badNarrow(desc: string): ApiError {
  return coded('BAD_NARROW', `Invalid narrow operator: ${desc}`, { fields: { desc } });
}

/** The last administrator, or the last user, deactivates itself. */
export function cannotDeactivateLastUser(isLastAdministrator: boolean): ApiError {
  const entity = isLastAdministrator ? 'organization administrator' : 'user';
  return coded('CANNOT_DEACTIVATE_LAST_USER', `Cannot deactivate the only ${entity}.`, {
    fields: { is_last_admin: isLastAdministrator, entity },
  });
}

/** A webhook without its event header; `header` is upper case with underscores (reference facts, people 16.3). */
export function missingHttpEventHeader(header: string): ApiError {
  return coded('MISSING_HTTP_EVENT_HEADER', `Missing the HTTP event header '${header}'`, {
    fields: { header },
  });
}

const htmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * A message is sent to a stream that does not exist. The name is HTML-escaped in text and field, because
 * clients insert it into pages (reference facts, messages 2).
 */
export function streamDoesNotExist(
  which: { readonly stream: string } | { readonly streamId: number },
): ApiError {
  if ('streamId' in which) {
    return coded('STREAM_DOES_NOT_EXIST', `Stream with ID '${which.streamId}' does not exist`, {
      fields: { stream_id: which.streamId },
    });
  }
  const stream = which.stream.replaceAll(
    /[&<>"']/g,
    (character) => htmlEscapes[character] ?? character,
  );
  return coded('STREAM_DOES_NOT_EXIST', `Stream '${stream}' does not exist`, {
    fields: { stream },
  });
}

/** Subscriptions are removed from streams that do not exist; `names` is not empty (reference facts, streams 1). */
export function streamsDoNotExist(names: readonly [string, ...string[]]): ApiError {
  return coded('STREAM_DOES_NOT_EXIST', `Stream(s) (${names.join(', ')}) do not exist`, {
    fields: { stream: names[0] },
  });
}

/** With a principal: it is unknown or deactivated, 403. Without: the caller must be an administrator, 400. */
export function unauthorizedPrincipal(principal?: string): ApiError {
  if (principal === undefined) return mustBeAdministrator();
  return coded(
    'UNAUTHORIZED_PRINCIPAL',
    `User not authorized to execute queries on behalf of '${principal}'`,
    {
      fields: { principal },
    },
  );
}

/** An administrator-only endpoint is called by somebody else (reference facts, people 3). */
export function mustBeAdministrator(): ApiError {
  return coded('UNAUTHORIZED_PRINCIPAL', errorCatalogue.UNAUTHORIZED_PRINCIPAL[1].text, {}, 1);
}

/** A guest calls an endpoint that guests may not use. */
export function notAllowedForGuests(): ApiError {
  return badRequest('Not allowed for guest users');
}

/** A bot calls an endpoint for humans. */
export function notForBots(): ApiError {
  return withoutCode('This endpoint does not accept bot requests.');
}

/** An incoming-webhook bot calls anything but sending a message, 401. */
export function notForIncomingWebhookBots(): ApiError {
  return notAuthenticated('This API is not available to incoming webhook bots.');
}

/** The caller has no authority over the user or bot it wants to change. */
export function insufficientPermission(): ApiError {
  return badRequest('Insufficient permission');
}

/** A webhook brings an event that its integration does not handle. */
export function unexpectedWebhookEventType(
  webhookName: string,
  eventType: string | null,
): ApiError {
  return coded(
    'UNEXPECTED_WEBHOOK_EVENT_TYPE',
    `The '${eventType}' event isn't currently supported by the ${webhookName} webhook`,
    { fields: { webhook_name: webhookName, event_type: eventType } },
  );
}

/** An event queue is unknown, deleted, garbage-collected, or cannot be resumed. */
export function badEventQueueId(queueId: string): ApiError {
  return coded('BAD_EVENT_QUEUE_ID', `Bad event queue id: ${queueId}`, {
    fields: { queue_id: queueId },
  });
}

/** Some or all invitations could not be sent (reference facts, people 14.5). */
export function invitationFailed(
  text: string,
  errors: readonly (readonly [email: string, reason: string])[],
  sentInvitations: boolean,
): ApiError {
  return coded('INVITATION_FAILED', text, {
    fields: { errors, sent_invitations: sentInvitations },
  });
}

/** The `api_key` parameter is wrong, 401. With HTTP Basic use `notAuthenticated` instead. */
export function invalidApiKey(reason: 'unknown' | 'malformed'): ApiError {
  return coded('INVALID_API_KEY', reason === 'unknown' ? 'Invalid API key' : 'Malformed API key');
}

/** 401 without a code and with the Basic challenge (reference facts, people 4). */
export function notAuthenticated(
  text = 'Not logged in: API authentication or user session required',
): ApiError {
  return new ApiError(catalogueKey, text, {
    status: 401,
    headers: { 'WWW-Authenticate': 'Basic realm="zulip"' },
  });
}

/** 401 on a path that takes a key in the query as well (reference facts, people 4). */
export function keyOrSessionRequired(): ApiError {
  return new ApiError(catalogueKey, 'Not logged in: API authentication or user session required', {
    status: 401,
    headers: { 'WWW-Authenticate': 'Session realm="zulip"' },
  });
}

/** The Authorization header has another scheme than Basic: 400, without a challenge. */
export function basicAuthenticationRequired(): ApiError {
  return withoutCode('This endpoint requires HTTP basic authentication.');
}

/** The caller has sent too many requests, 429. `retryAfterSecs` may have a fraction. */
export function rateLimitExceeded(
  retryAfterSecs: number,
  headers: Readonly<Record<string, string>> = {},
): ApiError {
  return new ApiError(catalogueKey, 'API usage exceeded rate limit', {
    status: 429,
    fields: { 'retry-after': retryAfterSecs },
    headers: { ...headers, 'Retry-After': String(retryAfterSecs) },
  });
}

/** The path is unknown. */
export function notFound(): ApiError {
  return withoutCode('Not found', 404);
}

/** The path exists, but not with this method. `allowedMethods` is in declared order, HEAD last. */
export function methodNotAllowed(allowedMethods: readonly string[]): ApiError {
  return new ApiError(catalogueKey, 'Method Not Allowed', {
    status: 405,
    fields: { allowed_methods: allowedMethods },
    headers: { Allow: allowedMethods.join(', ') },
  });
}

/** The body is larger than `limits.bodyMaxBytes`. The connection ends, because the rest is not read. */
export function bodyTooLarge(): ApiError {
  return new ApiError(catalogueKey, 'Request body is too large', {
    status: 413,
    headers: { Connection: 'close' },
  });
}

/** A key that names one send of a client was used before for another message, 409. */
export function idempotencyKeyReused(): ApiError {
  return coded('IDEMPOTENCY_KEY_REUSED', errorCatalogue.IDEMPOTENCY_KEY_REUSED[0].text);
}

/** A store or service is away. `retryAfterSecs` is a whole number of seconds, at least 1. */
export function serviceUnavailable(retryAfterSecs = 1): ApiError {
  return coded('SERVICE_UNAVAILABLE', errorCatalogue.SERVICE_UNAVAILABLE[0].text, {
    headers: { 'Retry-After': String(retryAfterSecs) },
  });
}

/** A fault of the server, 500. The error handler answers it for everything unknown; nobody else should need it. */
export function internalServerError(): ApiError {
  return withoutCode('Internal server error', 500);
}
