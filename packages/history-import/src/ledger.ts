/**
 * Accounts for every record of a source: imported, merged into another one, or skipped, with the reason and the place. Its totals are compared
 * with an independent count of the archive.
 */
import { ImportFault } from './import-fault.ts';
import { MemoryBudget } from './reading/memory-budget.ts';

/** Where a record is in the archive. */
export type Place = {
  /** A file of the archive. */
  readonly file: string;
  /** The record in it: a line, or the name and number of an array's element. */
  readonly at: string;
};

export type Outcome = 'imported' | 'merged' | 'skipped';

type Line = {
  readonly outcome: Outcome;
  readonly kind: string;
  readonly reason: string;
  count: number;
  readonly places: Place[];
};

/** The most places that the summary lists for one reason. */
const placesMax = 5;
/** The most different reasons; a hostile archive could make up as many as it has records. */
const linesMax = 5_000;
const sampleMax = 80;
/** An archive with more records that cannot be read is none, or broken throughout. */
const unreadableMax = 1_000_000;
const keptMaxBytes = 512 * 1024 * 1024;
/** What is made of a record beside its own fields: its place, and the records of ours. */
const keptOverheadBytes = 400;

/** Written for each record that was not imported, if somebody wants to read them. */
export type NotImported = {
  readonly outcome: Outcome;
  readonly kind: string;
  readonly reason: string;
  readonly place: Place;
  /** How many there are at the place, if there are several. */
  readonly count?: number;
  readonly sample?: string;
};

export type LedgerLine = Readonly<Omit<Line, 'places'>> & { readonly places: readonly Place[] };

/** Values of fields that may be secrets, in the beginning of a record that could not be read. */
const secretValues =
  /("?(?:[\w-]*(?:token|secret|password|api_?key|auth_data)[\w-]*)"?\s*[:=]\s*)(?:"[^"]*"?|[^\s,}]+)/gi;
const queries = /\?[^\s"<>]*/g;

/** @returns the beginning of a record, without what may be secret in it */
export function sampleOf(text: string): string {
  return text
    .slice(0, 4 * sampleMax)
    .replaceAll(secretValues, '$1…')
    .replaceAll(queries, '?…')
    .replaceAll(/\s+/g, ' ')
    .slice(0, sampleMax);
}

export class Ledger {
  readonly #lines = new Map<string, Line>();
  readonly #isStrict: boolean;
  readonly #write: (record: NotImported) => void;
  readonly #kept = new MemoryBudget(
    'People, channels, memberships, threads and files of the archive',
    keptMaxBytes,
  );
  #unreadable = 0;

  constructor(options: {
    /** Whether a record that cannot be read ends the import. */
    readonly isStrict: boolean;
    readonly write: (record: NotImported) => void;
  }) {
    this.#isStrict = options.isStrict;
    this.#write = options.write;
  }

  imported(kind: string, count = 1): void {
    if (count > 0) this.#add('imported', kind, '', undefined, count);
  }

  /**
   * Something of the archive stays in memory until the end.
   *
   * @param weight of its fields, in bytes
   * @param overheadBytes of its place and what is made of it
   * @throws ImportFault if there is too much of it
   */
  keep(weight: number, overheadBytes = keptOverheadBytes): void {
    this.#kept.take(weight + overheadBytes);
  }

  /** The record is the same as another one here. */
  merged(kind: string, reason: string, place: Place): void {
    this.#add('merged', kind, reason, place, 1);
    this.#write({ outcome: 'merged', kind, reason, place });
  }

  /** The record has no place here, as the mapping says. */
  skipped(kind: string, reason: string, place: Place): void {
    this.#add('skipped', kind, reason, place, 1);
    this.#write({ outcome: 'skipped', kind, reason, place });
  }

  /** As `skipped`, for several records at one place. */
  skippedMany(kind: string, reason: string, place: Place, count: number): void {
    if (count === 0) return;
    this.#add('skipped', kind, reason, place, count);
    this.#write({ outcome: 'skipped', kind, reason, place, count });
  }

  /**
   * The record cannot be read.
   *
   * @throws ImportFault in a strict import
   */
  unreadable(kind: string, reason: string, place: Place, record: string): void {
    this.#unreadable += 1;
    if (this.#unreadable > unreadableMax)
      throw new ImportFault(
        `The archive is no export: more than ${unreadableMax} of its records cannot be read`,
      );
    const sample = sampleOf(record);
    if (this.#isStrict)
      throw new ImportFault(`${place.file}, ${place.at}: ${reason}. It begins with ${sample}`);
    this.#add('skipped', kind, reason, place, 1);
    this.#write({ outcome: 'skipped', kind, reason, place, sample });
  }

  /** Something about records that were imported: renamed, cut, made up. Not part of the totals. */
  readonly #remarks = new Map<string, number>();

  remark(text: string, count = 1): void {
    if (this.#remarks.has(text) || this.#remarks.size < linesMax)
      this.#remarks.set(text, (this.#remarks.get(text) ?? 0) + count);
  }

  /** A thing has another name here than in the archive, or the same. */
  named(what: string, written: string, name: string): void {
    if (name !== written)
      this.remark(`${what} ${JSON.stringify(written)} is now ${JSON.stringify(name)}`);
  }

  get remarks(): ReadonlyMap<string, number> {
    return this.#remarks;
  }

  #add(outcome: Outcome, kind: string, reason: string, place: Place | undefined, count: number) {
    const key = `${outcome}\n${kind}\n${reason}`;
    let line = this.#lines.get(key);
    if (line === undefined) {
      if (this.#lines.size >= linesMax)
        throw new ImportFault('The archive has more kinds of faults than can be reported');
      line = { outcome, kind, reason, count: 0, places: [] };
      this.#lines.set(key, line);
    }
    line.count += count;
    if (place !== undefined && line.places.length < placesMax) line.places.push(place);
  }

  /** @returns what became of the records, by kind and outcome */
  lines(): readonly LedgerLine[] {
    const order: readonly Outcome[] = ['imported', 'merged', 'skipped'];
    return [...this.#lines.values()].toSorted(
      (a, b) =>
        a.kind.localeCompare(b.kind) ||
        order.indexOf(a.outcome) - order.indexOf(b.outcome) ||
        a.reason.localeCompare(b.reason),
    );
  }

  /** @returns how many records of a kind were imported */
  importedOf(kind: string): number {
    return this.#lines.get(`imported\n${kind}\n`)?.count ?? 0;
  }

  /** @returns how many records of each kind were accounted for */
  totals(): Map<string, number> {
    const totals = new Map<string, number>();
    for (const { kind, count } of this.#lines.values())
      totals.set(kind, (totals.get(kind) ?? 0) + count);
    return totals;
  }
}

export type Difference = {
  readonly kind: string;
  readonly counted: number;
  readonly accountedFor: number;
};

/** @returns the kinds of which the ledger has another total than the independent count */
export function differencesOf(ledger: Ledger, counted: ReadonlyMap<string, number>): Difference[] {
  const totals = ledger.totals();
  return [...new Set([...totals.keys(), ...counted.keys()])]
    .map((kind) => ({
      kind,
      counted: counted.get(kind) ?? 0,
      accountedFor: totals.get(kind) ?? 0,
    }))
    .filter((row) => row.counted !== row.accountedFor)
    .toSorted((a, b) => a.kind.localeCompare(b.kind));
}
