/** The index of the decisions, from their pages: `NUMBER-NAME.md`, a title, and where it is so a line `Replaces NUMBER, NUMBER and NUMBER.` */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryFolder } from '@parley/test-kit';

type Decision = {
  readonly number: string;
  readonly file: string;
  readonly title: string;
  /** Numbers of decisions whose pages are gone. */
  readonly replaced: readonly string[];
};

export const decisionsPagePath = 'docs/decisions/README.md';

const folder = join(repositoryFolder, 'docs', 'decisions');

function readDecision(file: string): Decision {
  const text = readFileSync(join(folder, file), 'utf8');
  const [, title = ''] = /^# (.+)$/m.exec(text) ?? [];
  const [, replaced = ''] = /^Replaces (.+)\.$/m.exec(text) ?? [];
  return { number: file.slice(0, 4), file, title, replaced: replaced.match(/\d{4}/g) ?? [] };
}

export function decisionsPage(): string {
  const decisions = readdirSync(folder)
    .filter((file) => /^\d{4}-.+\.md$/.test(file))
    .toSorted()
    .map(readDecision);
  const rows = decisions.flatMap(({ number, file, title, replaced }) => [
    { number, row: `| ${number} | [${title}](${file}) |` },
    ...replaced.map((old) => ({ number: old, row: `| ${old} | replaced by ${number} |` })),
  ]);
  const inOrder = rows.toSorted((a, b) => (a.number < b.number ? -1 : 1));
  return [
    '# Decisions',
    '',
    'One page for each decision that had a real alternative: the context, the choice, its cost, what was rejected, and what would change it. A page',
    'describes the system as it is; one that no longer does is rewritten, or goes and is named by the page that replaces it. Numbers that are',
    'not here name no decision.',
    '',
    '| | |',
    '| --- | --- |',
    ...inOrder.map(({ row }) => row),
    '',
  ].join('\n');
}
