/** The tables of an export of the reference server, row by row, whatever its release. */
import type { SpooledArchive } from '../../archive/spooled-archive.ts';
import { ImportFault, RecordFault } from '../../import-fault.ts';
import type { Ledger, Place } from '../../ledger.ts';
import { parseRun, readElements } from '../../reading/json-elements.ts';
import type { ElementRun } from '../../reading/json-elements.ts';
import { Row, isRecord } from '../../reading/row.ts';

/** The key of a whole array file in accounts, where a table has its name. */
export const recordFiles = {
  uploads: 'uploads/records.json',
  avatars: 'avatars/records.json',
  emoji: 'emoji/records.json',
} as const;

/** A row with its place. */
export type PlacedRow = { readonly row: Row; readonly place: Place };

/** What is done with the rows of a table; a fault that it throws is the row's. */
export type RowHandler = (row: Row, place: Place, weight: number) => void;

export type TableHandlers = {
  readonly rows: Readonly<Record<string, RowHandler>>;
  /** Called for rows of tables without a handler, with their place and number. */
  readonly others?: (table: string, place: Place, rows: number) => void;
  /** Called for keys that are no table. */
  readonly value?: (key: string, value: unknown) => void;
};

/**
 * Reads a file's tables.
 *
 * @param path in the archive; an array file has one table, with the path as its name
 */
export async function readTables(
  archive: SpooledArchive,
  path: string,
  handlers: TableHandlers,
  ledger: Ledger,
): Promise<void> {
  for await (const run of readElements(path, archive.open(path))) {
    const table = run.table === '' ? path : run.table;
    // An archive may name a table like something that every object has.
    const handle = Object.hasOwn(handlers.rows, table) ? handlers.rows[table] : undefined;
    if (run.first < 0) {
      const [value] = parseRun(run);
      if (value !== undefined && 'value' in value) handlers.value?.(table, value.value);
    } else if (handle === undefined)
      handlers.others?.(table, placeOf(path, table, run), run.starts.length);
    else
      for (const element of parseRun(run)) {
        const place = { file: path, at: `${table}[${element.index}]` };
        if ('fault' in element) {
          ledger.unreadable(table, element.fault, place, element.text);
          continue;
        }
        try {
          handle(new Row(element.value), place, element.weight);
        } catch (error) {
          if (!(error instanceof RecordFault)) throw error;
          ledger.unreadable(table, error.message, place, JSON.stringify(element.value));
        }
      }
  }
}

/** @returns where neighbouring rows are */
function placeOf(file: string, table: string, { first, starts }: ElementRun): Place {
  return { file, at: `${table}[${first}…${first + starts.length - 1}]` };
}

/** Tables of `realm.json` that are kept in memory; they grow with people and streams. */
export const keptTables = [
  'zerver_realm',
  'zerver_defaultstream',
  'zerver_customprofilefield',
  'zerver_customprofilefieldvalue',
  'zerver_realmemoji',
  'zerver_realmdomain',
  'zerver_realmfilter',
  'zerver_client',
  'zerver_userprofile',
  'zerver_userprofile_mirrordummy',
  'zerver_userprofile_crossrealm',
  'zerver_alertword',
  'zerver_mutedtopic',
  'zerver_usertopic',
  'zerver_stream',
  'zerver_huddle',
  'zerver_recipient',
  'zerver_usergroup',
  'zerver_namedusergroup',
  'zerver_usergroupmembership',
  'zerver_groupgroupmembership',
] as const;

export type KeptTable = (typeof keptTables)[number];

/** Tables of `realm.json` that may be longer, and are read row by row once the others are known. */
const laterTables: ReadonlySet<string> = new Set([
  'zerver_subscription',
  'zerver_realmauditlog',
  'zerver_reaction',
]);

export type RealmTables = {
  readonly rows: Readonly<Record<KeptTable, readonly PlacedRow[]>>;
  readonly isSortedByDate: boolean;
};

/** Reasons for what is left out, by table. */
const leftOut = new Map(
  Object.entries({
    zerver_service: 'services of bots are set up anew',
    zerver_botstoragedata: 'stores of bots begin empty',
    zerver_botconfigdata: 'services of bots are set up anew',
    zerver_userhotspot: 'what clients have shown has no place here',
    zerver_userpresence: 'who was there then has no place here',
    zerver_useractivity: 'statistics have no place here',
    zerver_useractivityinterval: 'statistics have no place here',
  }),
);

/**
 * Reads `realm.json` without the tables that are read later.
 *
 * @throws ImportFault if it is not the export of one organization
 */
export async function readRealmTables(
  archive: SpooledArchive,
  ledger: Ledger,
): Promise<RealmTables> {
  const rows = Object.fromEntries(keptTables.map((table) => [table, [] as PlacedRow[]])) as Record<
    KeptTable,
    PlacedRow[]
  >;
  let isSortedByDate = false;
  const keep = (table: KeptTable): RowHandler => {
    return (row, place, weight) => {
      ledger.keep(weight);
      rows[table].push({ row, place });
    };
  };
  const handlers = {
    rows: Object.fromEntries(keptTables.map((table) => [table, keep(table)])),
    others: (table: string, place: Place, count: number) => {
      if (!laterTables.has(table))
        ledger.skippedMany(
          table,
          leftOut.get(table) ?? 'this release does not know the table',
          place,
          count,
        );
    },
    value: (key: string, value: unknown) => {
      if (key === 'sort_by_date') isSortedByDate = value === true;
    },
  };
  await readTables(archive, 'realm.json', handlers, ledger);
  if (rows.zerver_realm.length !== 1)
    throw new ImportFault(
      `realm.json has ${rows.zerver_realm.length} organizations, and an export has one`,
    );
  return { rows, isSortedByDate };
}

/** Reads rows one by one; a fault of a row is reported, and the others go on. */
export function eachRow(
  table: string,
  rows: readonly PlacedRow[],
  ledger: Ledger,
  handle: (placed: PlacedRow) => void,
): void {
  for (const placed of rows) {
    try {
      handle(placed);
    } catch (error) {
      if (!(error instanceof RecordFault)) throw error;
      ledger.unreadable(table, error.message, placed.place, '');
    }
  }
}

/** Reads the rows of one table a few thousand at a time; rows that cannot be read are reported. */
export async function* readRows(
  archive: SpooledArchive,
  path: string,
  table: string,
  ledger: Ledger,
): AsyncGenerator<readonly PlacedRow[]> {
  for await (const run of readElements(path, archive.open(path))) {
    if (run.table !== table || run.first < 0) continue;
    const rows: PlacedRow[] = [];
    for (const element of parseRun(run)) {
      const place = { file: path, at: `${table}[${element.index}]` };
      if ('fault' in element) ledger.unreadable(table, element.fault, place, element.text);
      else if (!isRecord(element.value))
        ledger.unreadable(table, 'it is no object', place, JSON.stringify(element.value));
      else rows.push({ row: new Row(element.value), place });
    }
    yield rows;
  }
}
