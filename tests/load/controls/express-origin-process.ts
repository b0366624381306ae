/** The service behind the control of the hop: Express with one fixed answer. It sends its port to its parent. */
import type { AddressInfo } from 'node:net';

import express from 'express';

const answer = JSON.stringify({ result: 'success', msg: '', value: 'x'.repeat(160) });

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.get('/fixed', (_request, response) => {
  response.type('json').send(answer);
});
process.on('disconnect', () => process.exit(0));
const server = app.listen(0, '127.0.0.1', () => {
  // The hop keeps its connections.
  server.keepAliveTimeout = 600_000;
  process.send?.((server.address() as AddressInfo).port);
});
