// The image's health check: succeeds when the service in this container says
// that it can take requests. Plain JavaScript, because it runs every few
// seconds and should start fast.

const port = process.env.PARLEY_INTERNAL_PORT ?? '9992';

// Below the time limit of the image's HEALTHCHECK, so that the reason is printed.
const timeoutMs = 3_000;

try {
  const response = await fetch(`http://127.0.0.1:${port}/health/ready`, {
    signal: AbortSignal.timeout(timeoutMs),
  });
  console.log(`${response.status} ${await response.text()}`);
  process.exitCode = response.ok ? 0 : 1;
} catch (error) {
  console.log(`no answer on port ${port}: ${error.cause?.message ?? error.message}`);
  process.exitCode = 1;
}
