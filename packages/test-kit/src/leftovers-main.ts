/** Removes what interrupted runs of tests left on this machine and on the server that `PARLEY_TEST_DATABASE_URL` names. */
import { removeLeftTestRuns } from '@parley/launcher/local-stores';

import { dropLeftDatabases } from './administration.ts';

removeLeftTestRuns();
const databaseUrl = process.env['PARLEY_TEST_DATABASE_URL'];
if (databaseUrl !== undefined) await dropLeftDatabases(databaseUrl);
