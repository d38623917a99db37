/**
 * Why no record for a host can be added to a zone; null if one can. A linked zone may have another name than its domain, and the provider
 * would add the host below that name.
 * @param host in ASCII
 * @param zone the zone's name in ASCII
 */
export const outsideZone = (host: string, zone: string): string | null =>
  host === zone || host.endsWith(`.${zone}`) ? null : `${host} is not in the zone ${zone}`;
