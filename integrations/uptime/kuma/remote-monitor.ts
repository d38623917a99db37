/** A monitor as its server has it: the fields this service owns, and none of the passwords and keys around them. */
export interface RemoteMonitor {
  id: number;
  name: string;
  type: string;
  target: string | null;
  port: number | null;
  interval: number | null;
  retries: number | null;
  /** The number of its group, null outside of any. */
  parent: number | null;
  active: boolean;
}

/** Types whose target is the address in `url`. */
const OF_URL = new Set(["http", "keyword", "json-query", "real-browser", "websocket-upgrade"]);
/** Types whose target is the host in `hostname`, most of them with a port. */
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

/** Which field of the server holds the target of a type; null for types that have none here. */
export const targetField = (type: string): "url" | "hostname" | null =>
  OF_URL.has(type) ? "url" : OF_HOST.has(type) ? "hostname" : null;

const whole = (value: unknown): number | null =>
  Number.isSafeInteger(Number(value)) && value !== null && value !== "" ? Number(value) : null;
const text = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

/** An address without a user name and password in it: those are secrets of the monitor. */
export function withoutCredentials(address: string): string {
  if (!URL.canParse(address)) return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1");
  const url = new URL(address);
  if (url.username === "" && url.password === "") return address;
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, "$1");
}

/** Reads what is owned of a monitor; null for what is no monitor. Everything else is dropped here (workspace-reporting §5). */
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
    port: field === "hostname" ? whole(monitor["port"]) : null,
    interval: whole(monitor["interval"]),
    retries: whole(monitor["maxretries"]),
    parent: whole(monitor["parent"]),
    active: active === true || active === 1,
  };
}

/** What a monitor is to be at its server, all settings resolved. */
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
  /** The number of the group at the server, null outside of any. */
  parent: number | null;
}

/** The fields of a monitor that this service writes, by the names they have here. */
export type OwnedField = keyof WantedMonitor;

/** The fields of the server that one of ours fills. */
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
      return targetField(wanted.monitor_type) === "hostname" ? { port: wanted.port } : {};
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
 * The whole monitor with some of our fields put over it. The server writes every field it is sent and empties every other, so that what is
 * not ours goes back as it came.
 * @param raw as the server gave it
 * @param fields those that are written
 */
export const overwritten = (
  raw: Readonly<Record<string, unknown>>,
  wanted: WantedMonitor,
  fields: readonly OwnedField[],
): Record<string, unknown> => Object.assign({ ...raw }, ...fields.map((field) => written(field, wanted)));

/**
 * A new monitor for the server.
 * @param major the server's major version: `conditions` is there from 2 on and breaks 1
 * @param notificationIds those the server's administrator has marked for new monitors
 */
export function addition(wanted: WantedMonitor, major: number, notificationIds: readonly number[]): Record<string, unknown> {
  return {
    ...overwritten({}, wanted, OWNED_FIELDS),
    // From 2 on every type needs it, groups included.
    accepted_statuscodes: [...wanted.accepted_statuses],
    notificationIDList: Object.fromEntries(notificationIds.map((id) => [id, true])),
    ignoreTls: false,
    upsideDown: false,
    ...(wanted.monitor_type === "dns" && { dns_resolve_server: "1.1.1.1", dns_resolve_type: "A", port: wanted.port ?? 53 }),
    ...(major >= 2 && { conditions: [] }),
  };
}
