/** The file of a bulk export with its lines, and the files beside it. */
import type { Readable } from 'node:stream';

import type { ZipArchive } from '../../archive/zip-archive.ts';
import { openZip } from '../../archive/zip-archive.ts';
import { ImportFault } from '../../import-fault.ts';
import type { Ledger, Place } from '../../ledger.ts';
import { readJsonLines } from '../../reading/json-lines.ts';
import { Row, isRecord } from '../../reading/row.ts';
import type { ArchiveFile } from '../../records.ts';

const lineFeed = 0x0a;

/** A line with a record of a type. */
export type MattermostLine = {
  readonly type: string;
  readonly row: Row;
  readonly place: Place;
  /** How much memory it takes, estimated in bytes. */
  readonly weight: number;
};

export class MattermostArchive {
  readonly #archive: ZipArchive;
  readonly #ledger: Ledger;
  readonly #data: string;

  private constructor(archive: ZipArchive, ledger: Ledger, data: string) {
    this.#archive = archive;
    this.#ledger = ledger;
    this.#data = data;
  }

  /** @throws ImportFault if it is no bulk export */
  static async open(file: string, ledger: Ledger): Promise<MattermostArchive> {
    const archive = await openZip(file);
    const files = archive.paths().filter((path) => /^[^/]+\.jsonl?$/.test(path));
    const [data] = files;
    if (data === undefined || files.length > 1) {
      archive.close();
      throw new ImportFault('The archive is no bulk export: it has to have one .jsonl file');
    }
    return new MattermostArchive(archive, ledger, data);
  }

  openData(): Promise<Readable> {
    return this.#archive.open(this.#data);
  }

  /** @returns how many files could not be exported, by the list of them that an export may have */
  async countFilesNotExported(): Promise<number> {
    const list = 'warnings.txt';
    if (!this.#archive.has(list)) return 0;
    let lines = 0;
    let isInLine = false;
    for await (const chunk of (await this.#archive.open(list)) as AsyncIterable<Buffer>)
      for (const byte of chunk) {
        if (byte === lineFeed) lines += 1;
        isInLine = byte !== lineFeed;
      }
    return isInLine ? lines + 1 : lines;
  }

  /** @returns the name in the archive of a file below `data/`, whether the path says so or not */
  findName(path: string): string | undefined {
    const plain = path.replaceAll('\\', '/').replace(/^\/+/, '').normalize('NFC');
    if (plain.split('/').includes('..')) return undefined;
    return [plain, `data/${plain}`].find((candidate) => this.#archive.has(candidate));
  }

  /** @returns the file that a path leads to */
  fileAt(path: string): ArchiveFile | undefined {
    const found = this.findName(path);
    if (found === undefined) return undefined;
    return {
      sizeBytes: this.#archive.bytesOf(found),
      open: () => this.#archive.open(found),
    };
  }

  /** @param report whether lines that cannot be read are reported */
  async *lines(report: boolean): AsyncGenerator<MattermostLine> {
    const file = this.#data;
    for await (const read of readJsonLines(file, await this.#archive.open(file))) {
      const place = { file, at: `line ${read.line}` };
      if ('fault' in read) {
        if (report) this.#ledger.unreadable('line', read.fault, place, read.text);
        continue;
      }
      const line = isRecord(read.value) ? read.value : {};
      const type = typeof line['type'] === 'string' ? line['type'] : '';
      const content = type === 'version' ? line : line[type];
      if (isRecord(content)) yield { type, row: new Row(content), place, weight: read.weight };
      else if (report)
        this.#ledger.unreadable('line', 'it has no record', place, JSON.stringify(read.value));
    }
  }

  close(): void {
    this.#archive.close();
  }
}
