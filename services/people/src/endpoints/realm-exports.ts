import { withoutCode } from '@parley/api';
import {
  deleteExportEndpoint,
  getExportFileEndpoint,
  listExportsEndpoint,
  requestExportEndpoint,
} from '@parley/api/organization';
import { deleteExport, realmExportJson, requestExport } from '@parley/people';
import type { PeopleContext } from '@parley/people';
import { implement, noStoreHeaders, rawAnswer } from '@parley/server';
import { listRealmExports } from '@parley/store/realm-exports';

export const requestExportHandler = implement(
  requestExportEndpoint,
  async (context: PeopleContext, { caller }) => {
    await requestExport(context, caller);
    return {};
  },
);

export const listExportsHandler = implement(
  listExportsEndpoint,
  async (context: PeopleContext) => ({
    exports: (await listRealmExports(context.pool)).map(realmExportJson),
  }),
);

export const deleteExportHandler = implement(
  deleteExportEndpoint,
  async (context: PeopleContext, { caller, parameters }) => {
    await deleteExport(context, caller, parameters.export_id);
    return {};
  },
);

export const getExportFileHandler = implement(
  getExportFileEndpoint,
  async (context: PeopleContext, { parameters }) => {
    const exports = await listRealmExports(context.pool);
    const archive = exports.find(({ id }) => id === parameters.export_id)?.archive;
    if (archive === undefined) throw withoutCode('Invalid data export ID');
    const stored = await context.files.read(archive.fileKey);
    if (stored === undefined) throw withoutCode('Invalid data export ID');
    return rawAnswer(
      200,
      {
        ...noStoreHeaders(),
        'Content-Type': 'application/gzip',
        'Content-Length': String(stored.sizeBytes),
        'Content-Disposition': `attachment; filename="public-export-${parameters.export_id}.tar.gz"`,
      },
      stored.content,
    );
  },
);
