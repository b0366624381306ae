/** Command: writes the generated pages, those of the documentation and the schema. */
import { writeFileSync } from 'node:fs';

import { createMigratedDatabase, openTestPool, startTestPostgres } from '@parley/test-kit';

import { generatedPages } from './generated-pages.ts';
import type { GeneratedPage } from './generated-pages.ts';
import { describeSchema, schemaPagePath } from './schema-page.ts';

async function schemaPage(): Promise<GeneratedPage> {
  await using disposal = new AsyncDisposableStack();
  const postgres = disposal.adopt(await startTestPostgres(), (store) => store.stop());
  const database = await createMigratedDatabase(postgres.url);
  const pool = disposal.adopt(openTestPool(database.url), (opened) => opened.end());
  return { path: schemaPagePath, text: await describeSchema(pool) };
}

for (const { path, text } of [...generatedPages(), await schemaPage()]) {
  writeFileSync(new URL(`../../${path}`, import.meta.url), text);
}
