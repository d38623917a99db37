/** A monitor at its server, reduced to the fields that this service owns, without passwords and keys. */
export interface RemoteMonitor {
  id: number;
  name: string;
  type: string;
  target: string | null;
  port: number | null;
  interval: number | null;
  retries: number | null;
  /** The id of its group; null if it is in none. */
  parent: number | null;
  active: boolean;
}

/** Types with an address in `url` as their target. */
const OF_URL = new Set(["http", "keyword", "json-query", "real-browser", "websocket-upgrade"]);
/** Types with a host in `hostname` as their target, most of them with a port. */
const OF_HOST = new Set([
  "ping",
  "port",
  "dns",
  "mqtt",
  "steam",
  "gamedig",
  "radius",
  "snmp",
  "smtp",
  "sip-options",
  "tailscale-ping",
]);

/** Types of `OF_HOST` that check no port. */
const WITHOUT_PORT = new Set(["ping", "tailscale-ping"]);

/** The server's field for the target of a type; null for types without one here. */
export const targetField = (type: string): "url" | "hostname" | null =>
  OF_URL.has(type) ? "url" : OF_HOST.has(type) ? "hostname" : null;

const whole = (value: unknown): number | null =>
  Number.isSafeInteger(Number(value)) && value !== null && value !== "" ? Number(value) : null;
/** A text that PostgreSQL can store; null if there is none. */
const text = (value: unknown): string | null =>
  (typeof value === "string" && value.toWellFormed().replaceAll("\u0000", " ")) || null;

/** Removes user name and password from an address, because they are secrets of the monitor. */
export function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1");
  const url = new URL(address);
  if (url.username === "" && url.password === "") return address;
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1");
}

/** Parses the owned fields of a monitor and drops the rest (workspace-reporting §5); null if it is not a monitor. */
export function remoteMonitor(raw: unknown): RemoteMonitor | null {
  if (typeof raw !== "object" || raw === null) return null;
  const monitor = raw as Record<string, unknown>;
  const [id, name, type] = [whole(monitor["id"]), text(monitor["name"]), text(monitor["type"])];
  if (id === null || type === null) return null;
  const field = targetField(type);
  const target = field && text(monitor[field]);
  const { active } = monitor;
  return {
    id,
    name: name ?? `#${id}`,
    type,
    target: target && withoutCredentials(target),
    port: field === "hostname" && !WITHOUT_PORT.has(type) ? whole(monitor["port"]) : null,
    interval: whole(monitor["interval"]),
    retries: whole(monitor["maxretries"]),
    parent: whole(monitor["parent"]),
    active: active === true || active === 1,
  };
}

/** The wanted state of a monitor at its server, with all settings resolved. */
export interface WantedMonitor {
  name: string;
  monitor_type: string;
  target: string | null;
  port: number | null;
  interval_seconds: number;
  retries: number;
  retry_interval_seconds: number;
  resend_interval: number;
  timeout_seconds: number;
  method: string;
  accepted_statuses: readonly string[];
  max_redirects: number;
  expiry_notification: boolean;
  /** The id of its group at the server; null if it is in none. */
  parent: number | null;
}

/** What a monitor without a known id is found by at its server. */
export type MonitorIdentity = Pick<WantedMonitor, "name" | "monitor_type" | "target">;

/** Whether a monitor at the server has this name, type and target. */
export const isIdentified = ({ name, type, target }: RemoteMonitor, identity: MonitorIdentity): boolean =>
  name === identity.name && type === identity.monitor_type && target === identity.target;

/** The fields of a monitor that this service writes, by their names here. */
export type OwnedField = keyof WantedMonitor;

/** The port of the server's own form for a type; null for types that can go without. */
const defaultPort = (type: string): number | null => (type === "dns" ? 53 : null);

/** The server's fields that correspond to one of ours. */
function written(field: OwnedField, wanted: WantedMonitor): Record<string, unknown> {
  switch (field) {
    case "name":
      return { name: wanted.name };
    case "monitor_type":
      return { type: wanted.monitor_type, ...written("target", wanted), ...written("port", wanted) };
    case "target": {
      const name = targetField(wanted.monitor_type);
      return name === null ? {} : { [name]: wanted.target };
    }
    case "port":
      return targetField(wanted.monitor_type) === "hostname" ? { port: wanted.port ?? defaultPort(wanted.monitor_type) } : {};
    case "interval_seconds":
      return { interval: wanted.interval_seconds };
    case "retries":
      return { maxretries: wanted.retries };
    case "retry_interval_seconds":
      return { retryInterval: wanted.retry_interval_seconds };
    case "resend_interval":
      return { resendInterval: wanted.resend_interval };
    case "timeout_seconds":
      return { timeout: wanted.timeout_seconds };
    case "method":
      return { method: wanted.method };
    case "accepted_statuses":
      return { accepted_statuscodes: [...wanted.accepted_statuses] };
    case "max_redirects":
      return { maxredirects: wanted.max_redirects };
    case "expiry_notification":
      return { expiryNotification: wanted.expiry_notification };
    case "parent":
      return { parent: wanted.parent };
  }
}

export const OWNED_FIELDS = [
  "name",
  "monitor_type",
  "target",
  "port",
  "interval_seconds",
  "retries",
  "retry_interval_seconds",
  "resend_interval",
  "timeout_seconds",
  "method",
  "accepted_statuses",
  "max_redirects",
  "expiry_notification",
  "parent",
] as const satisfies readonly OwnedField[];

/**
 * The fields to write to a monitor that an earlier attempt created: its settings, and what it was found by where another is wanted.
 * @param found its name, type and target at the server
 */
export function fieldsOfFound(wanted: WantedMonitor, found: MonitorIdentity): OwnedField[] {
  const isWanted = (field: OwnedField) =>
    field === "name" || field === "monitor_type" || field === "target"
      ? wanted[field] !== found[field]
      : field !== "port" || wanted.port !== null;
  return OWNED_FIELDS.filter(isWanted);
}

/** The server's fields that a type needs besides ours, with the values of its own form. */
const needed = ({ monitor_type }: WantedMonitor): Record<string, unknown> =>
  monitor_type === "dns" ? { dns_resolve_server: "1.1.1.1", dns_resolve_type: "A" } : {};

/** The fields that a monitor of another type lacks after the change to a wanted type. @param raw the monitor from the server */
export const missingFor = (wanted: WantedMonitor, raw: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(needed(wanted)).filter(([name]) => !raw[name]));

/**
 * A monitor with some fields overwritten by ours. The server stores the fields sent and clears all others, so the rest is sent back
 * unchanged.
 * @param raw the monitor from the server
 * @param fields the fields to overwrite
 */
export const overwritten = (
  raw: Readonly<Record<string, unknown>>,
  wanted: WantedMonitor,
  fields: readonly OwnedField[],
): Record<string, unknown> => Object.assign({ ...raw }, ...fields.map((field) => written(field, wanted)));

/**
 * A new monitor for the server.
 * @param major the server's major version: version 2 needs `conditions`, version 1 fails with it
 * @param notificationIds notifications that the administrator enabled for new monitors
 */
export function addition(wanted: WantedMonitor, major: number, notificationIds: readonly number[]): Record<string, unknown> {
  return {
    ...overwritten({}, wanted, OWNED_FIELDS),
    // Since version 2 every type needs it, including groups.
    accepted_statuscodes: [...wanted.accepted_statuses],
    notificationIDList: Object.fromEntries(notificationIds.map((id) => [id, true])),
    ignoreTls: false,
    upsideDown: false,
    ...needed(wanted),
    ...(major >= 2 && { conditions: [] }),
  };
}
