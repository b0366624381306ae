import { exampleVariables } from '../declare/endpoint-example.ts';
import { declareEndpoint } from '../declare/endpoint.ts';
import { pathInteger } from '../declare/parameters.ts';
import {
  boolean,
  described,
  float,
  integer,
  listOf,
  nullable,
  object,
  textOrNull,
} from '../declare/schema.ts';
import type { Value } from '../declare/schema.ts';

/** Exports of the organization's public data (reference facts, people 14.4; decision 0056). */

const administrators = { authentication: 'required', administratorsOnly: true } as const;

export const realmExportSchema = object({
  id: integer,
  export_time: described(float, 'When it was asked for, in seconds since 1970'),
  acting_user_id: described(integer, 'Who asked for it'),
  export_url: described(textOrNull, 'Where the archive is, while there is one'),
  deleted_timestamp: nullable(float),
  failed_timestamp: nullable(float),
  pending: described(boolean, 'Whether it is still being made'),
});
export type RealmExportJson = Value<typeof realmExportSchema>;

const exportId = pathInteger('export_id', { description: 'The id of the export' });

/** POST export/realm. */
export const requestExportEndpoint = declareEndpoint({
  name: 'request-export',
  method: 'POST',
  path: '/export/realm',
  service: 'people',
  tag: 'Organization',
  summary: 'Export the public data of the organization',
  description:
    'The archive has public streams with their messages and reactions, the files that these link to, custom emoji, linkifiers and the accounts. It is made after the answer; a `realm_export` event tells when it is there. At most five within seven days.',
  access: administrators,
  parameters: [],
  success: object({}),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
});

/** GET export/realm. */
export const listExportsEndpoint = declareEndpoint({
  name: 'list-exports',
  method: 'GET',
  path: '/export/realm',
  service: 'people',
  tag: 'Organization',
  summary: 'List the exports of the public data',
  access: administrators,
  parameters: [],
  success: object({ exports: listOf(realmExportSchema) }),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
});

/** DELETE export/realm/{export_id}. */
export const deleteExportEndpoint = declareEndpoint({
  name: 'delete-export',
  method: 'DELETE',
  path: '/export/realm/{export_id}',
  service: 'people',
  tag: 'Organization',
  summary: 'Delete the archive of an export',
  example: { parameters: { export_id: exampleVariables.exportId } },
  access: administrators,
  parameters: [exportId],
  success: object({}),
  errors: ['UNAUTHORIZED_PRINCIPAL'],
});

/** GET export/realm/{export_id}/file. */
export const getExportFileEndpoint = declareEndpoint({
  name: 'get-export-file',
  method: 'GET',
  path: '/export/realm/{export_id}/file',
  service: 'people',
  tag: 'Organization',
  summary: 'Get the archive of an export',
  description:
    "A tar under gzip in the reference server's format, which `parley import-from` reads.",
  example: {
    parameters: { export_id: exampleVariables.exportId },
    savedAs: 'public-export.tar.gz',
  },
  access: administrators,
  parameters: [exportId],
  success: [{ contentType: 'application/gzip', description: 'The archive' }],
  errors: ['UNAUTHORIZED_PRINCIPAL'],
});
