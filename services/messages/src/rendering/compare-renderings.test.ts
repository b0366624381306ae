import { MovedClock } from '@parley/clock';
import { htmlDiff } from '@parley/markdown';
import { expect, test } from 'vitest';

import { MessageRenderer } from './message-renderer.ts';

test('renderings compare equally in place and in a thread, which still renders correctly afterwards', async () => {
  const renderer = new MessageRenderer({ clock: new MovedClock(), log: { warn: () => undefined } });
  try {
    const short = ['<p>one two</p>', '<p>one three</p>'] as const;
    const long = [`<p>${'a b '.repeat(2_000)}</p>`, `<p>${'a c '.repeat(2_000)}</p>`] as const;
    for (const [previous, now] of [short, long])
      expect(await renderer.compare(previous, now)).toBe(htmlDiff(previous, now));
    const { html } = await renderer.render('x'.repeat(5_000), {
      realmUri: 'http://127.0.0.1',
      users: [],
      groups: [],
      streams: [],
      emoji: [],
      linkifiers: [],
      inlineImagePreview: true,
      translateEmoticons: false,
    });
    expect(html).toBe(`<p>${'x'.repeat(5_000)}</p>`);
  } finally {
    await renderer.close();
  }
});
