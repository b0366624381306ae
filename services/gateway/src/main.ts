import process from 'node:process';

import { runServices } from '@parley/server';

import { startGateway } from './service.ts';

process.exitCode = await runServices({ gateway: startGateway }, process.env);
