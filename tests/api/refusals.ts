/** The bodies of answers that many endpoints share, with the status of refusals, and the check of a refusal. */
import type { JsonObject } from '@parley/test-kit';
import { expect } from 'vitest';

import { refusalOf } from './message-fixture.ts';

export const success = { result: 'success', msg: '' };

/** The body of a refusal with `BAD_REQUEST`. */
export function coded(msg: string): JsonObject {
  return { ...uncoded(msg), code: 'BAD_REQUEST' };
}

/** The body of a refusal without a code. */
export function uncoded(msg: string): JsonObject {
  return { status: 400, result: 'error', msg };
}

/** The body of a refusal of a request without a parameter. */
export function missing(name: string): JsonObject {
  return {
    ...uncoded(`Missing '${name}' argument`),
    code: 'REQUEST_VARIABLE_MISSING',
    var_name: name,
  };
}

/** The body of a refusal of a parameter's text. */
export function invalid(name: string, value: string): JsonObject {
  return {
    ...uncoded(`Bad value for '${name}': ${value}`),
    code: 'REQUEST_VARIABLE_INVALID',
    var_name: name,
    bad_value: value,
  };
}

/** The body of a refusal of a narrow. */
export function badNarrow(desc: string): JsonObject {
  return { ...uncoded(`Invalid narrow operator: ${desc}`), code: 'BAD_NARROW', desc };
}

/** The body of a refusal because of a stream that is missing or hidden. */
export function unknownStream(stream: string): JsonObject {
  return {
    ...uncoded(`Stream '${stream}' does not exist`),
    code: 'STREAM_DOES_NOT_EXIST',
    stream,
  };
}

export const notAdministrator: JsonObject = {
  ...uncoded('Must be an organization administrator'),
  code: 'UNAUTHORIZED_PRINCIPAL',
};

/** @param refusal its whole body, or the text of one with `BAD_REQUEST` */
export async function expectRefusal(
  request: Promise<unknown>,
  refusal: JsonObject | string,
): Promise<void> {
  expect(await refusalOf(request)).toEqual(typeof refusal === 'string' ? coded(refusal) : refusal);
}

/** Expects that of requests that are made at once one succeeds, and that the others get this refusal. */
export async function expectOneSuccess(
  requests: readonly Promise<unknown>[],
  refusal: JsonObject | string,
): Promise<void> {
  const outcomes = await Promise.all(
    requests.map((request) =>
      request.then(
        () => 'success',
        (error: unknown) => refusalOf(Promise.reject(error as Error)),
      ),
    ),
  );
  const refused = outcomes.filter((outcome) => outcome !== 'success');
  expect(refused).toEqual(
    requests.slice(1).map(() => (typeof refusal === 'string' ? coded(refusal) : refusal)),
  );
}
