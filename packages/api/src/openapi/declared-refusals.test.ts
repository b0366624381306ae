import {
  badNarrow,
  badRequest,
  internalServerError,
  mustBeAdministrator,
  notAuthenticated,
  notFound,
  rateLimitExceeded,
  requestVariableMissing,
  serviceUnavailable,
  withoutCode,
} from '../errors.ts';
import type { ApiError } from '../errors.ts';
import { describe, expect, test } from 'vitest';

import { findRefusalFault } from './declared-refusals.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { pathInteger, textParameter } from '../declare/parameters.ts';
import { object, text } from '../declare/schema.ts';

const endpoint = declareEndpoint({
  name: 'read-narrow',
  method: 'GET',
  service: 'messages',
  tag: 'Server',
  path: '/narrows/{narrow_id}',
  summary: 'A narrow',
  access: { authentication: 'required' },
  parameters: [
    pathInteger('narrow_id', { description: 'Which' }),
    textParameter('name', { required: true, description: 'How' }),
  ],
  success: object({}),
  errors: ['BAD_NARROW'],
  refusals: [{ status: 403, description: 'Not this one', fields: { reason: text } }],
});

describe('refusals', () => {
  test.each<[string, ApiError]>([
    ['with a declared code', badNarrow('x')],
    ['that every endpoint may answer', badRequest('no')],
    ['that the parameters imply', requestVariableMissing('name')],
    ['with only a text', withoutCode('no')],
    ['with declared members', withoutCode('no', 403, { reason: 'x' })],
    ['without authentication', notAuthenticated()],
    ['for too many requests', rateLimitExceeded(1)],
    ['of an unknown path', notFound()],
    ['while a store is unavailable', serviceUnavailable()],
    ['of a failing server', internalServerError()],
  ])('%s pass', (_name, refusal) => {
    expect(findRefusalFault(endpoint, refusal)).toBeUndefined();
  });

  test.each<[string, ApiError, string]>([
    ['with another code', mustBeAdministrator(), 'UNAUTHORIZED_PRINCIPAL'],
    ['with another status', withoutCode('no', 409), '409'],
    ['with an additional member', withoutCode('no', 400, { reason: 'x' }), '"reason"'],
    ['without a declared member', withoutCode('no', 403), '403'],
  ])('%s do not', (_name, refusal, words) => {
    expect(findRefusalFault(endpoint, refusal)).toContain(words);
  });
});
