import { describe, expect, it } from 'vitest';

import { errorCatalogue } from './error-catalogue.ts';
import type { ErrorForm } from './error-catalogue.ts';
import * as errors from './errors.ts';

const { ApiError } = errors;

/** One error from every constructor with a code, so that every row of the table has one. */
const samples = [
  errors.badRequest('Some text'),
  errors.tooManyBots(50),
  errors.tooManyEventQueues(1000),
  errors.tooManyEventQueuesOfOwner(5000),
  errors.tooManyNewStreams(100),
  errors.valueTooLong('description', 1024),
  errors.requestVariableMissing('v'),
  errors.requestVariableInvalid('v', 'x'),
  errors.requestConfusingVariable('a', 'b'),
  errors.argumentIsNotJson('v'),
  errors.invalidJson(),
  errors.badImage('not an image'),
  errors.badImage('too large'),
  errors.uploadQuotaExceeded(),
  errors.badNarrow('x'),
  errors.cannotDeactivateLastUser(true),
  errors.missingHttpEventHeader('X_GITHUB_EVENT'),
  errors.streamDoesNotExist({ stream: 'a' }),
  errors.streamDoesNotExist({ streamId: 3 }),
  errors.streamsDoNotExist(['a', 'b']),
  errors.unauthorizedPrincipal('a@b'),
  errors.unauthorizedPrincipal(),
  errors.unexpectedWebhookEventType('GitHub', null),
  errors.badEventQueueId('1:2'),
  errors.invitationFailed('Some text', [['a@b', 'because']], false),
  errors.invalidApiKey('unknown'),
  errors.invalidApiKey('malformed'),
  errors.idempotencyKeyReused(),
  errors.serviceUnavailable(),
  errors.outcomeUnknown(),
];

function matchesForm(text: string, form: string): boolean {
  if (form === '{varies}') return true;
  const pattern = form
    .replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\{\w+\}/g, '.*');
  return new RegExp(`^${pattern}$`, 's').test(text);
}

describe('the catalogue', () => {
  it('matches every error: status, text and fields', () => {
    for (const error of samples) {
      const forms: readonly ErrorForm[] =
        error.code === undefined ? [] : errorCatalogue[error.code];
      const form = forms.find(
        ({ status, text, fields }) =>
          status === error.status &&
          matchesForm(error.message, text) &&
          fields.toSorted().join() === Object.keys(error.fields).toSorted().join(),
      );
      expect(form === undefined ? error.message : 'found').toBe('found');
    }
  });

  it('has no unused code', () => {
    expect(new Set(samples.map(({ code }) => code))).toEqual(new Set(Object.keys(errorCatalogue)));
  });

  it('is the only source of an ApiError', () => {
    const Forged = ApiError as unknown as new (key: symbol, text: string, parts: object) => Error;
    expect(() => new Forged(Symbol('error catalogue'), 'x', { status: 400 })).toThrow(
      'only by the functions',
    );
  });
});

describe('bodies', () => {
  it('contain result, msg, fields and code in this order', () => {
    expect(JSON.stringify(errors.badEventQueueId('1:2').toBody())).toBe(
      '{"result":"error","msg":"Bad event queue id: 1:2","queue_id":"1:2","code":"BAD_EVENT_QUEUE_ID"}',
    );
    expect(JSON.stringify(errors.withoutCode('No').toBody())).toBe('{"result":"error","msg":"No"}');
  });

  it('escape the stream name of a send', () => {
    expect(errors.streamDoesNotExist({ stream: `<a href="x">&'` }).toBody()).toMatchObject({
      stream: '&lt;a href=&quot;x&quot;&gt;&amp;&#39;',
      msg: "Stream '&lt;a href=&quot;x&quot;&gt;&amp;&#39;' does not exist",
    });
  });

  it('have the headers of their status', () => {
    expect(errors.notAuthenticated().headers).toEqual({
      'WWW-Authenticate': 'Basic realm="zulip"',
    });
    expect(errors.serviceUnavailable(3).headers).toEqual({ 'Retry-After': '3' });
    expect(errors.rateLimitExceeded(1.5).toBody()).toMatchObject({ 'retry-after': 1.5 });
    expect(errors.methodNotAllowed(['GET', 'HEAD']).headers).toEqual({ Allow: 'GET, HEAD' });
  });
});
