/**
 * Ends processes and removes folders when the process that started them is gone, however it ended: its end closes standard input.
 * Lines are `process PID`, `ended PID` and `folder PATH`; after `done` nothing remains to be done.
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const processes = new Set();
const folders = new Set();
let isDone = false;

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [word, value] = line.split(/ (.*)/s);
    if (word === 'process') processes.add(Number(value));
    else if (word === 'ended') processes.delete(Number(value));
    else if (word === 'folder') folders.add(value);
    else isDone = true;
  })
  .on('close', () => {
    if (isDone) return;
    for (const pid of processes) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended before.
      }
    }
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
