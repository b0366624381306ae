import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

import { runCommandLine } from '@parley/command';
import { describeConfig, readServiceConfig } from '@parley/config';
import { repositoryFolder, serviceNames } from '@parley/test-kit';
import { afterAll, describe, expect, test, vi } from 'vitest';

import { listMetricNames } from './metric-names.ts';
import {
  build,
  filesNamedBy,
  findBuilder,
  isKustomization,
  kubernetesFolder,
  parseManifests,
  readEnvFile,
  readManifestFiles,
} from './manifests.ts';
import type { Manifest } from './manifests.ts';
import { findSchemaFault, findUnknownMembers } from './schemas.ts';

type Labels = Readonly<Record<string, string>>;
type SecretKey = { readonly name: string; readonly key: string };
type EnvVar = {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: SecretKey & { readonly optional?: boolean };
    readonly fieldRef?: { readonly fieldPath: string };
  };
};
type Probe = {
  readonly httpGet?: { readonly path: string; readonly port: string };
  readonly tcpSocket?: { readonly port: string };
};
type Container = {
  readonly name: string;
  readonly image: string;
  readonly command: readonly string[];
  readonly args?: readonly string[];
  readonly env: readonly EnvVar[];
  readonly envFrom: readonly { readonly configMapRef: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: string[] } } };
  readonly securityContext: object;
  readonly resources: { readonly limits: object; readonly requests: object };
};
type PodSpec = {
  readonly serviceAccountName: string;
  readonly automountServiceAccountToken: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: object;
  readonly topologySpreadConstraints?: readonly object[];
  readonly containers: readonly [Container];
  readonly volumes: readonly {
    readonly name: string;
    readonly secret?: {
      readonly secretName: string;
      readonly items: readonly { readonly key: string; readonly path: string }[];
    };
    readonly persistentVolumeClaim?: { readonly claimName: string };
  }[];
};
type Selector = {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly values: string[] }[];
};
type Workload = Manifest & {
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: Selector;
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
  };
};

const builder = findBuilder();
const overlays = ['base', 'overlays/small', 'overlays/production'];
/** Objects that an operator creates by hand, according to the README. */
const secretKeys: Readonly<Record<string, readonly string[]>> = {
  'parley-secrets': [
    'database-url',
    'redis-url',
    'internal-secret',
    'internal-secret-previous',
    'key-secret',
    'key-secret-previous',
  ],
  'parley-bucket': ['access-key-id', 'secret-access-key'],
  'parley-tls': ['tls.crt', 'tls.key'],
};
const valuesOfSecrets: Readonly<Record<string, string>> = {
  'database-url': 'postgres://parley:word@db.internal:5432/parley',
  'redis-url': 'redis://redis.internal:6379',
};
/** These end if a folder is not writable. */
const openFiles = new Set(['messages', 'people', 'first-start']);
const folder = mkdtempSync(join(tmpdir(), 'parley-secrets-'));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function ofKind<Kind extends Manifest>(manifests: readonly Manifest[], kind: string): Kind[] {
  return manifests.filter((manifest) => manifest.kind === kind) as Kind[];
}

function isChosen(selector: Selector, labels: Labels): boolean {
  const byLabels = Object.entries(selector.matchLabels ?? {});
  return (
    byLabels.every(([name, value]) => labels[name] === value) &&
    (selector.matchExpressions ?? []).every(({ key, values }) => values.includes(labels[key] ?? ''))
  );
}

function componentOf(workload: Workload): string {
  return workload.spec.template.metadata.labels['app.kubernetes.io/component'] ?? '';
}

/** The exit code of a command without its environment: 1, or 2 for wrong arguments. */
function tryWords(words: readonly string[]): Promise<number> {
  const said = vi.fn<(text: string) => void>();
  return runCommandLine(words, {
    env: {},
    signal: new AbortController().signal,
    readInput: () => Promise.resolve(''),
    writeOut: said,
    writeError: said,
    isTerminal: false,
  });
}

/** The environment of a workload's container, with secrets from its files. */
function environmentOf(workload: Workload, manifests: readonly Manifest[]): Record<string, string> {
  const { containers, volumes } = workload.spec.template.spec;
  const [container] = containers;
  const environment: Record<string, string> = {};
  for (const { configMapRef } of container.envFrom) {
    const map = ofKind(manifests, 'ConfigMap').find(
      ({ metadata }) => metadata.name === configMapRef.name,
    );
    expect(map, `the settings of ${workload.metadata.name}`).toBeDefined();
    Object.assign(environment, map?.['data']);
  }
  for (const { name, value, valueFrom } of container.env) {
    if (value !== undefined) environment[name] = value;
    else if (valueFrom?.fieldRef !== undefined)
      environment[name] = valueFrom.fieldRef.fieldPath === 'status.podIP' ? '10.1.2.3' : 'pod-1';
    else environment[name] = valueOf(valueFrom?.secretKeyRef?.key ?? '');
  }
  // A file of this test replaces a mounted secret.
  for (const { name, mountPath } of container.volumeMounts) {
    const items = volumes.find((volume) => volume.name === name)?.secret?.items ?? [];
    for (const { key, path } of items) {
      writeFileSync(join(folder, path), valueOf(key));
      for (const [variable, value] of Object.entries(environment))
        if (value === `${mountPath}/${path}`) environment[variable] = join(folder, path);
    }
  }
  return environment;
}

function valueOf(key: string): string {
  return valuesOfSecrets[key] ?? `${key}-`.padEnd(40, 'x');
}

test('every file is YAML, and a kustomization names existing files', () => {
  const files = readManifestFiles();
  expect(files.length).toBeGreaterThan(10);
  for (const file of files.filter(isKustomization)) {
    const at = dirname(join(kubernetesFolder, file.path));
    for (const kustomization of file.documents)
      for (const named of filesNamedBy(kustomization))
        expect(existsSync(join(at, named)), `${file.path}: ${named}`).toBe(true);
  }
});

test('files that are not patches satisfy the schemas', async () => {
  const files = readManifestFiles();
  const resources = new Set(
    files
      .filter(isKustomization)
      .flatMap(({ path, documents }) =>
        documents
          .flatMap((kustomization) => (kustomization['resources'] ?? []) as readonly string[])
          .map((name) => join(dirname(path), name)),
      ),
  );
  const found = files.filter(({ path }) => resources.has(path));
  expect(found.length).toBeGreaterThan(8);
  for (const { path, documents } of found)
    for (const manifest of documents as Manifest[])
      expect(await findSchemaFault(manifest), `${path}: ${manifest.metadata.name}`).toBeUndefined();
});

test('settings.env has only settings, and no secrets', () => {
  const known = describeConfig();
  for (const overlay of overlays) {
    const file = join(kubernetesFolder, overlay, 'settings.env');
    for (const name of Object.keys(readEnvFile(file))) {
      const setting = known.find((candidate) => candidate.name === name);
      expect(setting, `${overlay}: ${name}`).toBeDefined();
      expect(setting?.secret, `${overlay}: ${name}`).toBe(false);
    }
  }
});

test('the autoscaler of event nodes uses metrics that the adapter and the services export', () => {
  const [adapter] = parseManifests(
    readFileSync(join(kubernetesFolder, 'prometheus-adapter.yaml'), 'utf8'),
  ) as unknown as { rules: { custom: { seriesQuery: string }[] } }[];
  const offered = adapter?.rules.custom.flatMap(
    ({ seriesQuery }) => seriesQuery.match(/parley_\w+/g) ?? [],
  );
  const events = parseManifests(readFileSync(join(kubernetesFolder, 'base/events.yaml'), 'utf8'));
  const scaler = events.find(({ kind }) => kind === 'HorizontalPodAutoscaler') as {
    spec?: { metrics: { pods?: { metric: { name: string } } }[] };
  };
  const used = scaler.spec?.metrics.map(({ pods }) => pods?.metric.name);
  expect(used).toEqual(offered);
  expect(listMetricNames()).toEqual(expect.arrayContaining(used ?? ['none']));
});

const answersComponent = 'components/answers-by-mail';
const replyAddress = 'PARLEY_MAIL_REPLY_ADDRESS=reply+%@chat.example.org';

/** An overlay with answers by mail, as the README describes it. @returns its folder, relative to that of the manifests */
function makeOverlayWithAnswers(): string {
  const made = mkdtempSync(join(folder, 'overlay-'));
  const named = (name: string): string => relative(made, join(kubernetesFolder, name));
  const kustomization = {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [named('overlays/production')],
    components: [named(answersComponent)],
    configMapGenerator: [{ name: 'parley-settings', behavior: 'merge', literals: [replyAddress] }],
  };
  writeFileSync(join(made, 'kustomization.yaml'), JSON.stringify(kustomization));
  return relative(kubernetesFolder, made);
}

describe
  .skipIf(builder === undefined)
  .each([
    ...overlays.map((overlay) => ({ overlay, folderOf: () => overlay, takesAnswers: false })),
    { overlay: answersComponent, folderOf: makeOverlayWithAnswers, takesAnswers: true },
  ])('$overlay, as kustomize builds it,', ({ folderOf, takesAnswers }) => {
  const manifests = builder === undefined ? [] : build(builder, folderOf());
  const workloads = ['Deployment', 'Job'].flatMap((kind) => ofKind<Workload>(manifests, kind));
  const services = ofKind<Workload>(manifests, 'Deployment');

  test('satisfies the schemas, without unknown members', async () => {
    expect(manifests.length).toBeGreaterThan(15);
    for (const manifest of manifests)
      expect(
        await findSchemaFault(manifest),
        `${manifest.kind} ${manifest.metadata.name}`,
      ).toBeUndefined();
    expect(await findUnknownMembers(manifests)).toBe('');
  });

  test("runs every service, the migration and the first start with the image's commands", async () => {
    expect(services.map(componentOf).toSorted()).toEqual([...serviceNames].toSorted());
    const jobs = workloads.filter(({ kind }) => kind === 'Job');
    expect(jobs.map(componentOf).toSorted()).toEqual(['first-start', 'migrate']);
    for (const workload of workloads) {
      const [{ command, args = [] }] = workload.spec.template.spec.containers;
      const [program, ...words] = command;
      if (workload.kind === 'Job') {
        expect(command).toEqual(['parley', componentOf(workload)]);
        expect(await tryWords([...words, ...args])).toBe(1);
        continue;
      }
      expect(program).toBe('node');
      const file = words.at(-1) ?? '';
      expect(existsSync(join(repositoryFolder, file)), `file ${file}`).toBe(true);
    }
    const images = new Set(
      workloads.map(({ spec }) => spec.template.spec.containers.map(({ image }) => image).join()),
    );
    expect(images.size, 'one image for all').toBe(1);
  });

  test('gives every process a valid configuration', () => {
    const known = describeConfig();
    for (const workload of workloads) {
      const environment = environmentOf(workload, manifests);
      for (const name of Object.keys(environment)) {
        const bare = name.replace(/_FILE$/, '');
        const setting = known.find((candidate) => candidate.name === bare);
        expect(setting, `setting ${name}`).toBeDefined();
        if (bare !== name) expect(setting?.secret, `secret ${name}`).toBe(true);
      }
      const [{ ports = [] }] = workload.spec.template.spec.containers;
      const config = readServiceConfig(
        // The image's own, as deploy/Dockerfile sets them.
        {
          PARLEY_HOST: '0.0.0.0',
          PARLEY_PORT: '9991',
          PARLEY_INTERNAL_PORT: '9992',
          ...environment,
        },
        componentOf(workload),
      );
      const listening: Readonly<Record<string, number | undefined>> = {
        http: config.listen.port,
        internal: config.listen.internalPort,
        lmtp: config.mailAnswers?.lmtp.port,
      };
      for (const { name, containerPort } of ports) expect(containerPort).toBe(listening[name]);
    }
  });

  test('denies every pod everything that it does not need', () => {
    for (const workload of workloads) {
      const pod = workload.spec.template.spec;
      const [container] = pod.containers;
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(container.securityContext).toEqual({
        readOnlyRootFilesystem: true,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
      expect(Object.keys(container.resources.limits)).toContain('memory');
      expect(Object.keys(container.resources.requests).toSorted()).toEqual(['cpu', 'memory']);
      expect(ofKind(manifests, 'ServiceAccount').map(({ metadata }) => metadata.name)).toContain(
        pod.serviceAccountName,
      );
    }
  });

  test('gives all processes that need it the folder of files, if files are in one', () => {
    for (const workload of workloads) {
      const uploads = environmentOf(workload, manifests)['PARLEY_UPLOADS_DIR'] ?? '';
      if (uploads === '' || !openFiles.has(componentOf(workload))) continue;
      const { containers, volumes } = workload.spec.template.spec;
      const mount = containers[0].volumeMounts.find(({ mountPath }) => mountPath === uploads);
      const volume = volumes.find(({ name }) => name === mount?.name);
      expect(volume?.persistentVolumeClaim, `files of ${workload.metadata.name}`).toEqual({
        claimName: 'parley-uploads',
      });
    }
  });

  test('refers to existing secrets, volumes and ports', () => {
    const claims = ofKind(manifests, 'PersistentVolumeClaim').map(({ metadata }) => metadata.name);
    for (const workload of workloads) {
      const { containers, volumes } = workload.spec.template.spec;
      const [container] = containers;
      for (const { name } of container.volumeMounts)
        expect(volumes.map((volume) => volume.name)).toContain(name);
      for (const { secret, persistentVolumeClaim } of volumes) {
        for (const { key } of secret?.items ?? [])
          expect(secretKeys[secret?.secretName ?? '']).toContain(key);
        if (persistentVolumeClaim !== undefined)
          expect(claims).toContain(persistentVolumeClaim.claimName);
      }
      for (const { valueFrom } of container.env)
        if (valueFrom?.secretKeyRef !== undefined)
          expect(secretKeys[valueFrom.secretKeyRef.name]).toContain(valueFrom.secretKeyRef.key);
      const portNames = (container.ports ?? []).map(({ name }) => name);
      for (const probe of [
        container.startupProbe,
        container.livenessProbe,
        container.readinessProbe,
      ]) {
        const port = probe?.httpGet?.port ?? probe?.tcpSocket?.port;
        if (workload.kind === 'Deployment') expect(portNames).toContain(port);
        if (probe?.httpGet !== undefined)
          expect(['/health/live', '/health/ready']).toContain(probe.httpGet.path);
      }
    }
    const [gateway] = ofKind<
      Manifest & {
        spec: { selector: Labels; ports: { name: string; port: number; targetPort: string }[] };
      }
    >(manifests, 'Service');
    expect(gateway?.metadata.name).toBe('parley-gateway');
    expect(
      services.filter(({ spec }) =>
        isChosen({ matchLabels: gateway?.spec.selector ?? {} }, spec.template.metadata.labels),
      ),
    ).toHaveLength(1);
    expect(gateway?.spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
    const relays = ofKind<Manifest & { spec: { selector: Labels; ports: object[] } }>(
      manifests,
      'Service',
    ).filter(({ metadata }) => metadata.name === 'parley-lmtp');
    expect(relays).toHaveLength(takesAnswers ? 1 : 0);
    for (const { spec } of relays) {
      expect(spec.ports).toEqual([{ name: 'lmtp', port: 24, targetPort: 'lmtp' }]);
      const chosen = services.filter((workload) =>
        isChosen({ matchLabels: spec.selector }, workload.spec.template.metadata.labels),
      );
      expect(chosen.map(componentOf)).toEqual(['messages']);
      const [messages] = chosen;
      expect(messages?.spec.template.spec.containers[0].ports?.map(({ name }) => name)).toContain(
        'lmtp',
      );
      expect(messages && environmentOf(messages, manifests)).toMatchObject({
        PARLEY_LMTP_HOST: '0.0.0.0',
      });
    }
    const [ingress] = ofKind(manifests, 'Ingress');
    expect(JSON.stringify(ingress)).toContain(
      '{"service":{"name":"parley-gateway","port":{"name":"http"}}}',
    );
  });

  test('gives processes enough time to drain', () => {
    for (const workload of services) {
      const { terminationGracePeriodSeconds: grace = 30, containers } = workload.spec.template.spec;
      const pauseSecs = Number(containers[0].lifecycle?.preStop.exec.command[1] ?? 0);
      const { drainTimeoutMs } = readServiceConfig(
        environmentOf(workload, manifests),
        componentOf(workload),
      );
      // The lease and the held polls, the requests, the release: each step has its own full bound.
      expect(grace).toBeGreaterThanOrEqual(pauseSecs + (3 * drainTimeoutMs) / 1_000);
    }
  });

  test('scales and protects existing workloads', () => {
    for (const scaler of ofKind<
      Manifest & {
        spec: {
          scaleTargetRef: { kind: string; name: string };
          metrics: { type: string; resource?: { name: string } }[];
        };
      }
    >(manifests, 'HorizontalPodAutoscaler')) {
      const target = services.find(
        ({ metadata }) => metadata.name === scaler.spec.scaleTargetRef.name,
      );
      expect(target, `target of ${scaler.metadata.name}`).toBeDefined();
      // A number here would be restored at every deploy.
      expect(target?.spec.replicas, `replicas of ${scaler.metadata.name}`).toBeUndefined();
      for (const { type, resource } of scaler.spec.metrics)
        expect(type === 'Pods' || resource?.name === 'cpu').toBe(true);
    }
    const budgets = ofKind<Manifest & { spec: { selector: Selector } }>(
      manifests,
      'PodDisruptionBudget',
    );
    for (const workload of services)
      expect(
        budgets.filter(({ spec }) =>
          isChosen(spec.selector, workload.spec.template.metadata.labels),
        ),
        `budgets of ${workload.metadata.name}`,
      ).toHaveLength(1);
  });

  test('admits only the clients that policies name', () => {
    type Rule = {
      readonly from?: readonly { readonly podSelector?: Selector }[];
    };
    type Policy = Manifest & {
      readonly spec: {
        readonly podSelector: Selector;
        readonly policyTypes: readonly string[];
        readonly ingress?: readonly (Rule & { readonly ports: { readonly port: string }[] })[];
      };
    };
    const policies = ofKind<Policy>(manifests, 'NetworkPolicy');
    const labelsOf = (name: string): Labels =>
      workloads.find((workload) => componentOf(workload) === name)?.spec.template.metadata.labels ??
      {};
    const mayReach = (to: string, port: string): string[] =>
      policies
        .filter(({ spec }) => isChosen(spec.podSelector, labelsOf(to)))
        .flatMap(({ spec }) => spec.ingress ?? [])
        .filter(({ ports }) => ports.some((open) => open.port === port))
        .flatMap(({ from = [] }) =>
          from.flatMap((peer) =>
            peer.podSelector === undefined
              ? ['another namespace']
              : workloads
                  .map(componentOf)
                  .filter((name) => isChosen(peer.podSelector ?? {}, labelsOf(name))),
          ),
        );
    for (const name of [...serviceNames, 'migrate', 'first-start']) {
      const chosen = policies.filter(({ spec }) => isChosen(spec.podSelector, labelsOf(name)));
      expect(chosen.flatMap(({ spec }) => spec.policyTypes)).toEqual(
        expect.arrayContaining(['Ingress', 'Egress']),
      );
    }
    expect(mayReach('gateway', 'http')).toEqual(['another namespace']);
    for (const name of serviceNames.filter((service) => service !== 'gateway'))
      expect(mayReach(name, 'http'), `who reaches ${name}`).toEqual(['gateway']);
    for (const name of serviceNames)
      expect(mayReach(name, 'internal'), `who reads ${name}`).toEqual(['another namespace']);
    for (const name of ['migrate', 'first-start']) expect(mayReach(name, 'http')).toEqual([]);
    for (const name of serviceNames)
      expect(mayReach(name, 'lmtp'), `who hands ${name} mails`).toEqual(
        takesAnswers && name === 'messages' ? ['another namespace'] : [],
      );
  });
});
