/** Exports of the public data: administrators ask for them, a job makes them (reference facts, people 14.4; decision 0056). */
import { lockAdministrator } from '@parley/store/access';
import { randomBytes } from 'node:crypto';

import { withoutCode } from '@parley/api';
import type { Caller } from '@parley/api';
import type { RealmExportJson } from '@parley/api/organization';
import { deadline } from '@parley/clock';
import type { Clock } from '@parley/clock';
import type { Client, Pool } from '@parley/database';
import { claimNewFiles, noteNewFiles, noteUnusedFile } from '@parley/store';
import {
  claimRealmExport,
  endRealmExport,
  insertRealmExport,
  keepRealmExport,
  listRealmExports,
  lockRealmExports,
  markRealmExportDeleted,
} from '@parley/store/realm-exports';
import type { ClaimedExport, ExportArchive, RealmExport } from '@parley/store/realm-exports';

import { entryForEveryone, toUsers } from '../accounts/account-events.ts';
import type { PeopleContext } from '../people-context.ts';
import { makePublicArchive } from './public-archive.ts';

const exportsMax = 5;
const countedSecs = 7 * 86_400;

const attemptsMax = 3;
/** After a crash an export waits this long. */
const claimSecs = 60;
const keepIntervalMs = 15_000;
/** Bounds the age of the snapshot, which keeps Postgres from removing old versions of rows. */
const makingMaxSecs = 2 * 3_600;

export function realmExportJson(made: RealmExport): RealmExportJson {
  const { id, archive, failedAtSecs = null, deletedAtSecs = null } = made;
  return {
    id,
    export_time: made.requestedAtSecs,
    acting_user_id: made.actingUserId,
    export_url: archive === undefined ? null : `/api/v1/export/realm/${id}/file`,
    deleted_timestamp: deletedAtSecs,
    failed_timestamp: failedAtSecs,
    pending: archive === undefined && failedAtSecs === null && deletedAtSecs === null,
  };
}

/**
 * Changes the list and tells it to one account (reference facts, events 14.3).
 *
 * @param change returns whether it changed the list
 */
async function changeList(
  { eventLog }: Pick<PeopleContext, 'eventLog'>,
  toldUserId: number,
  change: (client: Client, exports: readonly RealmExport[]) => Promise<boolean>,
): Promise<void> {
  return eventLog.transaction(async (client) => {
    await lockRealmExports(client);
    const isChanged = await change(client, await listRealmExports(client));
    if (!isChanged) return { result: undefined };
    const exports = (await listRealmExports(client)).map(realmExportJson);
    const event = toUsers([toldUserId], { type: 'realm_export', exports });
    return { result: undefined, append: { entries: [entryForEveryone([event])] } };
  });
}

async function checkAdministrator(client: Client, caller: Caller): Promise<void> {
  await lockAdministrator(client, caller);
}

/**
 * Has an export made.
 *
 * @throws ApiError without a code if there were five within seven days
 */
export async function requestExport(context: PeopleContext, caller: Caller): Promise<void> {
  await changeList(context, caller.userId, async (client, exports) => {
    await checkAdministrator(client, caller);
    const sinceSecs = context.clock.nowMs() / 1_000 - countedSecs;
    const counted = exports.filter(({ requestedAtSecs }) => requestedAtSecs > sinceSecs);
    if (counted.length >= exportsMax) throw withoutCode('Exceeded rate limit.');
    await insertRealmExport(client, caller.userId);
    return true;
  });
}

/**
 * Deletes the archive of an export, or gives one up that is still to be made.
 *
 * @throws ApiError without a code if there is none
 */
export async function deleteExport(
  context: PeopleContext,
  caller: Caller,
  exportId: number,
): Promise<void> {
  await changeList(context, caller.userId, async (client, exports) => {
    await checkAdministrator(client, caller);
    const found = exports.find(({ id }) => id === exportId);
    if (found === undefined) throw withoutCode('Invalid data export ID');
    if (found.deletedAtSecs !== undefined) throw withoutCode('Export already deleted');
    if (found.archive !== undefined) await noteUnusedFile(client, found.archive.fileKey);
    await markRealmExportDeleted(client, exportId);
    return true;
  });
}

async function end(
  context: PeopleContext,
  claim: ClaimedExport,
  archive: ExportArchive | undefined,
): Promise<void> {
  await changeList(context, claim.actingUserId, async (client) => {
    if (archive !== undefined && (await claimNewFiles(client, [archive.fileKey])) === 0)
      throw new Error('the archive was removed before it was done');
    const isEnded = await endRealmExport(client, claim, archive);
    if (!isEnded && archive !== undefined) await noteUnusedFile(client, archive.fileKey);
    return isEnded;
  });
}

/** Calls `work` with a signal that is aborted when the claim is lost: the export was deleted, or another process has it. */
async function whileClaimed(
  pool: Pool,
  claim: ClaimedExport,
  clock: Clock,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const lost = new AbortController();
  const timer = clock.every(keepIntervalMs, () => {
    keepRealmExport(pool, claim, claimSecs).then(
      (isKept) => {
        if (!isKept) lost.abort(new Error('the export was deleted, or another process has it'));
      },
      (error: unknown) => lost.abort(error),
    );
  });
  try {
    const late = deadline(clock, makingMaxSecs * 1_000);
    await work(AbortSignal.any([signal, lost.signal, late]));
  } finally {
    timer.cancel();
  }
}

/**
 * Makes an export that waits, if no other process does.
 *
 * @param pool whose statements and idle transactions may last for minutes
 * @throws whatever the stores throw; the export is made again later, at most three times
 */
export async function makeExport(
  context: PeopleContext,
  pool: Pool,
  exportId: number,
  signal: AbortSignal,
): Promise<void> {
  const claim = await claimRealmExport(pool, exportId, claimSecs);
  if (claim === undefined) return;
  if (claim.attempts > attemptsMax) return end(context, claim, undefined);
  const { files } = context;
  const fileKey = `exports/${exportId}-${randomBytes(18).toString('base64url')}`;
  await noteNewFiles(pool, [fileKey], 2 * makingMaxSecs);
  await whileClaimed(pool, claim, context.clock, signal, async (claimed) => {
    const archive = makePublicArchive({ pool, files }, claimed);
    await end(context, claim, { fileKey, sizeBytes: await files.write(fileKey, archive) });
  });
}
