import { errorCatalogue } from './error-catalogue.ts';
import type { ErrorCode } from './error-catalogue.ts';

/** Only the functions below can make an `ApiError`, so that code, status and extra fields are those of the catalogue. */

// Only this module has the key, so that every error is in the catalogue.
const catalogueKey: unique symbol = Symbol('error catalogue');

type ErrorParts = {
  readonly code?: ErrorCode;
  readonly status: number;
  readonly fields?: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
};

/** An answer that refuses a request. It may be thrown anywhere; the error handler of the http package writes it as JSON. */
export class ApiError extends Error {
  readonly code: ErrorCode | undefined;
  readonly status: number;
  /** Extra members of the error object, beside `result`, `msg` and `code`. */
  readonly fields: Readonly<Record<string, unknown>>;
  /** Response headers that belong to the error, such as `Retry-After`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(key: typeof catalogueKey, text: string, parts: ErrorParts) {
    // Refusals are ordinary answers and can be frequent, and a stack trace is a fifth of their cost.
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

/** An owner would have more active bots than the setting allows. */
export function tooManyBots(max: number): ApiError {
  return badRequest(`An owner may have at most ${max} active bots.`);
}

/** An account would have more event queues than the setting allows. */
export function tooManyEventQueues(max: number): ApiError {
  return badRequest(`You already have ${max} event queues, the maximum.`);
}

/** An owner with all bots would have more event queues than the settings allow. */
export function tooManyEventQueuesOfOwner(max: number): ApiError {
  return badRequest(`A bot owner and their bots may have at most ${max} event queues together.`);
}

/** A request would create more streams than the setting allows. */
export function tooManyNewStreams(max: number): ApiError {
  return badRequest(`One request may create at most ${max} streams.`);
}

/** A list that everybody gets would have more elements than the setting allows. */
export function listIsFull(elements: string, max: number): ApiError {
  return badRequest(`An organization may have at most ${max} ${elements}.`);
}

/** The texts of a list that everybody gets would take more than the setting allows. */
export function listTextsAreFull(elements: string, maxBytes: number): ApiError {
  return badRequest(`The texts of all ${elements} may have at most ${maxBytes} bytes together.`);
}

/** An owner with all bots would have made more in a day than the settings allow. */
export function madeTooMuch(elements: string, max: number): ApiError {
  return badRequest(`A bot owner and their bots may add at most ${max} ${elements} in a day.`);
}

/** A value is longer than its parameter permits. */
export function valueTooLong(name: string, max: number): ApiError {
  return badRequest(`${name} is too long (limit: ${max} characters)`);
}

/** @throws ApiError for a text of more code points than its parameter permits */
export function checkLength(name: string, text: string, maxCodePoints: number): void {
  // A code point is one or two units; counting them is only worth it between these bounds.
  const isShort = text.length <= maxCodePoints;
  const isLong = text.length > 2 * maxCodePoints;
  if (!isShort && (isLong || Array.from(text).length > maxCodePoints))
    throw valueTooLong(name, maxCodePoints);
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

/** A parameter cannot be converted. `rawValue` is the text from the client. */
export function requestVariableInvalid(name: string, rawValue: string): ApiError {
  return coded('REQUEST_VARIABLE_INVALID', `Bad value for '${name}': ${rawValue}`, {
    fields: { var_name: name, bad_value: rawValue },
  });
}

/** Two names of one parameter are given. */
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

/** A webhook without its event header; `header` is in upper case with underscores (reference facts, people 16.3). */
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

/** Somebody else calls an administrator-only endpoint (reference facts, people 3). */
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

/** The caller may not change this user or bot. */
export function insufficientPermission(): ApiError {
  return badRequest('Insufficient permission');
}

/** A webhook has an event that its integration does not handle. */
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

/** 401 for a request of SCIM without a token that works (decision 0052). */
export function scimTokenRequired(): ApiError {
  return new ApiError(catalogueKey, 'A SCIM token of this organization is required.', {
    status: 401,
    headers: { 'WWW-Authenticate': 'Bearer realm="scim"' },
  });
}

/** 401 on a path that takes a key in the query as well (reference facts, people 4). */
export function keyOrSessionRequired(): ApiError {
  return new ApiError(catalogueKey, 'Not logged in: API authentication or user session required', {
    status: 401,
    headers: { 'WWW-Authenticate': 'Session realm="zulip"' },
  });
}

/** A request by the cookie of a session does not come from a page of this server, 403. */
export function crossOriginSession(): ApiError {
  return withoutCode('A session works only in pages of this server.', 403);
}

/** The same refusal without the challenge that makes a browser open its dialog for a password. */
export function withoutChallenge(refusal: ApiError): ApiError {
  const { 'WWW-Authenticate': _challenge, ...headers } = refusal.headers;
  const { code, status, fields, message } = refusal;
  return new ApiError(catalogueKey, message, {
    status,
    fields,
    headers,
    ...(code !== undefined && { code }),
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

/** A header that may occur once occurs twice: readers of the first one and of the last one would see two different requests. */
export function duplicateHeader(name: string): ApiError {
  return withoutCode(`Duplicate ${name} header`);
}

/** The path is unknown. */
export function notFound(): ApiError {
  return withoutCode('Not found', 404);
}

/** An endpoint that only a development server has (reference facts, people 5.2). */
export function devEnvironmentOff(): ApiError {
  return withoutCode('Dev environment not enabled.');
}

/** The path exists, but not with this method. `allowedMethods` is in the order of `Route.allowedMethods`. */
export function methodNotAllowed(allowedMethods: readonly string[]): ApiError {
  return new ApiError(catalogueKey, 'Method Not Allowed', {
    status: 405,
    fields: { allowed_methods: allowedMethods },
    headers: { Allow: allowedMethods.join(', ') },
  });
}

/** The body is larger than its endpoint permits. The connection ends, because the rest is not read. */
export function bodyTooLarge(): ApiError {
  return new ApiError(catalogueKey, 'Request body is too large', {
    status: 413,
    headers: { Connection: 'close' },
  });
}

/** A client's key of a send was used before for another message, 409. */
export function idempotencyKeyReused(): ApiError {
  return coded('IDEMPOTENCY_KEY_REUSED', errorCatalogue.IDEMPOTENCY_KEY_REUSED[0].text);
}

/** A store or service is away. `retryAfterSecs` is a whole number of seconds, at least 1. */
export function serviceUnavailable(retryAfterSecs = 1): ApiError {
  return coded('SERVICE_UNAVAILABLE', errorCatalogue.SERVICE_UNAVAILABLE[0].text, {
    headers: { 'Retry-After': String(retryAfterSecs) },
  });
}

/** A change may have been made or not. Unlike 503 this does not invite to repeat it. */
export function outcomeUnknown(): ApiError {
  return coded('OUTCOME_UNKNOWN', errorCatalogue.OUTCOME_UNKNOWN[0].text);
}

/** A fault of the server, 500. The error handler answers it for every unknown error; other code should not need it. */
export function internalServerError(): ApiError {
  return withoutCode('Internal server error', 500);
}
