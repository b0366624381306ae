/** A stranger's payload can mention nobody, and its quoted texts stay in their quotes (docs/decisions/0016). */
import { ApiError } from '@parley/api';
import { UnableToRender, renderMessage } from '@parley/markdown';
import type { RenderContext, RenderedMessage } from '@parley/markdown';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { checkContent, checkTopic } from '../sending/message-text.ts';
import { fixtures, integrationOf, readFixture } from './fixtures/read-fixture.ts';
import { quoteBlock } from './git-wording.ts';
import type { Integration, WebhookOutcome } from './integration.ts';
import { composedContent, composedTopic } from './webhook-endpoint.ts';

/** An organization where every name and every group exists. */
const crowded: RenderContext = {
  realmUri: 'https://chat.example.com',
  usersByName: (name) => [{ id: 1, fullName: name }],
  userById: (id) => ({ id, fullName: 'a' }),
  userByEmail: () => ({ id: 1 }),
  hasWildcards: true,
  groupByName: (name) => ({ id: 1, name }),
  streamByName: (name) => ({ id: 1, name }),
  realmEmoji: () => undefined,
  linkifiers: [{ id: 1, pattern: '#(?P<n>[0-9]+)', urlFormat: 'https://a.example/%(n)s' }],
  settings: { inlineImagePreview: true, fileLinks: true, translateEmoticons: true },
};

/** The shown HTML of an integration's message, after the steps of a send; undefined for one that is refused. */
function shown(integration: Integration, content: string): RenderedMessage | undefined {
  try {
    return renderMessage(checkContent(composedContent(integration, content)), crowded);
  } catch (error) {
    if (error instanceof ApiError || error instanceof UnableToRender) return undefined;
    throw error;
  }
}

function expectNobodyMentioned(message: RenderedMessage | undefined): void {
  if (message === undefined) return;
  const { mentionedUserIds, mentionedGroupIds, mentionsWildcard, html } = message;
  expect({ mentionedUserIds, mentionedGroupIds, mentionsWildcard }).toEqual({
    mentionedUserIds: [],
    mentionedGroupIds: [],
    mentionsWildcard: false,
  });
  expect(html).not.toMatch(/class="user-(?:group-)?mention"/);
}

/** The shown parts of a message outside of its quotes. */
function textOutsideQuotes(html: string): string {
  let depth = 0;
  let text = '';
  for (const piece of html.split(/(<[^>]*>)/)) {
    if (piece === '<blockquote>') depth += 1;
    else if (piece === '</blockquote>') depth -= 1;
    else if (depth === 0 && !piece.startsWith('<')) text += piece;
  }
  return text;
}

const everyUnit = Array.from({ length: 0x1_00_00 }, (_, unit) => String.fromCharCode(unit));
const aboveThem = [0x1_00_00, 0x1_f6_00, 0xe_00_01, 0xe_00_20, 0xf_00_00, 0x10_00_00, 0x10_ff_fd];
const characters = [
  ...everyUnit.filter((unit) => unit.isWellFormed() && !/[\0\p{L}\p{N}\p{Co}]/u.test(unit)),
  ...aboveThem.map((code) => String.fromCodePoint(code)),
  ...Array.from('a1\u00df\u0661\ue000\ufffd'),
];
const mentions = (character: string): string[] =>
  ['@#**all**', '@*#*all**', '@**#all**', '@#*a*', '@**all*#*', '@#_**all**', '#@**all**'].map(
    (mention) => mention.replace('#', character),
  );

test('no character within a mention makes it valid', () => {
  const integration = integrationOf('helloworld');
  const batch = 64;
  for (let at = 0; at < characters.length; at += batch) {
    const content = characters
      .slice(at, at + batch)
      .flatMap(mentions)
      .join('  ');
    const message = shown(integration, content);
    expect(message).toBeDefined();
    expectNobodyMentioned(message);
  }
});

const special = fc.constantFrom(
  ...'@ @ * ** *** _ \\ ` ``` ~~~ $$ ~~ # #** ! [ ]( ) < > | & ; : \' " ( . 1. - 5'.split(' '),
  'all',
  'everyone',
  'stream',
  'a',
  '|1',
  '**all**',
  '*a*',
  '@**all**',
  '@*a*',
  '!avatar(',
  '&#64;',
  '&commat;',
  '&#x2a;',
  '&ast;',
  '&zwnj;',
  '\\u0040',
  '%40',
  '<!-',
  '-->',
  '> ',
  '```quote',
  '~~~ quote',
  'https://a.example/',
  '](x)',
  ':a:',
  '|-|-|',
  '\n    ',
  '\n* ',
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  '\t',
  ' ',
  '\v',
  '\f',
  '\u0085',
  '\u2028',
  '\u2029',
  '\ufffd',
);
const control = fc
  .oneof(fc.integer({ min: 0x01, max: 0x1f }), fc.integer({ min: 0x7f, max: 0x9f }))
  .map((code) => String.fromCharCode(code));
const invisible = fc.constantFrom(
  ...Array.from(
    '\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u202e\u2060\u2063\ufe0f\ufeff\ufff9',
  ),
  ...Array.from(
    '\u{e0001}\u{e0041}\u{100000}\u{100001}\u{10fffd}\u{10ffff}\ue000\ufffe\uff20\uff0a',
  ),
);
const piece = fc.oneof(
  { arbitrary: special, weight: 2 },
  { arbitrary: control, weight: 2 },
  { arbitrary: invisible, weight: 1 },
);
/** A mention with something between its characters. */
const partedMention = fc
  .tuple(
    fc.constantFrom(' @**all**', ' @**Ann|1**', ' @*a*', ' @_**all**'),
    fc.array(fc.tuple(fc.nat(4), piece), { minLength: 1, maxLength: 2 }),
  )
  .map(([mention, parted]) =>
    parted.reduce<string>(
      (text, [at, between]) => text.slice(0, at) + between + text.slice(at),
      mention,
    ),
  );
const hostile = fc
  .array(fc.oneof(piece, partedMention), { maxLength: 16 })
  .map((pieces) => pieces.join(''));

/** A value with its texts replaced, in turn by the given ones; an empty one keeps the text. */
function withTexts(value: unknown, nextText: () => string): unknown {
  if (typeof value === 'string') return nextText() || value;
  if (Array.isArray(value)) return value.map((item) => withTexts(item, nextText));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withTexts(member, nextText)]),
  );
}

const ofStrangers = fixtures.filter((fixture) => !integrationOf(fixture.integration).keepsMentions);

test('no payload becomes a message with a mention', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ofStrangers),
      fc.array(fc.oneof(fc.constant(''), hostile), { minLength: 1, maxLength: 8 }),
      (fixture, texts) => {
        let turn = -1;
        const nextText = (): string => {
          turn += 1;
          return texts[turn % texts.length] ?? '';
        };
        const changed = {
          ...fixture,
          payload: withTexts(fixture.payload, nextText),
          parameters: withTexts(fixture.parameters ?? {}, nextText) as Record<string, unknown>,
        };
        let outcome: WebhookOutcome;
        try {
          outcome = readFixture(changed);
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          return;
        }
        for (const { content } of outcome === 'account' ? [] : outcome)
          expectNobodyMentioned(shown(integrationOf(fixture.integration), content));
      },
    ),
  );
});

test('no text of an alert loses the others, which are sent one after another', () => {
  const alertmanager = integrationOf('alertmanager');
  const long = fc.tuple(hostile, fc.nat(500)).map(([text, times]) => text.repeat(times));
  const label = fc.oneof(hostile, long, fc.constant('"'.repeat(20_000)));
  const texts = fc.record({ instance: label, alertname: label }, { requiredKeys: [] });
  const alerts = fc.array(
    fc.record({
      status: fc.oneof(fc.constant('firing'), label),
      generatorURL: label,
      labels: texts,
      annotations: texts,
    }),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(alerts, (each) => {
      const parameters = { name: 'instance', desc: 'alertname' };
      const messages = alertmanager.read({ alerts: each }, undefined, {
        parameters,
        stream: 's',
        topic: undefined,
      });
      if (messages === 'account') throw new Error('alerts are no question for an account');
      for (const { topic, content } of messages) {
        expect(checkTopic(composedTopic(topic))).not.toBe('');
        expect(shown(alertmanager, content)).toBeDefined();
      }
    }),
  );
});

test.each(['~', '`'] as const)('a text quoted between %s stays in its quote', (mark) => {
  const quoted = fc
    .array(fc.oneof(hostile, fc.constantFrom('\n~~~\n', '\n```\n', '~~~~', '````')), {
      maxLength: 6,
    })
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(quoted, (text) => {
      const message = shown(integrationOf('helloworld'), quoteBlock(`begin ${text}`, mark));
      // The marks of a quote without text are text.
      expect(textOutsideQuotes(message?.html ?? '')).toMatch(/^(?:&gt;|\s)*$/);
    }),
    {
      examples: [['\r~~~\rout'], ['\r```\rout'], ['\n\u0002~~~\n\u0003```\nout']],
    },
  );
});
