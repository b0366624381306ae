import { runService } from '@parley/http';

import { startMessages } from './service.ts';

await runService('messages', process.env, startMessages);
