import { describe, expect, it } from 'vitest';

import { createLogger, requestLogger, subjectLogger } from './create-logger.ts';
import { redactAddress } from './redaction.ts';

function capture() {
  const lines: string[] = [];
  const log = createLogger(
    { service: 'messages', nodeId: 'node-1', level: 'info' },
    { write: (line: string) => lines.push(line) },
  );
  return { log, text: () => lines.join('') };
}

describe('createLogger', () => {
  it('writes service, node, subject and request id on every line', () => {
    const { log, text } = capture();
    requestLogger(subjectLogger(log, 'messages:sending'), 'r-1').info({ count: 1 }, 'sent');
    expect(JSON.parse(text())).toMatchObject({
      level: 'info',
      service: 'messages',
      node_id: 'node-1',
      subject: 'messages:sending',
      request_id: 'r-1',
      count: 1,
      msg: 'sent',
    });
  });

  it('redacts credentials and user content at any depth, in lists and errors', () => {
    const { log, text } = capture();
    const secrets = {
      authorization: 'TheSecret',
      api_key: 'TheSecret',
      password: 'TheSecret',
      cookie: 'TheSecret',
      content: 'TheSecret',
      'x-parley-identity': 'TheSecret',
    };
    log.info({ ...secrets, a: { ...secrets, b: { ...secrets, c: secrets } } }, 'all');
    log.info({ list: [{ password: 'TheSecret' }], Authorization: 'TheSecret' }, 'list');
    log.info({ a: { b: { c: { d: { e: { f: { g: 'TheSecret' } } } } } } }, 'deep');
    const fault = Object.assign(new Error('refused'), {
      config: { headers: { Cookie: 'TheSecret' } },
    });
    log.warn({ err: fault }, 'fault');
    const refusal = Object.assign(new Error('WRONGPASS'), {
      command: { name: 'auth', args: ['TheSecret'] },
    });
    log.warn({ err: refusal }, 'refusal');
    log.warn({ err: new Error('redis is away', { cause: refusal }) }, 'with a cause');
    log.warn({ err: Object.assign(new Error('no node'), { lastNodeError: refusal }) }, 'nested');
    log.info({ url: '/api/v1/external/x?api_key=TheSecret&stream=s' }, 'address');
    expect(text()).not.toContain('TheSecret');
    expect(text()).toContain('stream=s');
    expect(text()).toContain('refused');
  });

  it('shortens long texts, also in errors and their causes', () => {
    const { log, text } = capture();
    const cause = Object.assign(new Error('y'.repeat(1_000_000)), {
      detail: 'z'.repeat(1_000_000),
    });
    log.warn(
      { err: new Error('x'.repeat(1_000_000), { cause }), given: 'g'.repeat(9_000) },
      'fault',
    );
    expect(JSON.parse(text())).toMatchObject({
      given: `${'g'.repeat(4_000)}…`,
      err: { cause: { detail: `${'z'.repeat(4_000)}…` } },
    });
    expect(text().length).toBeLessThan(50_000);
  });

  it('leaves out the objects that hang on errors', () => {
    const { log, text } = capture();
    const client = { processID: 7, connection: { sentStatements: 12 } };
    const cause = Object.assign(new Error('inner'), { client, code: '57P01' });
    const err = Object.assign(new AggregateError([cause], 'outer', { cause }), { client });
    log.error({ err }, 'failed');
    const shown = { message: 'inner', code: '57P01' };
    expect(JSON.parse(text())).toMatchObject({ err: { cause: shown, aggregateErrors: [shown] } });
    expect(text()).not.toContain('processID');
  });

  it('keeps causes of errors', () => {
    const { log, text } = capture();
    log.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed');
    expect(text()).toContain('inner');
  });
});

describe('redactAddress', () => {
  it('removes secret values only', () => {
    expect(redactAddress('/x?a=1&api_key=abc#d')).toBe('/x?a=1&api_key=[redacted]#d');
    expect(redactAddress('/x?API_KEY=abc&api_key=def')).toBe(
      '/x?API_KEY=[redacted]&api_key=[redacted]',
    );
  });
});
