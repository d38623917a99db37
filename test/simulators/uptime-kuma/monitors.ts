import { UNKNOWN_FIELD } from "./checker.ts";

export type KumaMonitor = Record<string, unknown> & { id: number; name: string; type: string };

/** Monitor types the server knows, from simple ones to databases. */
export const TYPES = [
  ..."http keyword json-query real-browser websocket-upgrade ping port dns mqtt steam gamedig radius snmp smtp sip-options".split(
    " ",
  ),
  ..."tailscale-ping group push manual docker grpc-keyword kafka-producer rabbitmq mongodb mysql postgres redis sqlserver".split(
    " ",
  ),
  ..."globalping system-service oracledb ldap nats amqp ntp ftp ssh imap pop3 game-server".split(" "),
];

/** Secrets in a real server's list. */
export const SECRETS = {
  headers: '{"X-Key":"monitor-header-secret"}',
  basic_auth_user: "monitor-user",
  basic_auth_pass: "monitor-basic-secret",
  oauth_client_secret: "monitor-oauth-secret",
  bearer_token: "monitor-bearer-secret",
  pushToken: "monitor-push-secret",
  databaseConnectionString: "postgres://u:monitor-database-secret@db/x",
  tlsKey: "monitor-tls-secret",
  mqttPassword: "monitor-mqtt-secret",
} as const;

/** Fields the server derives at each read and ignores in a write. */
export const DERIVED = ["path", "pathName", "childrenIDs", "includeSensitiveData", "maintenance", "forceInactive"];

/** A monitor as the server stores it, with a field that no description has. */
export function storedMonitor(id: number, values: Record<string, unknown> & { name: string; type: string }): KumaMonitor {
  return {
    id,
    description: null,
    parent: null,
    url: "https://",
    method: "GET",
    hostname: null,
    port: null,
    maxretries: 0,
    weight: 2000,
    active: true,
    subtype: null,
    timeout: 48,
    interval: 60,
    retryInterval: 60,
    resendInterval: 0,
    keyword: null,
    expiryNotification: false,
    domainExpiryNotification: true,
    ignoreTls: false,
    upsideDown: false,
    maxredirects: 10,
    accepted_statuscodes: ["200-299"],
    proxyId: null,
    notificationIDList: { 1: true },
    tags: [],
    ...SECRETS,
    [UNKNOWN_FIELD]: { nested: [id, null, "é"] },
    ...values,
  };
}

/** A monitor of every type, with odd values in the fields this service does not manage. */
export const everyType = (first: number): KumaMonitor[] =>
  TYPES.map((type, index) =>
    storedMonitor(first + index, {
      name: `Monitor ${type}`,
      type,
      ...(["http", "keyword", "json-query", "real-browser", "websocket-upgrade"].includes(type)
        ? { url: `https://user:in-url-secret@host${index}.example/a?b=1` }
        : { hostname: `host${index}.example`, port: 1000 + index }),
      description: index % 2 === 0 ? `Description "${type}" \u2713` : null,
      interval: index % 3 === 0 ? 1 : 90_000,
      maxretries: index % 4 === 0 ? 99 : 0,
      weight: index,
      notificationIDList: index % 5 === 0 ? {} : { 1: true, 7: true },
      tags: index % 2 === 0 ? [] : [{ tag_id: index, name: "tag", value: "", color: "#fff" }],
      [`${type.replaceAll("-", "_")}_setting`]: index % 2 === 0 ? null : { deep: [1.5, "two", false] },
    }),
  );
