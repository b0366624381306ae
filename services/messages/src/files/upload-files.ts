/**
 * Uploaded files: the stored content and its row. A row exists only for a completely stored file. The content is stored first and removed
 * last, and noted in between, so everything that a dead process left is removed.
 */
import { Transform, pipeline } from 'node:stream';
import type { Readable, TransformCallback } from 'node:stream';

import { ApiError, notAuthenticated, serviceUnavailable, uploadQuotaExceeded } from '@parley/api';
import type { Pool } from '@parley/database';
import type { EventLog } from '@parley/event-log';
import {
  FileStoreFault,
  cleanFileName,
  decideContentType,
  extensionOf,
  headBytes,
  newPathId,
} from '@parley/files';
import type { FileStore } from '@parley/files';
import type { Logger } from '@parley/telemetry/logging';
import { Counter } from 'prom-client';
import type { Registry } from 'prom-client';
import {
  addUpload,
  forgetRemovedFile,
  noteNewFile,
  removeUpload,
  storageKeyOf,
  takeFilesToRemove,
} from '@parley/store';

import { attachmentEntry } from './attachment-events.ts';
import { shownFileName } from './file-name.ts';

/** Longer than any request may take to arrive (PARLEY_REQUEST_TIMEOUT_SECS), so no running upload is removed. */
const uploadMaxSecs = 2 * 3600;

const removalsPerTurn = 50;
/** A removal that failed, or whose process died, is repeated after this time. */
const removalAgainSecs = 600;

/** A file that is stored and has no row yet. */
export type StoredUpload = {
  readonly pathId: string;
  readonly name: string;
  readonly contentType: string;
  readonly sizeBytes: number;
};

/** Keeps the first bytes of a stream. */
class FirstBytes extends Transform {
  head = Buffer.alloc(0);

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.head.length < headBytes)
      this.head = Buffer.concat([this.head, chunk.subarray(0, headBytes - this.head.length)]);
    done(null, chunk);
  }
}

export class UploadFiles {
  readonly #pool: Pool;
  readonly #eventLog: EventLog;
  readonly #files: FileStore;
  readonly #quotaBytes: number | undefined;
  readonly #log: Logger;
  readonly #uploadedBytes: Counter;
  readonly #failures: Counter;

  constructor(options: {
    readonly pool: Pool;
    readonly eventLog: EventLog;
    readonly files: FileStore;
    /** The most bytes of all files together. */
    readonly quotaBytes: number | undefined;
    readonly log: Logger;
    readonly registry?: Registry;
  }) {
    this.#pool = options.pool;
    this.#eventLog = options.eventLog;
    this.#files = options.files;
    this.#quotaBytes = options.quotaBytes;
    this.#log = options.log;
    const registers = options.registry === undefined ? [] : [options.registry];
    this.#uploadedBytes = new Counter({
      name: 'parley_uploaded_bytes_total',
      help: 'Bytes of uploaded files',
      registers,
    });
    this.#failures = new Counter({
      name: 'parley_file_store_failures_total',
      help: 'Failed operations of the folder or bucket of files',
      registers,
    });
  }

  /**
   * Stores a content. The caller must then add its row or discard it.
   *
   * @param writtenName as the client wrote it
   * @param saidType what the client says the type is, in its plain form
   * @throws the content's own error; ApiError 503 when the store fails
   */
  async store(
    writtenName: string,
    saidType: string | undefined,
    content: Readable,
  ): Promise<StoredUpload> {
    const extension = saidType === undefined ? undefined : extensionOf(saidType);
    const name = shownFileName(writtenName) + (extension === undefined ? '' : `.${extension}`);
    const pathId = newPathId(cleanFileName(name));
    const key = storageKeyOf(pathId);
    // One that fails meanwhile must not end the process; it is found failed below.
    content.on('error', () => undefined);
    await noteNewFile(this.#pool, key, uploadMaxSecs);
    const firstBytes = new FirstBytes();
    pipeline(content, firstBytes, () => undefined);
    try {
      const sizeBytes = await this.#guarded(() => this.#files.write(key, firstBytes));
      return {
        pathId,
        name,
        sizeBytes,
        contentType: decideContentType(firstBytes.head, name, saidType),
      };
    } catch (error) {
      await this.#clear(key);
      throw error;
    }
  }

  /** Removes a stored content that gets no row. */
  async discard({ pathId }: StoredUpload): Promise<void> {
    await this.#clear(storageKeyOf(pathId));
  }

  /**
   * Adds the row of a stored content, with its event for the owner.
   *
   * @throws ApiError `REALM_UPLOAD_QUOTA`; 401 for an account that was deactivated meanwhile; 503. The content is removed then
   */
  async add(ownerId: number, upload: StoredUpload): Promise<void> {
    const storageKey = storageKeyOf(upload.pathId);
    try {
      await this.#eventLog.transaction(async (client) => {
        const added = await addUpload(client, { ...upload, storageKey, ownerId }, this.#quotaBytes);
        switch (added.outcome) {
          case 'over-quota':
            throw uploadQuotaExceeded();
          case 'owner-inactive':
            throw notAuthenticated('Account is deactivated');
          case 'late':
            throw serviceUnavailable();
          case 'added': {
            const { attachment, spaceUsedBytes } = added;
            const entry = attachmentEntry({ op: 'add', ownerId, attachment, spaceUsedBytes });
            return { result: undefined, append: { entries: [entry] } };
          }
        }
      });
    } catch (error) {
      // After a lost connection the row may exist. The clean-up decides by the note.
      if (error instanceof ApiError) await this.#clear(storageKey);
      throw error;
    }
    this.#uploadedBytes.inc(upload.sizeBytes);
  }

  /**
   * Removes an owner's file: its row first, then what is stored.
   *
   * @returns false when there is no such file of this owner
   */
  async remove(ownerId: number, uploadId: number): Promise<boolean> {
    const storageKey = await this.#eventLog.transaction<string | undefined>(async (client) => {
      const removed = await removeUpload(client, ownerId, uploadId, storageKeyOf);
      if (removed === undefined) return { result: undefined };
      const { spaceUsedBytes } = removed;
      const entry = attachmentEntry({
        op: 'remove',
        ownerId,
        attachment: { id: uploadId },
        spaceUsedBytes,
      });
      return { result: removed.storageKey, append: { entries: [entry] } };
    });
    if (storageKey === undefined) return false;
    await this.#clear(storageKey);
    return true;
  }

  /** Removes due contents: those whose row was never added, or was deleted. */
  async removeDue(): Promise<void> {
    for (;;) {
      const keys = await takeFilesToRemove(this.#pool, removalsPerTurn, removalAgainSecs);
      for (const key of keys) await this.#clear(key);
      if (keys.length < removalsPerTurn) return;
    }
  }

  /** A failed removal stays noted and is repeated later. */
  async #clear(storageKey: string): Promise<void> {
    try {
      await this.#files.remove(storageKey);
      await forgetRemovedFile(this.#pool, storageKey);
    } catch (error) {
      if (error instanceof FileStoreFault) this.#failures.inc();
      this.#log.warn({ err: error }, 'a stored file was not removed; it is tried again');
    }
  }

  async #guarded<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      throw this.refusalOf(error);
    }
  }

  /** A fault of the store as a refusal; other errors unchanged. */
  refusalOf(error: unknown): unknown {
    if (!(error instanceof FileStoreFault)) return error;
    this.#failures.inc();
    this.#log.error({ err: error }, 'the file store failed');
    return serviceUnavailable();
  }
}
