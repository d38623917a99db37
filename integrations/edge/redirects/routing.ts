/** Whether a zone's records let its redirects take effect: redirects run at the edge, so a proxied record must exist. */
export interface OriginState {
  apex_proxied: boolean;
  www_proxied: boolean;
  has_records: boolean;
}

/** The fields of a DNS record that a redirect depends on. */
export interface OriginRecord {
  type: string;
  name: string;
  proxied: boolean | null;
}

const CARRIES = new Set(["A", "AAAA", "CNAME"]);
const bare = (name: string): string => name.toLowerCase().replace(/\.$/, "");

/** Whether a host has a record that routes its visitors through the edge. */
export const isProxied = (records: readonly OriginRecord[], host: string): boolean =>
  records.some(({ type, name, proxied }) => proxied === true && bare(name) === host && CARRIES.has(type.toUpperCase()));

/** The origin of a domain. @param apex its name in ASCII */
export const originOf = (records: readonly OriginRecord[], apex: string): OriginState => ({
  apex_proxied: isProxied(records, apex),
  www_proxied: isProxied(records, `www.${apex}`),
  has_records: records.length > 0,
});

/** The hosts of a redirect that lack an origin (assets §8.2). */
export const hostsWithoutOrigin = (records: readonly OriginRecord[], apex: string, includeSubdomains: boolean): string[] =>
  [apex, ...(includeSubdomains ? [`www.${apex}`] : [])].filter((host) => !isProxied(records, host));

/** Whether public DNS delegates to the zone's name servers: null if either side is unknown, true if they share one. */
export function isDelegated(expected: readonly string[], observed: readonly string[]): boolean | null {
  if (expected.length === 0 || observed.length === 0) return null;
  const known = new Set(expected.map(bare));
  return observed.some((name) => known.has(bare(name)));
}

/** The newest of some ISO 8601 instants; null if there are none. */
export const newestOf = (instants: readonly (string | null | undefined)[]): string | null =>
  instants.reduce<string | null>((newest, at) => {
    if (!at) return newest;
    return newest === null || Date.parse(at) > Date.parse(newest) ? at : newest;
  }, null);
