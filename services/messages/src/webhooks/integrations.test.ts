/** Every integration makes the right messages from its service's payloads, and no payload causes a fault (reference facts, people 17). */
import { ApiError } from '@parley/api';
import { webhooks } from '@parley/api/webhooks';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { githubFixtures } from './fixtures/github.ts';
import { fixtures, readFixture as read } from './fixtures/read-fixture.ts';
import { integrations } from './index.ts';

function refusalOf(act: () => unknown): Record<string, unknown> {
  try {
    act();
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, ...error.toBody() };
    throw error;
  }
  throw new Error('nothing was refused');
}

test.each(fixtures)('$integration $event: $about', (fixture) => {
  expect(read(fixture)).toEqual(fixture.messages);
});

test.each(webhooks)('$name has a fixture, also for each of its events', ({ name, events }) => {
  const own = fixtures.filter(({ integration }) => integration === name);
  expect(own.length).toBeGreaterThan(0);
  expect(events.filter((event) => own.every((fixture) => fixture.event !== event))).toEqual([]);
});

test('a push of 25 commits lists 20 and [and 5 more commit(s)]', () => {
  const payload = githubFixtures.find(({ event }) => event === 'push')?.payload as {
    commits: unknown[];
  };
  const commits = Array.from({ length: 25 }, () => payload.commits[0]);
  const messages = read({ integration: 'github', event: 'push', payload: { ...payload, commits } });
  const lines = messages === 'account' ? [] : (messages[0]?.content.split('\n') ?? []);
  expect(lines).toHaveLength(2 + 20 + 1);
  expect(lines[0]).toContain(' 25 commits ');
  expect(lines.at(-1)).toBe('[and 5 more commit(s)]');
});

/** For each member of the payload, at any depth, the payload without it, with the member's name. */
function* withOneMissing(
  value: unknown,
): Iterable<{ readonly key: string; readonly rest: unknown }> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      for (const { key, rest } of withOneMissing(item))
        yield { key, rest: value.with(index, rest) };
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      const { [key]: _gone, ...others } = value as Record<string, unknown>;
      yield { key, rest: others };
      for (const deeper of withOneMissing(member))
        yield { key: deeper.key, rest: { ...value, [key]: deeper.rest } };
    }
  }
}

const withPayload = fixtures.filter(({ payload }) => payload !== undefined);

test.each(withPayload)(
  '$integration $event: $about: a missing member is optional, or refused by its name',
  (fixture) => {
    for (const { key, rest } of withOneMissing(fixture.payload)) {
      try {
        read({ ...fixture, payload: rest });
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
        const { status, message } = error as ApiError;
        expect(status).toBe(400);
        if (!message.endsWith("can't be empty"))
          expect(message).toMatch(new RegExp(`^${key} key is missing from payload`));
      }
    }
  },
);

describe('refused are', () => {
  test('a missing nested key, with a clear text', () => {
    const payload = { sender: {}, repository: { name: 'kiln', html_url: 'x' } };
    expect(refusalOf(() => read({ integration: 'github', event: 'public', payload }))).toEqual({
      status: 400,
      result: 'error',
      code: 'BAD_REQUEST',
      msg: 'login key is missing from payload["sender"]',
    });
  });

  test.each([[[]], ['x'], [null], [5], [{ featured_title: 5, featured_url: 'x' }]])(
    'the payload %j',
    (payload) => {
      expect(refusalOf(() => read({ integration: 'helloworld', payload }))).toMatchObject({
        status: 400,
        code: 'BAD_REQUEST',
      });
    },
  );

  test.each([
    ['github', 'unicorn', 'unicorn', 'GitHub'],
    ['github', '__proto__', '__proto__', 'GitHub'],
    ['gitlab', 'System Hook', 'System Hook', 'GitLab'],
  ])('%s: the event %s', (integration, event, reported, label) => {
    expect(refusalOf(() => read({ integration, event, payload: {} }))).toEqual({
      status: 400,
      result: 'error',
      code: 'UNEXPECTED_WEBHOOK_EVENT_TYPE',
      msg: `The '${reported}' event isn't currently supported by the ${label} webhook`,
      webhook_name: label,
      event_type: reported,
    });
  });

  test.each([
    ['github', 'pull_request', undefined, { action: 'locked' }, 'pull_request:locked'],
    ['gitlab', 'Issue Hook', 'object_attributes', { action: 'move' }, 'Issue Hook move'],
    ['gitlab', 'Note Hook', 'object_attributes', { noteable_type: 'Epic' }, 'Note Hook Epic'],
  ])('%s: an unhandled case of %s', (integration, event, within, change, reported) => {
    const payload = fixtures.find(
      (fixture) => fixture.integration === integration && fixture.event === event,
    )?.payload as Record<string, object>;
    const changed =
      within === undefined
        ? { ...payload, ...change }
        : { ...payload, [within]: { ...payload[within], ...change } };
    expect(refusalOf(() => read({ integration, event, payload: changed }))).toMatchObject({
      code: 'UNEXPECTED_WEBHOOK_EVENT_TYPE',
      event_type: reported,
    });
  });

  test.each(['ifttt', 'zapier'])('%s: a blank topic or text, without a code', (integration) => {
    const uncoded = (msg: string): object => ({ status: 400, result: 'error', msg });
    for (const payload of [{ content: 'x' }, { topic: ' ', content: 'x' }])
      expect(refusalOf(() => read({ integration, payload }))).toEqual(
        uncoded("Topic can't be empty"),
      );
    expect(refusalOf(() => read({ integration, payload: { topic: 'x' } }))).toEqual(
      uncoded("Content can't be empty"),
    );
  });

  test('slack: another mapping', () => {
    const parameters = {
      user_name: 'x',
      text: 'x',
      channel_name: 'x',
      channels_map_to_topics: '2',
    };
    expect(refusalOf(() => read({ integration: 'slack', parameters }))).toEqual({
      status: 400,
      result: 'error',
      msg: 'Error: channels_map_to_topics parameter other than 0 or 1',
    });
  });

  test('alertmanager: alerts of more than 100 topics', () => {
    const alerts = Array.from({ length: 101 }, (_, n) => ({
      status: 'firing',
      generatorURL: 'x',
      labels: { instance: `${n}` },
    }));
    const parameters = { name: 'instance', desc: 'alertname' };
    expect(
      refusalOf(() => read({ integration: 'alertmanager', payload: { alerts }, parameters })),
    ).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
  });
});

test('zapier requests the account of its key', () => {
  expect(read({ integration: 'zapier', payload: { type: 'auth' } })).toBe('account');
});

test('alertmanager finds no label among members of every object', () => {
  const payload = { alerts: [{ status: 'firing', generatorURL: 'x', labels: {} }] };
  const parameters = { name: '__proto__', desc: 'constructor' };
  expect(read({ integration: 'alertmanager', payload, parameters })).toEqual([
    { topic: '(unknown)', content: ':alert: **FIRING** <missing field: constructor> ([graph](x))' },
  ]);
});

test('any JSON becomes messages or a refusal', () => {
  const json = integrations.filter(({ webhook }) => webhook.body === 'json');
  const kinds = json.flatMap((integration) => {
    const events: readonly (string | undefined)[] =
      integration.webhook.events.length === 0 ? [undefined] : integration.webhook.events;
    return events.map((event) => ({ integration, event }));
  });
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.jsonValue(), ({ integration, event }, payload) => {
      try {
        integration.read(payload, event, {
          parameters: { name: 'a', desc: 'b' },
          stream: undefined,
          topic: undefined,
        });
      } catch (error) {
        expect(error).toBeInstanceOf(ApiError);
      }
    }),
  );
});
