import type { Client, Pool } from '@parley/database';
import type { FileStore } from '@parley/files';
import type { ImageDecoder } from '@parley/files/images';
import type { KeySecrets } from '@parley/auth/secrets';

import type { Ledger } from '../ledger.ts';
import type { Source } from '../records.ts';

export type ImportStep = {
  readonly advance: (by: number) => void;
  readonly finish: () => void;
};

export type HistoryImport = {
  /** In a transaction that holds the installation for itself. */
  readonly client: Client;
  readonly pool: Pool;
  readonly files: FileStore;
  readonly decoder: ImageDecoder;
  readonly keySecrets: KeySecrets;
  /** Without a slash at the end. */
  readonly publicUrl: string;
  readonly source: Source;
  readonly ledger: Ledger;
  /** The address, user name or full name of the first administrator. */
  readonly administrator: string;
  /** Where people without an address get one that is made from their names; otherwise they are deactivated. */
  readonly emailDomain: string | undefined;
  /** Where the log goes on; from `planHistoryImport`. */
  readonly startPosition: number;
  readonly isDryRun: boolean;
  /** Begins a step of so many parts, shown as a bar. */
  readonly step: (label: string, total: number) => ImportStep;
  readonly signal: AbortSignal;
};
