/**
 * Names folders of this server in policies for browsers. A folder can be named only together with a host, and `'self'` would include what people
 * upload.
 */

/** The form of hosts in policies, which have none for IPv6. */
const nameable = /^[\w.-]+(?::\d+)?$/;

/** @returns the sources for a folder, for a request with this `Host` */
export type OwnSources = (askedHost: string | undefined, folder: string) => string;

/**
 * The address by which a browser came is named beside the public one, because a server may have several. A page of somebody else cannot choose what
 * a browser sends as `Host`.
 *
 * @param publicUrl where clients reach the server
 */
export function ownSourcesOf(publicUrl: string): OwnSources {
  const { host: publicHost } = new URL(publicUrl);
  return (askedHost = publicHost, folder) => {
    const hosts = [...new Set([publicHost, askedHost.toLowerCase()])];
    return hosts.every((host) => nameable.test(host))
      ? hosts.map((host) => host + folder).join(' ')
      : "'self'";
  };
}
