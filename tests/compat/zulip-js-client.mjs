// Runs npm `zulip-js` unchanged, in a process of its own because its event loop has no end. Orders come as messages of the
// parent process, and what the library gives goes back the same way.
import process from 'node:process';

import connect from 'zulip-js';

process.once('disconnect', () => process.exit(0));

let client;

async function follow({ name, parameters }) {
  if (name === 'connect') {
    client = await connect(parameters);
    process.send({ connected: true });
    await client.callOnEachEvent((event) => process.send({ event }), ['message']);
  } else if (name === 'send') {
    process.send({ sent: await client.messages.send(parameters) });
  } else {
    process.send({ answer: await client.messages[name](parameters) });
  }
}

// Whatever the library throws is nobody's rejection, which ends this process with its text.
process.on('message', (order) => void follow(order));
