import { MovedClock } from '@parley/clock';
import { expect, test } from 'vitest';

import { MessageRenderer } from './message-renderer.ts';

const data = {
  realmUri: 'http://127.0.0.1',
  users: [],
  groups: [],
  streams: [],
  emoji: [],
  linkifiers: [],
  inlineImagePreview: true,
  translateEmoticons: false,
};

test.each(['$$x$$', '```py\n1\n```', '~~~\nx', 'a|b\n-|-\n1', '    code', 'word '.repeat(101)])(
  'a short costly message may be sent to a thread: %j',
  async (content) => {
    const withoutThreads = { size: 0, waitingMax: 0 };
    const log = { warn: () => undefined };
    const renderer = new MessageRenderer({ clock: new MovedClock(), log, ...withoutThreads });
    expect((await renderer.render('> some *words*', data)).html).toContain('<em>words</em>');
    await expect(renderer.render(content, data)).rejects.toMatchObject({ status: 503 });
  },
);
