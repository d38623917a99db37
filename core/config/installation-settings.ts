import path from "node:path";
import { type Setting, secretSetting, setting } from "./setting.ts";
import { addresses, hostname, listening, oneOf, url, urls, whole } from "./values.ts";

/** The installation: where it listens, its database, host names, posture and licensing. */
export const installationSettings = {
  httpPort: setting("SERVICE_HTTP_PORT", "3000", whole(0, 65535), "Port of the API; 0 picks a free one"),
  httpAddress: setting("SERVICE_HTTP_ADDRESS", "0.0.0.0", listening, "Address the API listens on"),
  dataDir: setting(
    "SERVICE_DATA_DIR",
    "data",
    (value) => path.resolve(import.meta.dirname, "../..", value),
    "Folder of files without a bucket, the unpacked browser, and embedded the database, its secrets and `first-run.json`; all nodes share the files",
  ),
  databaseUrl: secretSetting(
    "SERVICE_DATABASE_URL",
    url,
    "External PostgreSQL, as the application role, which owns no objects; unset: embedded",
  ),
  migrationUrl: secretSetting(
    "SERVICE_DATABASE_MIGRATION_URL",
    url,
    "The same database as the role that owns the tables; needed with `SERVICE_DATABASE_URL` to migrate and by the command line",
  ),
  databaseReadUrls: secretSetting(
    "SERVICE_DATABASE_READ_URLS",
    urls,
    "Streaming replicas of the database for lists, exports and reports, as the application role, separated by commas; unset: none",
  ),
  databaseReadLag: setting(
    "SERVICE_DATABASE_READ_LAG_MS",
    "5000",
    whole(1000, 600_000),
    "How far behind the primary a replica may be to answer, in milliseconds",
  ),
  databasePool: setting(
    "SERVICE_DATABASE_POOL",
    "10",
    whole(1, 200),
    "Connections of one node for requests, and as many to each replica; it has 6 more, for jobs and a listener ([Sizing](sizing.md))",
  ),
  baseDomain: setting("SERVICE_BASE_DOMAIN", "localhost", hostname, "Organisations answer at `<slug>.<base domain>`"),
  publicScheme: setting(
    "SERVICE_PUBLIC_SCHEME",
    undefined,
    oneOf("http", "https"),
    "Scheme callers see; embedded: http, else https",
  ),
  publicPort: setting(
    "SERVICE_PUBLIC_PORT",
    undefined,
    whole(1, 65535),
    "Port that callers see; embedded: the listening port, else none",
  ),
  trustedProxies: setting(
    "SERVICE_TRUSTED_PROXIES",
    undefined,
    addresses,
    "Addresses or CIDR ranges whose forwarded headers count",
  ),
  posture: setting(
    "SERVICE_POSTURE",
    "self-hosted",
    oneOf("self-hosted", "hosted"),
    "One agency's own box, or an operator with many paying organisations",
  ),
  licensing: setting(
    "SERVICE_LICENSING",
    "off",
    oneOf("off", "required"),
    "Self-hosted: `required` makes licensed modules writable only with a product licence, after a trial of 14 days; `off` requires none",
  ),
} as const satisfies Record<string, Setting<unknown>>;
