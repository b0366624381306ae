/** Everything of a bulk export but its posts: the team, people, channels, emoji, and how far people have read. */
import { ImportFault, RecordFault } from '../../import-fault.ts';
import type { Ledger, Place } from '../../ledger.ts';
import { Row, isRecord } from '../../reading/row.ts';
import type { EmojiRecord } from '../../records.ts';
import type { MattermostArchive, MattermostLine } from './mattermost-archive.ts';
import { MattermostChannels, MattermostPeople } from './mattermost-people.ts';
import { findTimeMs } from './mattermost-posts.ts';

export type MattermostDirectory = {
  readonly team: Row;
  readonly teamName: string;
  readonly people: MattermostPeople;
  readonly channels: MattermostChannels;
  readonly emoji: readonly EmojiRecord[];
  /** By names in lower case. */
  readonly emojiIndexes: ReadonlyMap<string, number>;
};

const orderedTypes = ['team', 'channel', 'user', 'bot', 'emoji', 'direct_channel'];
const leftTypes = new Map([
  ['role', 'roles have no place here'],
  ['scheme', 'schemes have no place here'],
]);

/** @returns the lines of each type, but for those of posts */
async function readLines(
  archive: MattermostArchive,
  ledger: Ledger,
): Promise<(type: string) => readonly MattermostLine[]> {
  const kept = new Map<string, MattermostLine[]>(orderedTypes.map((type) => [type, []]));
  let versions = 0;
  for await (const line of archive.lines(true)) {
    const { type, place } = line;
    if (versions === 0 && type !== 'version')
      throw new ImportFault('The file does not begin with its version');
    if (type === 'version') {
      versions += 1;
      if (versions > 1 || line.row.findInteger('version') !== 1)
        throw new ImportFault('The file has another version than 1, or several files in one');
      ledger.imported('version');
    } else if (kept.has(type)) {
      ledger.keep(line.weight);
      kept.get(type)?.push(line);
    } else if (type !== 'post' && type !== 'direct_post')
      ledger.skipped(type, leftTypes.get(type) ?? 'this release does not know the type', place);
  }
  return (type) => kept.get(type) ?? [];
}

/** @throws ImportFault if it is not clear which one is meant */
function chooseTeam(
  teams: readonly MattermostLine[],
  wanted: string | undefined,
  ledger: Ledger,
): Row {
  const names = teams.map(({ row }) => row.findText('name') ?? '');
  const team =
    wanted === undefined && teams.length === 1
      ? teams[0]
      : teams.find(({ row }) => row.findText('name') === wanted);
  if (team === undefined)
    throw new ImportFault(
      `Name one of the teams with --team: ${names.join(', ')}. Joining them would open public channels of one to the other`,
    );
  for (const other of teams)
    if (other === team) ledger.imported('team');
    else ledger.skipped('team', 'another team is imported', other.place);
  return team.row;
}

/**
 * Reads everything but posts; what refers to others waits until all lines are read.
 *
 * @param wanted the team, if there are several
 * @throws ImportFault if it is no export that can be imported
 */
export async function readMattermostDirectory(
  archive: MattermostArchive,
  wanted: string | undefined,
  ledger: Ledger,
): Promise<MattermostDirectory> {
  const of = await readLines(archive, ledger);
  const team = chooseTeam(of('team'), wanted, ledger);
  const teamName = team.findText('name') ?? '';
  const people = new MattermostPeople(ledger);
  const channels = new MattermostChannels(ledger);
  const emoji: EmojiRecord[] = [];
  const emojiIndexes = new Map<string, number>();
  const each = (type: string, handle: (row: Row, place: Place) => void): void => {
    for (const { row, place } of of(type)) {
      try {
        handle(row, place);
      } catch (error) {
        if (!(error instanceof RecordFault)) throw error;
        ledger.unreadable(type, error.message, place, '');
      }
    }
  };
  const teamOf = (row: Row): Row | undefined =>
    row
      .list('teams')
      .filter(isRecord)
      .map((entry) => new Row(entry))
      .find((entry) => entry.findText('name') === teamName);
  each('channel', (row, place) => {
    if (row.findText('team') === teamName) channels.add(row, place);
    else ledger.skipped('channel', 'it is of another team', place);
  });
  each('user', (row, place) => {
    const image = row.findText('profile_image');
    people.addUser(
      row,
      place,
      teamOf(row),
      image === undefined ? undefined : archive.fileAt(image),
    );
  });
  each('user', (row, place) => {
    const own = teamOf(row);
    if (own !== undefined) people.addMemberships(row, own, channels, place);
  });
  each('bot', (row, place) => people.addBot(row, place));
  each('emoji', (row, place) => {
    const name = row.text('name').toLowerCase().replaceAll('+', '_');
    emojiIndexes.set(row.text('name').toLowerCase(), emoji.length);
    emoji.push({
      place,
      name,
      author: undefined,
      isDeactivated: false,
      file: archive.fileAt(row.findText('image') ?? ''),
    });
  });
  each('direct_channel', (row) => {
    const listed = row
      .list('participants')
      .filter(isRecord)
      .map((entry) => new Row(entry));
    const members = [
      ...row.list('members').filter((name) => typeof name === 'string'),
      ...listed.flatMap((entry) => entry.findText('username') ?? []),
    ];
    const participants = [...new Set(members.map((name) => people.ensure(name)))];
    for (const entry of listed) {
      const viewedAt = findTimeMs(entry, 'last_viewed_at') ?? 0;
      const person = people.indexOf(entry.findText('username') ?? '');
      if (viewedAt > 0 && person !== undefined)
        people.positions.push({ person, place: { participants }, readUpTo: viewedAt });
    }
    ledger.imported('direct_channel');
  });
  return { team, teamName, people, channels, emoji, emojiIndexes };
}
