import type { RenderData } from '@parley/markdown';
import type { RenderedMessage } from '@parley/markdown';

/** A message to render. */
export type RenderTask = { readonly content: string; readonly data: RenderData };

/** Two renderings to compare. */
export type DiffTask = { readonly previousHtml: string; readonly newHtml: string };

/** The outcome in a worker. */
export type WorkDone =
  | { readonly kind: 'rendered'; readonly message: RenderedMessage }
  | { readonly kind: 'compared'; readonly htmlDiff: string };

/** A worker's reports: first that it is loaded, then one answer for each task. */
export type WorkerReport =
  | { readonly kind: 'ready' }
  | WorkDone
  | { readonly kind: 'refused'; readonly reason: string };
