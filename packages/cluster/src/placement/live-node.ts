/** A process that holds a lease: where a gateway may send requests of its service. */
export type LiveNode = {
  readonly nodeId: string;
  readonly service: string;
  /** `host:port`, an IPv6 host in brackets. */
  readonly address: string;
};
