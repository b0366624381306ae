import { expect, test } from 'vitest';

import { PushServices } from './push-services.ts';

const good = 'https://push.example';
const bad = 'https://bad.example';

function placesOf(services: PushServices, origin: string, now = 0) {
  return services.listPlaces(now).known.find((each) => each.origin === origin);
}

test('a service has few places until it has proved to work, and then half of all', () => {
  const services = new PushServices();
  expect(services.listPlaces(0)).toEqual({ all: 64, unproven: 16, eachUnknown: 4, known: [] });
  services.begin(good);
  expect(placesOf(services, good)).toMatchObject({ places: 3, isProven: false });
  expect(services.listPlaces(0)).toMatchObject({ all: 63, unproven: 15 });
  services.end(good, { kind: 'worked' }, 0);
  expect(placesOf(services, good)).toMatchObject({ places: 32, isProven: true });
  services.begin(good);
  expect(services.listPlaces(0)).toMatchObject({ all: 63, unproven: 16 });
});

test('what is nothing about the service proves nothing', () => {
  const services = new PushServices();
  services.begin(good);
  services.end(good, { kind: 'unused' }, 0);
  expect(services.listPlaces(0).known.some(({ isProven }) => isProven)).toBe(false);
});

test('a service that failed rests, doubling to a minute, and then has one place until it works', () => {
  const services = new PushServices();
  let now = 1_000_000;
  for (const restMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    services.begin(bad);
    services.end(bad, { kind: 'failed', retryAfterMs: 0 }, now);
    expect(placesOf(services, bad, now + restMs - 1)?.places).toBe(0);
    now += restMs;
    expect(placesOf(services, bad, now)?.places).toBe(1);
  }
  services.begin(bad);
  expect(placesOf(services, bad, now)?.places).toBe(0);
  services.end(bad, { kind: 'worked' }, now);
  expect(placesOf(services, bad, now)).toMatchObject({ places: 32, isProven: true });
});

test('requests that fail together make one failure, and the longest rest that one of them asks for', () => {
  const services = new PushServices();
  for (let n = 0; n < 4; n += 1) services.begin(bad);
  for (const retryAfterMs of [0, 0, 3_000, 0])
    services.end(bad, { kind: 'failed', retryAfterMs }, 0);
  expect(placesOf(services, bad, 2_999)?.places).toBe(0);
  expect(placesOf(services, bad, 3_000)?.places).toBe(1);
  services.begin(bad);
  services.end(bad, { kind: 'failed', retryAfterMs: 0 }, 3_000);
  expect(placesOf(services, bad, 4_999)?.places).toBe(0);
  expect(placesOf(services, bad, 5_000)?.places).toBe(1);
});

test('a service is left alone as long as it asks, for a minute at most', () => {
  const services = new PushServices();
  for (const [origin, retryAfterMs] of [
    [good, 20_000],
    [bad, 1e12],
  ] as const) {
    services.begin(origin);
    services.end(origin, { kind: 'failed', retryAfterMs }, 0);
  }
  expect(placesOf(services, good, 19_999)?.places).toBe(0);
  expect(placesOf(services, good, 20_000)?.places).toBe(1);
  expect(placesOf(services, bad, 60_000)?.places).toBe(1);
});

test('services are forgotten when nothing is known of them any longer', () => {
  const services = new PushServices();
  for (let n = 0; n < 1_000; n += 1) {
    const origin = `https://${n}.example`;
    services.begin(origin);
    services.end(origin, n % 2 === 0 ? { kind: 'worked' } : { kind: 'failed', retryAfterMs: 0 }, 0);
  }
  expect(services.listPlaces(200_000).known).toEqual([]);
});
