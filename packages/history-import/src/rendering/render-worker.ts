/** A thread that renders batches of texts. */
import { parentPort, workerData } from 'node:worker_threads';

import { TextRenderer } from './render-texts.ts';
import type { ImportRenderData, RenderTask } from './render-texts.ts';

const renderer = new TextRenderer(workerData as ImportRenderData);

parentPort?.on('message', (tasks: readonly RenderTask[]) => {
  parentPort?.postMessage(
    tasks.map((task) => renderer.render(task)),
    [],
  );
});
