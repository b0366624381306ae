import { StepBudget } from '@parley/markdown';
import { expect, test } from 'vitest';

import { checkStreamNames, withDescriptions } from './stream-names.ts';

test('the descriptions of one request share one rendering budget', () => {
  const wanted = checkStreamNames([
    { name: 'a', description: 'x' },
    { name: 'b', description: 'y' },
  ]);
  const budgets = new Set<StepBudget | undefined>();
  const rendered = withDescriptions(wanted, (description, budget) => {
    budgets.add(budget);
    return `<p>${description}</p>`;
  });
  expect([...rendered.values()].map((stream) => stream.renderedDescription)).toEqual([
    '<p>x</p>',
    '<p>y</p>',
  ]);
  expect([...budgets]).toEqual([expect.any(StepBudget)]);
});
