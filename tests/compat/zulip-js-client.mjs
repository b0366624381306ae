// Runs npm `zulip-js` unchanged, in a separate process because its event loop has no end. Commands and results are messages of the
// parent process.
import process from 'node:process';

import connect from 'zulip-js';

process.once('disconnect', () => process.exit(0));

const clients = new Map();

async function follow({ id, client: name, function: path, parameters }) {
  if (path === 'connect') {
    clients.set(name, await connect(parameters[0]));
    return {};
  }
  const client = clients.get(name);
  if (path === 'callOnEachEvent') {
    // Ends with this process.
    void client.callOnEachEvent((event) => process.send({ loop: id, event }), ...parameters);
    return {};
  }
  const steps = path.split('.');
  const last = steps.pop();
  const owner = steps.reduce((at, step) => at[step], client);
  return { answer: await owner[last](...parameters) };
}

async function answer(order) {
  try {
    process.send({ id: order.id, ...(await follow(order)) });
  } catch (error) {
    process.send({ id: order.id, failure: String(error) });
  }
}

process.on('message', (order) => void answer(order));
