import { runService } from '@parley/server';

import { startPeople } from './service.ts';

await runService('people', process.env, startPeople);
