import { describe, expect, it } from 'vitest';

import { findTracer, inChildSpan } from './start-traces.ts';
import { asksForTraces, readExportIntervalMs, readSampler } from './variables.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('asksForTraces', () => {
  it('is true with an endpoint, for all signals or for traces', () => {
    expect(asksForTraces(endpoint)).toBe(true);
    expect(asksForTraces({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector/x' })).toBe(true);
    expect(asksForTraces({ ...endpoint, OTEL_TRACES_EXPORTER: 'otlp' })).toBe(true);
    expect(asksForTraces({ ...endpoint, OTEL_TRACES_EXPORTER: 'console, otlp' })).toBe(true);
    expect(asksForTraces({ ...endpoint, OTEL_TRACES_EXPORTER: '' })).toBe(true);
    expect(asksForTraces({ ...endpoint, OTEL_SDK_DISABLED: 'false' })).toBe(true);
  });

  it('is false without an endpoint, with an empty one, or if disabled', () => {
    expect(asksForTraces({})).toBe(false);
    expect(asksForTraces({ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' })).toBe(false);
    expect(asksForTraces({ OTEL_TRACES_EXPORTER: 'otlp' })).toBe(false);
    expect(asksForTraces({ ...endpoint, OTEL_SDK_DISABLED: 'True' })).toBe(false);
    expect(asksForTraces({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })).toBe(false);
    expect(asksForTraces({ ...endpoint, OTEL_TRACES_EXPORTER: 'zipkin' })).toBe(false);
  });
});

describe('readSampler', () => {
  it('knows the names of the specification', () => {
    const read = (name: string, argument?: string) =>
      readSampler({ OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument });
    expect(read('always_off')).toMatchObject({ root: 'always_off', followsParent: false });
    expect(read('parentbased_traceidratio', '0.25')).toEqual({
      root: 'traceidratio',
      followsParent: true,
      ratio: 0.25,
    });
    expect(read('traceidratio', 'much')).toMatchObject({ root: 'traceidratio', ratio: 1 });
    expect(read('traceidratio', '2')).toMatchObject({ ratio: 1 });
    for (const unknown of ['', 'jaeger_remote'])
      expect(read(unknown)).toMatchObject({ root: 'always_on', followsParent: true });
  });
});

describe('readExportIntervalMs', () => {
  it('is five seconds unless a number is set', () => {
    expect(readExportIntervalMs({ OTEL_BSP_SCHEDULE_DELAY: '100' })).toBe(100);
    for (const useless of [undefined, '', 'often', '0', '-1', 'Infinity'])
      expect(readExportIntervalMs({ OTEL_BSP_SCHEDULE_DELAY: useless })).toBe(5_000);
  });
});

describe('without traces', () => {
  it('work runs as usual', async () => {
    expect(findTracer()).toBeUndefined();
    const answer = Promise.resolve('done');
    expect(inChildSpan('anything', () => answer)).toBe(answer);
    await answer;
  });
});
