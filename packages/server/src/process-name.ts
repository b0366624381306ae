/** How a process is named in logs, metrics and traces. */
export type ProcessName = { readonly service: string; readonly nodeId: string };

/** @returns the name of a service that has the process for itself; of several, the names of all and the node of the first */
export function nameOfProcess(services: readonly ProcessName[]): ProcessName {
  return {
    service: services.map(({ service }) => service).join('+'),
    nodeId: services[0]?.nodeId ?? '',
  };
}
