import type { Clock } from '@parley/clock';
import type { RealmFactsReader } from '@parley/composing';
import type { Pool } from '@parley/database';
import type { EventLog } from '@parley/event-log';
import type { FileStore } from '@parley/files';
import type { Turns } from '@parley/server';

import type { DeferredMessages } from './deferring/deferred-messages.ts';
import type { StreamIds } from './narrow/stream-ids.ts';
import type { PageReader } from './pages/page-reader.ts';
import type { UploadFiles } from './files/upload-files.ts';
import type { MessageRenderer } from './rendering/message-renderer.ts';
import type { MessageSender } from './sending/send.ts';

/** The stores and parts that the endpoints of this service use. */
export type MessagesContext = {
  readonly clock: Clock;
  readonly pool: Pool;
  readonly eventLog: EventLog;
  readonly sender: MessageSender;
  readonly deferredMessages: DeferredMessages;
  readonly realmFacts: RealmFactsReader;
  readonly renderer: MessageRenderer;
  readonly files: FileStore;
  readonly uploads: UploadFiles;
  /** The largest file that may be uploaded. */
  readonly fileMaxBytes: number;
  /** For statements that search for words or have many terms, which have a shorter time limit than others. */
  readonly costlyPool: Pool;
  readonly streamIds: StreamIds;
  readonly pages: PageReader;
  /** In which the hits of searches are marked. */
  readonly markingTurns: Turns;
  /** Of the organization, without a slash at the end. */
  readonly publicUrl: string;
};
