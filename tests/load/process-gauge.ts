import { readdir } from 'node:fs/promises';

import type { ServiceProcess } from '@parley/test-kit';

/** Makes a process listen for an inspector on a separate port, which costs nothing until it is used. */
export const inspectable = { NODE_OPTIONS: '--inspect=127.0.0.1:0' } as const;

const answerDeadlineMs = 60_000;

export type MemorySample = {
  /** After a garbage collection. */
  readonly heapBytes: number;
  /** Memory of buffers and other native objects that the heap refers to. */
  readonly externalBytes: number;
  readonly rssBytes: number;
};

export type HandleSample = {
  /** Listeners of all event emitters in the heap. */
  readonly listeners: number;
  readonly abortSignals: number;
  /** Timers, sockets and requests that keep the process alive. */
  readonly handles: number;
};

/** How long the event loop of a process was busy, in one period. */
export type LoopSample = {
  /** Turns of the loop, from waking up to waiting again, including garbage collections and waiting for a core. */
  readonly turnMs: LoopTimes;
  /** Garbage collections. */
  readonly collectionMs: LoopTimes;
};
type LoopTimes = { readonly p999: number; readonly max: number };

type RemoteObject = { readonly objectId?: string; readonly value?: unknown };
type InspectorReply = {
  readonly id?: number;
  readonly error?: { readonly message: string };
  readonly result?: {
    readonly result?: RemoteObject;
    readonly objects?: RemoteObject;
  };
};

/** Measures one process of the system from outside: through the kernel and through its inspector. */
export class ProcessGauge {
  readonly #process: ServiceProcess;
  #socket: WebSocket | undefined;
  #requests = 0;
  readonly #waiting = new Map<
    number,
    PromiseWithResolvers<NonNullable<InspectorReply['result']>>
  >();

  /** @param process started with {@link inspectable} */
  constructor(process: ServiceProcess) {
    this.#process = process;
  }

  /** @returns open files and sockets */
  async countOpenFiles(): Promise<number> {
    return (await readdir(`/proc/${this.#process.pid}/fd`)).length;
  }

  async readMemory(): Promise<MemorySample> {
    // Objects finalized by one collection are freed by the next.
    await this.#ask('HeapProfiler.collectGarbage');
    await this.#ask('HeapProfiler.collectGarbage');
    const { heapUsed, external, rss } = (await this.#evaluate('process.memoryUsage()')) as {
      readonly heapUsed: number;
      readonly external: number;
      readonly rss: number;
    };
    return { heapBytes: heapUsed, externalBytes: external, rssBytes: rss };
  }

  async countHandles(): Promise<HandleSample> {
    const listeners = await this.#ofAll(
      "process.getBuiltinModule('node:events').prototype",
      `function () {
        let count = 0;
        for (const emitter of this)
          for (const name of Reflect.ownKeys(emitter._events ?? {})) count += emitter.listenerCount(name);
        return count;
      }`,
    );
    const abortSignals = await this.#ofAll(
      'AbortSignal.prototype',
      'function () { return this.length; }',
    );
    const handles = await this.#evaluate('process.getActiveResourcesInfo().length');
    return { listeners, abortSignals, handles: Number(handles) };
  }

  /** Records the turns of the event loop and the garbage collections from now on. */
  async startLoopWatch(): Promise<void> {
    await this.#evaluate(`{
      const { PerformanceObserver, createHistogram, monitorEventLoopDelay } =
        process.getBuiltinModule('node:perf_hooks');
      const collections = createHistogram();
      const observer = new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries())
          collections.record(Math.max(1, Math.round(duration * 1e6)));
      });
      observer.observe({ entryTypes: ['gc'] });
      const turns = monitorEventLoopDelay({ samplePerIteration: true });
      turns.enable();
      globalThis.loopWatch = { turns, collections, observer };
    }`);
  }

  /** @returns what was recorded since the watch was started, which ends with it */
  async endLoopWatch(): Promise<LoopSample> {
    return (await this.#evaluate(`(() => {
      const { turns, collections, observer } = globalThis.loopWatch;
      turns.disable();
      observer.disconnect();
      delete globalThis.loopWatch;
      const timesOf = (histogram) => ({ p999: histogram.percentile(99.9) / 1e6, max: histogram.max / 1e6 });
      return { turnMs: timesOf(turns), collectionMs: timesOf(collections) };
    })()`)) as LoopSample;
  }

  close(): void {
    this.#socket?.close();
    this.#socket = undefined;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  /** Calls a function of the process with all objects of a prototype. */
  async #ofAll(prototype: string, count: string): Promise<number> {
    const { result } = await this.#ask('Runtime.evaluate', {
      expression: prototype,
      objectGroup: 'gauge',
    });
    const { objects } = await this.#ask('Runtime.queryObjects', {
      prototypeObjectId: result?.objectId,
      objectGroup: 'gauge',
    });
    const called = await this.#ask('Runtime.callFunctionOn', {
      objectId: objects?.objectId,
      functionDeclaration: count,
      returnByValue: true,
    });
    // The inspector keeps every object alive to which it has given an id, until it releases the id.
    await this.#ask('Runtime.releaseObjectGroup', { objectGroup: 'gauge' });
    return Number(called.result?.value);
  }

  async #evaluate(expression: string): Promise<unknown> {
    const { result } = await this.#ask('Runtime.evaluate', { expression, returnByValue: true });
    return result?.value;
  }

  async #ask(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
  ): Promise<NonNullable<InspectorReply['result']>> {
    const socket = this.#socket ?? (await this.#connect());
    const id = (this.#requests += 1);
    const waiting = Promise.withResolvers<NonNullable<InspectorReply['result']>>();
    this.#waiting.set(id, waiting);
    const timer = setTimeout(
      () => waiting.reject(new Error(`no answer of the inspector to ${method}`)),
      answerDeadlineMs,
    );
    socket.send(JSON.stringify({ id, method, params }));
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  async #connect(): Promise<WebSocket> {
    const address = this.#process.faultLines.flatMap((line) => line.match(/ws:\/\/\S+/) ?? [])[0];
    if (address === undefined) throw new Error(`${this.#process.describe()} has no inspector`);
    const socket = new WebSocket(address);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve(), { once: true });
      socket.addEventListener('error', () => reject(new Error('no inspector answers')), {
        once: true,
      });
    });
    socket.addEventListener('message', ({ data }) => {
      const reply = JSON.parse(String(data)) as InspectorReply;
      const waiting = reply.id === undefined ? undefined : this.#waiting.get(reply.id);
      if (reply.error === undefined) waiting?.resolve(reply.result ?? {});
      else waiting?.reject(new Error(reply.error.message));
    });
    socket.addEventListener('close', () => {
      for (const waiting of this.#waiting.values())
        waiting.reject(new Error('the inspector is gone'));
    });
    this.#socket = socket;
    return socket;
  }
}

export function mebibytes(bytes: number): number {
  return Math.round((bytes / 1_048_576) * 10) / 10;
}
