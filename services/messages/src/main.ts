import process from 'node:process';

import { runServices } from '@parley/server';

import { startMessages } from './service.ts';

process.exitCode = await runServices({ messages: startMessages }, process.env);
