/** The standard variables of OpenTelemetry: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ */

type Environment = Readonly<Record<string, string | undefined>>;

/** The supported variables, for the documentation. */
export const tracingVariables: readonly { readonly name: string; readonly meaning: string }[] = [
  {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    meaning:
      'base address of the collector, such as http://collector:4318; unset or empty, and the next one too: no traces',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    meaning: 'whole address for traces, in place of the base address with /v1/traces',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    meaning:
      'headers for the collector (name=value,…), its credentials among them; with _TRACES_ before _HEADERS for traces only. So are _TIMEOUT, _COMPRESSION, _CERTIFICATE, _CLIENT_KEY and _CLIENT_CERTIFICATE honoured',
  },
  { name: 'OTEL_SDK_DISABLED', meaning: 'true: no traces' },
  {
    name: 'OTEL_TRACES_EXPORTER',
    meaning: 'otlp, which is the default; any other value, none among them: no traces',
  },
  { name: 'OTEL_SERVICE_NAME', meaning: 'default: parley- and the name of the service' },
  {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    meaning: 'name=value,… that every span of the process carries',
  },
  {
    name: 'OTEL_TRACES_SAMPLER',
    meaning:
      'always_on, always_off, traceidratio, or one of them behind parentbased_; default and what an unknown name means: parentbased_always_on',
  },
  { name: 'OTEL_TRACES_SAMPLER_ARG', meaning: 'share of traces that traceidratio keeps, 0 to 1' },
  { name: 'OTEL_BSP_SCHEDULE_DELAY', meaning: 'milliseconds between two exports, default 5000' },
];

const exportIntervalDefaultMs = 5_000;
const exportIntervalMaxMs = 3_600_000;

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}

/** Whether the environment requests traces. Empty variables count as unset, as the specification of the variables says. */
export function asksForTraces(env: Environment): boolean {
  if (env['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false;
  const exporters = env['OTEL_TRACES_EXPORTER'];
  if (isSet(exporters) && exporters?.split(',').every((name) => name.trim() !== 'otlp') === true)
    return false;
  return (
    isSet(env['OTEL_EXPORTER_OTLP_ENDPOINT']) || isSet(env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])
  );
}

export type SamplerChoice = {
  readonly root: 'always_on' | 'always_off' | 'traceidratio';
  /** Follows the caller's decision, and `root` only if there is none. */
  readonly followsParent: boolean;
  readonly ratio: number;
};

/** Reads the two variables of the sampler, because the SDK does not read them itself. */
export function readSampler(env: Environment): SamplerChoice {
  const name = env['OTEL_TRACES_SAMPLER']?.trim() ?? '';
  const [, prefix, root] = /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name) ?? [];
  const argument = env['OTEL_TRACES_SAMPLER_ARG'];
  const given = isSet(argument) ? Number(argument) : 1;
  const ratio = given >= 0 && given <= 1 ? given : 1;
  if (root === undefined) return { root: 'always_on', followsParent: true, ratio };
  return { root: root as SamplerChoice['root'], followsParent: prefix !== undefined, ratio };
}

/** The time between two exports in milliseconds; the specification's default if the variable is not usable. */
export function readExportIntervalMs(env: Environment): number {
  const given = Number(env['OTEL_BSP_SCHEDULE_DELAY']);
  return given > 0 && given <= exportIntervalMaxMs ? given : exportIntervalDefaultMs;
}
