/** Runs modules one after the other, each with its own variables, and reports their output. */
const ownVariables = { ...process.env };

process.stdout.write = (text) => {
  process.send({ output: String(text) });
  return true;
};

async function run({ file, environment }) {
  process.env = { ...ownVariables, ...environment };
  try {
    await import(file);
    process.send({ isDone: true });
  } catch (error) {
    process.send({ isDone: true, fault: error instanceof Error ? error.stack : String(error) });
  }
}

process.on('message', (sample) => void run(sample));
