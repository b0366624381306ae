// Runs npm `zulip-js` unchanged, in a process of its own because its event loop has no end. Orders come as messages of the
// parent process, and what the library gives goes back the same way.
import process from 'node:process';

import connect from 'zulip-js';

process.once('disconnect', () => process.exit(0));
process.on('message', async (order) => {
  const { name, parameters } = order;
  if (name === 'connect') {
    const client = await connect(parameters);
    process.on('message', async ({ name: call, parameters: message }) => {
      if (call === 'send') process.send({ sent: await client.messages.send(message) });
    });
    process.send({ connected: true });
    await client.callOnEachEvent((event) => process.send({ event }), ['message']);
  }
});
