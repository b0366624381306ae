/** Everything that comments cite exists: headings of the architecture, sections of the reference facts. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { repositoryFolder } from '@parley/test-kit';
import { expect, test } from 'vitest';

const pages: Readonly<Record<string, string>> = {
  clients: 'spec/clients.md',
  events: 'spec/events.md',
  markdown: 'spec/markdown.md',
  messages: 'spec/messages.md',
  people: 'spec/people-auth-errors.md',
  streams: 'spec/streams.md',
};

const read = (path: string): string => readFileSync(join(repositoryFolder, path), 'utf8');

function headingsOf(page: string): string[] {
  return [...read(`docs/${page}`).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => heading);
}

/** Each file's comments, joined into one line. */
const texts = globSync('{packages,services,tests,docs}/**/*.{ts,mjs,md}', {
  cwd: repositoryFolder,
  exclude: ['**/node_modules', 'docs/spec'],
}).map((path) => ({ path, text: read(path).replaceAll(/\n\s*(?:\*|\/\/)? ?/g, ' ') }));

test('headings of the architecture', () => {
  const headings = headingsOf('architecture.md');
  const cited = texts.flatMap(({ path, text }) =>
    [...text.matchAll(/\(architecture, ([^();]+)/g)].map(([, heading = '']) => ({ path, heading })),
  );
  expect(cited.length).toBeGreaterThan(20);
  expect(cited.filter(({ heading }) => !headings.includes(heading))).toEqual([]);
});

test('sections of the reference facts', () => {
  const sections = new Set(
    Object.entries(pages).flatMap(([name, page]) =>
      headingsOf(page).map((heading) => `${name} ${/^\d*/.exec(heading)?.[0]}`),
    ),
  );
  const citation = new RegExp(`\\bfacts, (${Object.keys(pages).join('|')}) (\\d+)`, 'g');
  const cited = texts.flatMap(({ path, text }) =>
    [...text.matchAll(citation)].map(([, name, number]) => ({
      path,
      section: `${name} ${number}`,
    })),
  );
  expect(cited.length).toBeGreaterThan(500);
  expect(cited.filter(({ section }) => !sections.has(section))).toEqual([]);
});
