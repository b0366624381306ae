/** The thread for slow renderings and comparisons. Between tasks it keeps only compiled linkifiers. */
import { parentPort } from 'node:worker_threads';

import { UnableToRender, contextOfData, htmlDiff, renderMessage } from '@parley/markdown';
import type { Linkifier } from '@parley/markdown';

import type { DiffTask, RenderTask, WorkerReport } from './render-task.ts';

/** Every task has its own copy of the list; the expressions of an equal one are compiled already. */
let lastLinkifiers: { readonly key: string; readonly list: readonly Linkifier[] } = {
  key: '[]',
  list: [],
};

function sameLinkifiers(list: readonly Linkifier[]): readonly Linkifier[] {
  const key = JSON.stringify(list);
  if (key !== lastLinkifiers.key) lastLinkifiers = { key, list };
  return lastLinkifiers.list;
}

function answer(task: RenderTask | DiffTask): WorkerReport {
  if ('newHtml' in task)
    return { kind: 'compared', htmlDiff: htmlDiff(task.previousHtml, task.newHtml) };
  const { content, data } = task;
  try {
    const linkifiers = sameLinkifiers(data.linkifiers);
    return {
      kind: 'rendered',
      message: renderMessage(content, contextOfData({ ...data, linkifiers })),
    };
  } catch (error) {
    if (error instanceof UnableToRender) return { kind: 'refused', reason: error.message };
    throw error;
  }
}

function report(value: WorkerReport): void {
  parentPort?.postMessage(value, []);
}

parentPort?.on('message', (task: RenderTask | DiffTask) => report(answer(task)));
report({ kind: 'ready' });
