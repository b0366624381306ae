import type { RenderedMessage } from '@parley/markdown';

import type { RenderData } from './render-data.ts';

/** What a worker is asked. */
export type RenderTask = { readonly content: string; readonly data: RenderData };

/** What a worker says: once that it is loaded, then one answer for each task. */
export type WorkerReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'rendered'; readonly message: RenderedMessage }
  | { readonly kind: 'refused'; readonly reason: string };
