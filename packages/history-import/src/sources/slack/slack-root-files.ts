/** The files of a whole workspace: people, channels and private conversations. */
import type { ZipArchive } from '../../archive/zip-archive.ts';
import { RecordFault } from '../../import-fault.ts';
import type { Ledger, Place } from '../../ledger.ts';
import { parseRun, readElements } from '../../reading/json-elements.ts';
import { Row, isRecord } from '../../reading/row.ts';
import type { SlackRecord } from './files.ts';
import { slackbot } from './slack-people.ts';

/** Reads a file's records; those that cannot be read are reported. */
export async function readRootFile(
  archive: ZipArchive,
  file: string,
  ledger: Ledger,
  handle: (row: Row, place: Place, record: SlackRecord) => void,
): Promise<void> {
  if (!archive.has(file)) return;
  for await (const run of readElements(file, await archive.open(file)))
    for (const element of run.first < 0 ? [] : parseRun(run)) {
      const place = { file, at: `[${element.index}]` };
      if ('fault' in element) {
        ledger.unreadable(file, element.fault, place, element.text);
        continue;
      }
      try {
        const row = new Row(element.value);
        handle(row, place, isRecord(element.value) ? element.value : {});
      } catch (error) {
        if (!(error instanceof RecordFault)) throw error;
        ledger.unreadable(file, error.message, place, JSON.stringify(element.value));
      }
    }
}

/** @returns the id of the workspace itself, by an account that no other workspace shares with it; undefined if there is none */
export async function findHomeTeam(archive: ZipArchive): Promise<string | undefined> {
  const file = 'users.json';
  let ofOwner: string | undefined;
  for await (const run of readElements(file, await archive.open(file)))
    for (const element of run.first < 0 ? [] : parseRun(run)) {
      if (!('value' in element) || !isRecord(element.value)) continue;
      const row = new Row(element.value);
      const team = row.findText('team_id') || undefined;
      if (row.findText('id') === slackbot && team !== undefined) return team;
      if (row.isTrue('is_primary_owner')) ofOwner ??= team;
    }
  return ofOwner;
}
