import { runService } from '@parley/server';

import { startMessages } from './service.ts';

await runService('messages', process.env, startMessages);
