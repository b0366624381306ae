/** The control of the hop: only Express and http-proxy-middleware with an agent that keeps connections. */
import { Agent } from 'node:http';
import type { AddressInfo } from 'node:net';

import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';

const [, , target = ''] = process.argv;

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use(
  createProxyMiddleware({
    target,
    agent: new Agent({ keepAlive: true, maxSockets: Infinity }),
  }),
);
process.on('disconnect', () => process.exit(0));
const server = app.listen(0, '127.0.0.1', () => {
  server.keepAliveTimeout = 600_000;
  process.send?.((server.address() as AddressInfo).port);
});
