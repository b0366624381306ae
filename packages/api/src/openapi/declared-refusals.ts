import type { ErrorCode } from '../error-catalogue.ts';
import type { ApiError } from '../errors.ts';

import type { Endpoint } from '../declare/endpoint.ts';

/** The refusals of an endpoint: those of its declaration, and those that follow from its kind. */

/** The codes for parameters and access, beside those in a declaration. */
function impliedErrors({ access, parameters }: Endpoint) {
  const inForm = parameters.filter(({ from }) => from === 'form');
  return [
    'BAD_REQUEST',
    ...(inForm.some(({ required }) => required) ? (['REQUEST_VARIABLE_MISSING'] as const) : []),
    ...(inForm.length > 0 ? (['REQUEST_VARIABLE_INVALID'] as const) : []),
    ...(inForm.some(({ aliases }) => aliases.length > 0)
      ? (['REQUEST_CONFUSING_VAR'] as const)
      : []),
    ...(parameters.some(({ from }) => from === 'body') ? (['INVALID_JSON'] as const) : []),
    ...(access.authentication === 'required' && access.administratorsOnly === true
      ? (['UNAUTHORIZED_PRINCIPAL'] as const)
      : []),
  ] satisfies ErrorCode[];
}

/** The codes that an endpoint may answer without declaring them. */
export type ImpliedErrorCode =
  | ReturnType<typeof impliedErrors>[number]
  | 'SERVICE_UNAVAILABLE'
  | 'OUTCOME_UNKNOWN';

/** @returns the codes that an endpoint may answer, with any status, beside those of authentication and of a store that is away */
export function errorCodesOf(endpoint: Endpoint): ReadonlySet<ErrorCode> {
  return new Set<ErrorCode>([...impliedErrors(endpoint), ...endpoint.errors]);
}

/** Statuses that follow from the kind of an endpoint and have one answer everywhere. */
export function sharedStatusesOf(endpoint: Endpoint): number[] {
  const { access, afterLoss, method, parameters } = endpoint;
  return [
    ...(parameters.some(({ from }) => from === 'path') ? [404] : []),
    // A form may name another method than POST, which the path may not have.
    ...(method === 'POST' && endpoint.file !== 'streamed' ? [405] : []),
    ...(method === 'GET' ? [] : [413]),
    ...(access.authentication === 'none' ? [] : [429]),
    500,
    503,
    ...(afterLoss === 'once' ? [504] : []),
  ];
}

/** Refusals before any endpoint is reached, or because a store is away. */
const everywhere: ReadonlySet<ErrorCode> = new Set([
  'SERVICE_UNAVAILABLE',
  'OUTCOME_UNKNOWN',
  'INVALID_API_KEY',
]);

/**
 * @param endpoint that refused, or a path without a matching endpoint
 * @returns the deviation of the refusal from the declaration, or undefined
 */
export function findRefusalFault(
  endpoint: Endpoint,
  { code, fields, message, status }: ApiError,
): string | undefined {
  if (code !== undefined) {
    return everywhere.has(code) || errorCodesOf(endpoint).has(code)
      ? undefined
      : `code ${code} is not declared: ${message}`;
  }
  const isShared = status === 401 || sharedStatusesOf(endpoint).includes(status);
  const names = Object.keys(fields).join(' ');
  const isDeclared = endpoint.refusals.some(
    (refusal) => refusal.status === status && Object.keys(refusal.fields ?? {}).join(' ') === names,
  );
  return isShared || isDeclared || (status === 400 && names === '')
    ? undefined
    : `status ${status} with the members "${names}" is not declared: ${message}`;
}
