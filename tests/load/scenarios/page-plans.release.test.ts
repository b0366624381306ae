import { expect, test } from 'vitest';

import { explainPages, planLine } from './page-plans.ts';

/** Of the narrows in docs/performance.md that read more than is required, the dearest reads a little less. */
const buffersMax = 4_000;

test('no first page of a narrow in a million messages reads many of them', async () => {
  const dear: string[] = [];
  await explainPages(1_000_000, (row) => {
    // Each unread message is read once.
    if (row.narrow !== 'unread_msgs' && row.buffers > buffersMax) dear.push(planLine(row));
  });
  expect(dear).toEqual([]);
});
