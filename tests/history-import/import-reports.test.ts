import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { useImportTarget } from './imported-organization.ts';
import { mattermostLines, otherTeam, writeMattermost } from './mattermost-fixture.ts';
import { writeSlack } from './slack-fixture.ts';
import { writeZulip } from './zulip-fixture.ts';

type ReportLine = {
  readonly outcome: string;
  readonly kind: string;
  readonly reason: string;
  readonly place: { readonly file: string; readonly at: string };
  readonly count?: number;
};

type Records = readonly (Omit<ReportLine, 'place'> & { readonly count: number })[];

const target = useImportTarget();

const writeTeam = (path: string): Promise<void> =>
  writeMattermost(path, [...mattermostLines(), ...otherTeam]);

const sources = [
  ['zulip', 'ada@bakery.example', writeZulip, []],
  ['slack', 'ana@birch.example', writeSlack, []],
  ['mattermost', 'ana@birch.example', writeTeam, ['--team', 'birch']],
] as const;

describe('every record that was not imported stands in the report', () => {
  test.each(sources)('%s', async (source, administrator, write, more) => {
    const archive = join(target.folder, source);
    await write(archive);
    const report = join(target.folder, `${source}.jsonl`);
    const words = ['--dry-run', '--json', '--report', report, ...more];
    const { out, error } = await target.importFrom(source, archive, administrator, words);
    expect(error).toBe('');
    const { records } = JSON.parse(out) as { records: Records };
    const wanted = records.filter(({ outcome }) => outcome !== 'imported');
    const counts = new Map<string, number>();
    for (const text of (await readFile(report, 'utf8')).trim().split('\n')) {
      const { outcome, kind, reason, place, count = 1 } = JSON.parse(text) as ReportLine;
      expect([place.file, place.at]).not.toContain('');
      const key = JSON.stringify([outcome, kind, reason]);
      counts.set(key, (counts.get(key) ?? 0) + count);
    }
    const keyed = wanted.map(
      ({ outcome, kind, reason, count }) =>
        [JSON.stringify([outcome, kind, reason]), count] as const,
    );
    expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(keyed));
    expect(keyed.length).toBeGreaterThan(10);
  });
});

test('a failed import leaves what it found', async () => {
  const archive = join(target.folder, 'failing');
  await writeTeam(archive);
  const report = join(target.folder, 'failing.jsonl');
  const words = ['--team', 'birch', '--report', report];
  const ended = await target.importFrom('mattermost', archive, 'nobody@birch.example', words);
  expect(ended.error).toMatch(/Nobody in the archive/);
  expect((await readFile(report, 'utf8')).trim().split('\n').length).toBeGreaterThan(3);
});

test('a report that cannot be written to its end leaves nothing imported', async () => {
  const archive = join(target.folder, 'birch.zip');
  await writeSlack(archive);
  // The file can be made, and takes no more than a kibibyte.
  const inSmallFiles = ['bash', '-c', 'ulimit -f 1; exec "$@"', 'bash'];
  const report = join(target.folder, 'full.jsonl');
  const words = ['--report', report];
  const ended = await target.startImport('slack', archive, 'ana@birch.example', words, inSmallFiles)
    .ended;
  expect(ended.error).toMatch(/full\.jsonl cannot be written: EFBIG/);
  expect(ended.code).toBe(1);
  expect((await target.left()).rows).toBe(0);
});
