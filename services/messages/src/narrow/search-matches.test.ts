import { setImmediate as nextTurn } from 'node:timers/promises';

import { Turns } from '@parley/server';
import { expect, test } from 'vitest';

import { matchMessages } from './search-matches.ts';

const long = { topic: 'x', renderedContent: `<p>${'kelp '.repeat(20_000)}</p>` };

test('other work comes between the long messages of all searches, and abandoned ones end', async () => {
  const controller = new AbortController();
  const marking = { turns: new Turns(), signal: controller.signal };
  const searches = [1, 2].map(async () => matchMessages([long, long, long], ['kelp'], marking));
  const ended = Promise.all(searches).then(() => true);
  let turns = 0;
  while (!(await Promise.race([ended, nextTurn(false)]))) turns += 1;
  expect(turns).toBeGreaterThanOrEqual(3);

  const abandoned = matchMessages([long, long], ['kelp'], marking);
  controller.abort();
  await expect(abandoned).rejects.toThrow('nobody waits');
});
