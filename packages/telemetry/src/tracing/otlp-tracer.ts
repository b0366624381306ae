/** Spans by the official SDK, sent as OTLP over HTTP in JSON. Loaded only if traces are requested. */
import { AsyncLocalStorage } from 'node:async_hooks';

import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import type { Context, Span as SdkSpan, Tracer as SdkTracer } from '@opentelemetry/api';
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace';

import type { ChildOptions, Span, SpanAttributes, Tracer, TracesOptions } from './tracer.ts';
import { readExportIntervalMs, readSampler } from './variables.ts';

/** A collector that is down must not keep a process from ending; spans that it has not taken by then are lost. */
const lastFlushMaxMs = 2_000;

const kinds = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

const current = new AsyncLocalStorage<Span | undefined>();

/** The SDK's contexts of our spans, for links. */
const sdkSpans = new WeakMap<Span, SdkSpan>();

class TracedSpan implements Span {
  readonly #tracer: SdkTracer;
  readonly #span: SdkSpan;

  constructor(tracer: SdkTracer, span: SdkSpan) {
    this.#tracer = tracer;
    this.#span = span;
    sdkSpans.set(this, span);
  }

  get #isSampled(): boolean {
    return (this.#span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0;
  }

  get traceId(): string | undefined {
    return this.#isSampled ? this.#span.spanContext().traceId : undefined;
  }

  get traceparent(): string {
    const { traceId, spanId } = this.#span.spanContext();
    return `00-${traceId}-${spanId}-${this.#isSampled ? '01' : '00'}`;
  }

  get isOpen(): boolean {
    return this.#span.isRecording();
  }

  readonly openChild = (name: string, options: ChildOptions = {}): Span | undefined => {
    if (!this.isOpen) return undefined;
    const { kind = 'internal', attributes = {}, links = [] } = options;
    const child = this.#tracer.startSpan(
      name,
      {
        kind: kinds[kind],
        attributes,
        links: links.flatMap((linked) => {
          const context = sdkSpans.get(linked)?.spanContext();
          return context === undefined ? [] : [{ context }];
        }),
      },
      trace.setSpan(ROOT_CONTEXT, this.#span),
    );
    return new TracedSpan(this.#tracer, child);
  };

  readonly set = (attributes: SpanAttributes): void => {
    this.#span.setAttributes(attributes);
  };

  readonly end = (fault?: string): void => {
    if (!this.isOpen) return;
    if (fault !== undefined) {
      this.#span.setAttribute('error.type', fault);
      this.#span.setStatus({ code: SpanStatusCode.ERROR });
    }
    this.#span.end();
  };

  readonly run = <Result>(work: () => Result): Result => current.run(this, work);
}

/** The SDK would keep the id of an invalid parent, but an invalid traceparent has no parent. */
function contextOf(traceparent: string | undefined): Context {
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent);
  return parent === null
    ? ROOT_CONTEXT
    : trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true });
}

function chosenSampler(env: TracesOptions['env']): Sampler {
  const { root, followsParent, ratio } = readSampler(env);
  const own =
    root === 'always_on'
      ? new AlwaysOnSampler()
      : root === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return followsParent ? new ParentBasedSampler({ root: own }) : own;
}

/** Counts the spans that the collector does not take. The SDK reports them only to its own diagnostics, which may show addresses. */
function watched(exporter: SpanExporter, onLost: (spans: number) => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== ExportResultCode.SUCCESS) onLost(spans.length);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

/**
 * Sets up the SDK from the process's variables. Its exporter reads its own variables.
 *
 * @throws Error if one of them cannot be used
 */
export function createTracer(options: TracesOptions): {
  readonly tracer: Tracer;
  readonly stop: () => Promise<void>;
} {
  const { clock, env, service, nodeId, version, onLost } = options;
  const own = resourceFromAttributes({
    'service.name': `parley-${service}`,
    'service.instance.id': nodeId,
    'service.version': version,
  });
  const provider = new TracerProvider({
    resource: own.merge(detectResources({ detectors: [envDetector] })),
    sampler: chosenSampler(env),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: watched(new OTLPTraceExporter(), onLost),
        scheduledDelayMillis: readExportIntervalMs(env),
      }),
    ],
  });
  const sdk = provider.getTracer('parley', version);
  return {
    tracer: {
      openServerSpan: (name, { traceparent, attributes }) =>
        new TracedSpan(
          sdk,
          sdk.startSpan(name, { kind: SpanKind.SERVER, attributes }, contextOf(traceparent)),
        ),
      findSpan: () => current.getStore(),
      runAsWorkOf: (span, work) => current.run(span, work),
    },
    stop: async () => {
      const late = new Promise<void>((resolve) => {
        clock.after(lastFlushMaxMs, resolve).unref();
      });
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
    },
  };
}
