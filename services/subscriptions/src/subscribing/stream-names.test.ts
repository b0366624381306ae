import { setImmediate as nextTurn } from 'node:timers/promises';

import type { DescriptionRenderer } from '@parley/markdown';
import { StepBudget } from '@parley/markdown';
import { Turns } from '@parley/server';
import { expect, test } from 'vitest';

import { checkStreamNames, withDescriptions } from './stream-names.ts';

const lists = {
  accountsMax: 1,
  botsMax: 1,
  streamsMax: 1,
  subscriptionsMax: 1,
  textsMaxBytes: 12_000,
  newStreamsPerDayMax: 1,
  newSubscriptionsPerDayMax: 1,
  newBotsPerDayMax: 1,
};

async function describeAll(
  descriptions: readonly string[],
  renderDescription: DescriptionRenderer,
  renderingTurns = new Turns(),
): Promise<(string | undefined)[]> {
  const wanted = checkStreamNames(
    descriptions.map((description, n) => ({ name: `s${n}`, description })),
  );
  const rendered = await withDescriptions({ renderDescription, renderingTurns, lists }, wanted);
  return [...rendered.values()].map(({ renderedDescription }) => renderedDescription);
}

test('the descriptions of one request share one rendering budget', async () => {
  const budgets = new Set<StepBudget | undefined>();
  const rendered = await describeAll(['x', 'y'], (description, budget) => {
    budgets.add(budget);
    return `<p>${description}</p>`;
  });
  expect(rendered).toEqual(['<p>x</p>', '<p>y</p>']);
  expect([...budgets]).toEqual([expect.any(StepBudget)]);
});

test('of long descriptions in several requests one is rendered in each turn of the event loop', async () => {
  const renderedIn: number[] = [];
  let turn = 0;
  const turns = new Turns();
  const long = Array.from({ length: 8 }, () => 'x'.repeat(1_500));
  const render = (): string => {
    renderedIn.push(turn);
    return '';
  };
  const requests = Promise.all([
    describeAll(long, render, turns),
    describeAll(long, render, turns),
  ]);
  while (renderedIn.length < 16) {
    await nextTurn();
    turn += 1;
  }
  await requests;
  const perTurn = Map.groupBy(renderedIn, (each) => each);
  // What is short is rendered at once: the first of each request.
  perTurn.delete(0);
  expect(Math.max(...[...perTurn.values()].map(({ length }) => length))).toBeLessThanOrEqual(2);
});

test('descriptions that all streams may not have together are refused before they are rendered', async () => {
  const many = Array.from({ length: 13 }, () => 'x'.repeat(1_000));
  await expect(
    describeAll(many, () => {
      throw new Error('one was rendered');
    }),
  ).rejects.toThrow('The texts of all streams may have at most 12000 bytes together.');
});
