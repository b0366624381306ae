/** Files of a Slack workspace. Its own archives have links alone; other programs store the files beside them. */
import { cleanText, isRecord } from '../../reading/row.ts';
import type { Ledger, Place } from '../../ledger.ts';
import type { ZipArchive } from '../../archive/zip-archive.ts';
import type { ArchiveFile, FileRecord } from '../../records.ts';
import type { SlackFetcher, WantedFile } from './files-fetch.ts';
import { isOnHosts, slackHosts } from './files-fetch.ts';
import type { SlackPeople } from './slack-people.ts';

export type SlackRecord = Readonly<Record<string, unknown>>;

export const fileKind = 'files';

const text = (value: unknown): string => (typeof value === 'string' ? cleanText(value) : '');

/** @returns what a message lists as its files, in both forms that exports have had */
function listedIn(record: SlackRecord): readonly unknown[] {
  const { files, file } = record;
  return [...(Array.isArray(files) ? (files as unknown[]) : []), ...(isRecord(file) ? [file] : [])];
}

/** @returns the files of a message, each once */
export function filesOf(record: SlackRecord): SlackRecord[] {
  const ids = new Set<unknown>();
  return listedIn(record)
    .filter(isRecord)
    .filter(({ id }) => !ids.has(id) && ids.add(id));
}

/** What stays a link although its address is Slack's: documents without a file. */
const documentModes: ReadonlySet<unknown> = new Set(['space', 'post', 'quip', 'canvas', 'list']);

/** @returns why a file cannot be had from anywhere, or undefined */
export function reasonGone(file: SlackRecord): 'deleted' | 'no longer available' | undefined {
  if (file['mode'] === 'tombstone') return 'deleted';
  return file['mode'] === 'hidden_by_limit' || text(file['url_private']) === ''
    ? 'no longer available'
    : undefined;
}

function reasonToLink(file: SlackRecord): string | undefined {
  const gone = reasonGone(file);
  if (gone !== undefined) return `it is ${gone}`;
  if (documentModes.has(file['mode'])) return 'its content is no file';
  return isOnHosts(text(file['url_private']), slackHosts.files)
    ? undefined
    : 'it is not on a host for files of Slack';
}

/** A file that messages list: what became of it, and all that a record of ours needs. */
type Noted = {
  readonly wanted: WantedFile;
  readonly place: Place;
  readonly owner: string;
  readonly name: string;
  readonly createdAt: number;
  /** Its number in the directory. */
  index: number | undefined;
};

/** The paths under which other programs store files, by their ids. */
const storedPath = /^(?:__uploads\/(F[A-Z0-9]+)\/[^/]+|(?:.*\/)?attachments\/(F[A-Z0-9]+)-[^/]+)$/;

function storedIn(archive: ZipArchive): ReadonlyMap<string, ArchiveFile> {
  const found = new Map<string, ArchiveFile>();
  for (const path of archive.paths()) {
    const match = storedPath.exec(path);
    const id = match?.[1] ?? match?.[2];
    if (id !== undefined)
      found.set(id, { sizeBytes: archive.bytesOf(path), open: () => archive.open(path) });
  }
  return found;
}

/** Of a file, beside the place: name, address and kind. */
const keptFileBytes = 400;

export class SlackFiles {
  readonly #byId = new Map<string, Noted>();
  readonly #stored: ReadonlyMap<string, ArchiveFile>;
  readonly #ledger: Ledger;
  readonly #whyLinks: string;

  /** @param whyLinks why files are not fetched, as long as `fetch` is not called */
  constructor(archive: ZipArchive, ledger: Ledger, whyLinks: string) {
    this.#stored = storedIn(archive);
    this.#ledger = ledger;
    this.#whyLinks = whyLinks;
  }

  /**
   * Notes the files of a message that is imported; again in each reading.
   *
   * @param sentAt Unix time
   */
  note(record: SlackRecord, sentAt: number, place: Place): void {
    for (const file of filesOf(record)) {
      const id = text(file['id']);
      if (id === '' || this.#byId.has(id)) continue;
      this.#ledger.keep(keptFileBytes);
      const [created, size] = [file['created'], file['size']];
      this.#byId.set(id, {
        wanted: {
          address: text(file['url_private']),
          sizeBytes: typeof size === 'number' ? size : undefined,
          contentType: text(file['mimetype']),
          // What lies in the archive wins over the link.
          outcome: this.#stored.get(id) ?? reasonToLink(file),
        },
        place,
        owner: text(file['user']) || text(record['user']),
        name: text(file['name']) || text(file['title']) || 'file',
        createdAt: typeof created === 'number' && created > 0 ? created : sentAt,
        index: undefined,
      });
    }
  }

  /** Fetches what was noted, except what lies in the archive. */
  async fetch(fetcher: SlackFetcher): Promise<void> {
    await fetcher.fetch(
      'Files of Slack',
      slackHosts.files,
      [...this.#byId.values()].map(({ wanted }) => wanted),
    );
  }

  /** @returns the files that are there; `indexOf` knows their numbers from now on */
  records(people: SlackPeople): FileRecord[] {
    const records: FileRecord[] = [];
    for (const noted of this.#byId.values()) {
      const { wanted, place, owner, name, createdAt } = noted;
      wanted.outcome ??= this.#whyLinks;
      if (typeof wanted.outcome === 'string') continue;
      noted.index = records.length;
      records.push({
        place,
        owner: people.ensure(owner || 'unknown', undefined, false),
        name,
        createdAt,
        file: wanted.outcome,
      });
    }
    return records;
  }

  /** @returns the number of a file in the directory; undefined if it stays a link */
  indexOf(id: string): number | undefined {
    return this.#byId.get(id)?.index;
  }

  /** Accounts for the files that a record lists. */
  account(record: SlackRecord, place: Place, isImported: boolean): void {
    const seen = new Set<unknown>();
    for (const file of listedIn(record)) {
      const id = isRecord(file) ? text(file['id']) : '';
      const outcome = this.#byId.get(id)?.wanted.outcome;
      if (!isImported) this.#ledger.skipped(fileKind, 'its message was not imported', place);
      else if (id === '') this.#ledger.skipped(fileKind, 'it has no id', place);
      else if (seen.has(id)) this.#ledger.merged(fileKind, 'the message lists it twice', place);
      else if (typeof outcome === 'object') this.#ledger.imported(fileKind);
      else this.#ledger.skipped(fileKind, `no file, a link or a note: ${outcome ?? ''}`, place);
      seen.add(id);
    }
  }
}

/** Pictures that people have chosen for themselves. */
export class SlackAvatars {
  readonly #wanted = new Map<string, { readonly wanted: WantedFile; readonly place: Place }>();

  /** Notes the picture in an element of `users.json`. */
  note(user: SlackRecord, place: Place): void {
    const { id, profile } = user;
    if (typeof id !== 'string' || !isRecord(profile) || this.#wanted.has(id)) return;
    const original = text(profile['image_original']);
    const address =
      original === '' && profile['is_custom_image'] === true
        ? text(profile['image_512'])
        : original;
    if (address === '') return;
    const outcome = isOnHosts(address, slackHosts.avatars)
      ? undefined
      : 'it is not on a host for avatars of Slack';
    this.#wanted.set(id, {
      wanted: { address, sizeBytes: undefined, contentType: '', outcome },
      place,
    });
  }

  /** Fetches the pictures and gives them to people, or says in the report why not. */
  async fetch(fetcher: SlackFetcher, people: SlackPeople, ledger: Ledger): Promise<void> {
    const all = [...this.#wanted.values()].map(({ wanted }) => wanted);
    await fetcher.fetch('Avatars of Slack', slackHosts.avatars, all);
    for (const [id, { wanted, place }] of this.#wanted) {
      if (typeof wanted.outcome === 'object') people.setAvatar(id, { place, file: wanted.outcome });
      else ledger.remark(`avatars that were not fetched: ${wanted.outcome ?? ''}`);
    }
  }
}
