import { errorCatalogue } from '../error-catalogue.ts';

import {
  errorSchemaOf,
  methodNotAllowedError,
  plainError,
  rateLimitError,
} from './error-schemas.ts';
import type { Json, NamedSchemas } from './named-schemas.ts';

/** The shared parts of the OpenAPI document: answers and headers of many operations. */

/** @returns the content of a JSON answer */
export function jsonContent(schema: Json): Json {
  return { 'application/json': { schema } };
}

/** @returns a schema for a value of one of these */
export function oneOfThese(schemas: readonly Json[]): Json {
  const [only] = schemas;
  return only !== undefined && schemas.length === 1 ? only : { anyOf: schemas };
}

function headerReferences(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

export const rateLimitHeaders: Json = headerReferences([
  'X-RateLimit-Limit',
  'X-RateLimit-Reset',
  'X-RateLimit-Remaining',
]);

/** Headers of several answers, by name. */
export const sharedHeaders: Json = {
  'X-RateLimit-Limit': {
    description: 'Requests that the caller may make within the window; absent without a limit',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Reset': {
    description: 'When the window is empty again, in seconds since 1970',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Remaining': {
    description: 'Requests that remain in the window',
    schema: { type: 'integer' },
  },
  'Retry-After': {
    description: 'Seconds after which the request may be repeated; they may have a fraction',
    required: true,
    schema: { type: 'number' },
  },
  'WWW-Authenticate': {
    description:
      'How to sign in. Absent if only the parameter `api_key` was wrong, and for pages of this server',
    schema: { type: 'string' },
  },
  Allow: {
    description: 'The methods of the path',
    required: true,
    schema: { type: 'string' },
  },
};

/** Statuses with the same answer everywhere, by the name of their component. */
export const sharedStatuses: ReadonlyMap<number, string> = new Map([
  [404, 'NotFound'],
  [405, 'MethodNotAllowed'],
  [413, 'BodyTooLarge'],
  [429, 'TooManyRequests'],
  [500, 'InternalServerError'],
  [503, 'ServiceUnavailable'],
  [504, 'OutcomeUnknown'],
]);

function refusal(description: string, schema: Json, headers: readonly string[] = []): Json {
  return {
    description,
    ...(headers.length > 0 && { headers: headerReferences(headers) }),
    content: jsonContent(schema),
  };
}

/** @returns the answers for references from operations, by name */
export function sharedResponses(schemas: NamedSchemas): Json {
  const plain = schemas.ofAnswer(plainError);
  const unavailable = schemas.ofAnswer(errorSchemaOf('SERVICE_UNAVAILABLE', 503));
  return {
    Options: {
      description: 'The methods of the path',
      headers: headerReferences(['Allow']),
    },
    NotAuthenticated: refusal('Credentials are missing or wrong', plain, ['WWW-Authenticate']),
    NotAuthenticatedOrKey: refusal(
      'Credentials, or the key in `api_key`, are missing or wrong',
      oneOfThese([plain, schemas.ofAnswer(errorSchemaOf('INVALID_API_KEY', 401))]),
      ['WWW-Authenticate'],
    ),
    NotFound: refusal('Nothing is at this path', plain),
    MethodNotAllowed: refusal(
      'The path exists, but not with this method',
      schemas.ofAnswer(methodNotAllowedError),
      ['Allow'],
    ),
    BodyTooLarge: refusal('The body is too large', plain),
    OtherOrigin: refusal(
      "A session's cookie came from elsewhere than a page of this server",
      plain,
    ),
    Unreadable: refusal('What came is no request, too slow, or too large before its body', plain),
    TooManyRequests: refusal(
      'Repeat after the seconds in `Retry-After`',
      schemas.ofAnswer(rateLimitError),
      ['Retry-After', 'X-RateLimit-Limit', 'X-RateLimit-Reset'],
    ),
    InternalServerError: refusal(
      'A fault of the server; a change that may not be made twice was not made, of others it is not known',
      plain,
    ),
    ServiceUnavailable: refusal(errorCatalogue.SERVICE_UNAVAILABLE[0].when, unavailable, [
      'Retry-After',
    ]),
    OutcomeUnknown: refusal(
      errorCatalogue.OUTCOME_UNKNOWN[0].when,
      schemas.ofAnswer(errorSchemaOf('OUTCOME_UNKNOWN', 504)),
    ),
  };
}
