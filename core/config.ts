import { isIP } from "node:net";
import path from "node:path";

/** One setting: where it comes from, what it is by default, how its text becomes a value, and its line in the README. */
interface Setting<T> {
  name: string;
  fallback: string | undefined;
  read: (text: string) => T;
  about: string;
}

/** A wrong or missing setting. The message is one sentence that names the variable and says what it takes. */
export class ConfigurationError extends Error {
  override name = "ConfigurationError";
}

const setting = <T>(name: string, fallback: string | undefined, read: (text: string) => T, about: string): Setting<T> => ({
  name,
  fallback,
  read,
  about,
});

const text = (value: string) => value;
const oneOf =
  <T extends string>(...allowed: T[]) =>
  (value: string): T => {
    if ((allowed as string[]).includes(value)) return value as T;
    throw new Error(`takes one of ${allowed.join(", ")}`);
  };
const flag = (value: string): boolean => {
  if (value === "true" || value === "1") return true;
  if (value === "false" || value === "0") return false;
  throw new Error("takes true or false");
};
const whole = (minimum: number, maximum: number) => (value: string) => {
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= minimum && number <= maximum) return number;
  throw new Error(`takes a whole number from ${minimum} to ${maximum}`);
};
const url = (value: string): string => {
  // A socket's address has its folder in the query and no host: `postgres://role:password@/database?host=/run/postgresql`.
  if (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value.replace("@/", "@socket/"))) return value;
  throw new Error("takes an address of the form postgres://role:password@host:port/database");
};
const hostname = (value: string): string => {
  if (/^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/.test(value)) return value;
  throw new Error("takes a host name in lower case, without scheme or port");
};
const isRange = (value: string): boolean => {
  const [address = "", bits, ...rest] = value.split("/");
  const most = { 4: 32, 6: 128 }[isIP(address)];
  return most !== undefined && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
};
const addresses = (value: string): string[] => {
  const list = value.split(",").map((part) => part.trim());
  if (list.every(isRange)) return list;
  throw new Error("takes addresses or CIDR ranges, separated by commas");
};
const listening = (value: string): string => {
  if (isIP(value) !== 0 || value === "localhost") return value;
  throw new Error("takes an address of this machine, 0.0.0.0 for all, or localhost");
};
const node = (value: string): string => {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(value)) return value;
  throw new Error("takes up to 100 letters, digits, dashes and underscores, a letter or digit first");
};
const broker = (value: string): string => {
  if (/^(nats|tcp):\/\/\S+$/i.test(value) || /^(nats|tcp)$/i.test(value)) return value;
  throw new Error("takes an address of the form nats://host:4222");
};
const service = (value: string): string => {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  if (parsed && /^https?:$/.test(parsed.protocol) && !/[?#@]/.test(value)) return value.replace(/\/+$/, "");
  throw new Error("takes an address of the form https://host/path, without credentials, query or fragment");
};
const prefix = (value: string): string => {
  if (/^[a-z][a-z0-9]{1,9}$/.test(value)) return value;
  throw new Error("takes 2 to 10 lower-case letters and digits, a letter first");
};
const PUBLISHED = new Set(["changeme", "secret", "password", "kantoor", "development"]);
const secret = (value: string): string => {
  if (value.length >= 32 && !PUBLISHED.has(value.toLowerCase()) && new Set(value).size > 8) return value;
  throw new Error("takes at least 32 characters that nobody has published; `openssl rand -hex 32` makes a good one");
};

/** Every setting of the service. An absent fallback means: unset, unless the start derives a value (see `readConfig`). */
export const settings = {
  httpPort: setting("SERVICE_HTTP_PORT", "3000", whole(0, 65535), "Port of the API; 0 takes a free one"),
  httpAddress: setting("SERVICE_HTTP_ADDRESS", "0.0.0.0", listening, "Address the API listens on"),
  dataDir: setting(
    "SERVICE_DATA_DIR",
    "data",
    (value) => path.resolve(import.meta.dirname, "..", value),
    "Folder of the embedded database, secrets and `first-run.json`",
  ),
  databaseUrl: setting(
    "SERVICE_DATABASE_URL",
    undefined,
    url,
    "External PostgreSQL, as the application role that owns nothing; unset: embedded",
  ),
  migrationUrl: setting(
    "SERVICE_DATABASE_MIGRATION_URL",
    undefined,
    url,
    "The same database as the role that owns the tables; needed with `SERVICE_DATABASE_URL` to migrate and by the command line",
  ),
  databasePool: setting("SERVICE_DATABASE_POOL", "10", whole(1, 200), "Connections of one node"),
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
    "Port callers see; embedded: the listening port, else none",
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
  keyPrefix: setting("SERVICE_KEY_PREFIX", "kt", prefix, "First part of issued API keys"),
  secret: setting("SERVICE_SECRET", undefined, secret, "Main secret; embedded: made at first start, else required"),
  encryptionKey: setting(
    "SERVICE_ENCRYPTION_KEY",
    undefined,
    secret,
    "Key of secrets at rest; unset: derived from the main secret",
  ),
  rateLimitPerKey: setting(
    "SERVICE_RATE_LIMIT_PER_KEY",
    "600",
    whole(0, 100_000_000),
    "API calls a minute per key; 0 switches it off",
  ),
  rateLimitSignIn: setting(
    "SERVICE_RATE_LIMIT_SIGN_IN",
    "10",
    whole(0, 1_000_000),
    "Sign-in attempts a minute per address and host; 0 switches it off",
  ),
  apiDocsEnabled: setting("SERVICE_API_DOCS_ENABLED", "true", flag, "Serve `/api/docs`, `/api/redoc` and `/api/openapi.json`"),
  apiDocsAccess: setting("SERVICE_API_DOCS_ACCESS", "public", oneOf("public", "staff"), "Who may read the API reference"),
  demo: setting("SERVICE_DEMO", undefined, flag, "Make the demo organisation in an empty database; embedded: true, else false"),
  bodyLimit: setting("SERVICE_BODY_LIMIT", "1048576", whole(1024, 104857600), "Largest JSON or form body in bytes"),
  requestTimeout: setting("SERVICE_REQUEST_TIMEOUT_MS", "30000", whole(100, 600000), "Time one request may take"),
  logLevel: setting(
    "SERVICE_LOG_LEVEL",
    "info",
    oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
    "Least severe log line written; `debug` adds a line per request",
  ),
  environment: setting("SERVICE_ENVIRONMENT", "production", text, "Name of the installation shown by `system/info`"),
  nodeId: setting("SERVICE_NODE_ID", undefined, node, "Name of this node among several; unset: made of host name and process id"),
  gitSha: setting("SERVICE_GIT_SHA", undefined, text, "Commit the installation was built from, shown by `system/info`"),
  addressApiUrl: setting(
    "SERVICE_ADDRESS_API_URL",
    "https://api.pdok.nl/bzk/locatieserver/search/v3_1",
    service,
    "Search service of Dutch addresses (PDOK Locatieserver) behind `addresslookup`",
  ),
  transporter: setting("TRANSPORTER", undefined, broker, "`nats://host:4222` joins several nodes; unset: one process"),
} as const satisfies Record<string, Setting<unknown>>;

type Values = { [K in keyof typeof settings]: ReturnType<(typeof settings)[K]["read"]> | undefined };
type Always =
  | "httpPort"
  | "httpAddress"
  | "dataDir"
  | "databasePool"
  | "baseDomain"
  | "posture"
  | "keyPrefix"
  | "rateLimitPerKey";
type AlwaysToo =
  | "rateLimitSignIn"
  | "apiDocsEnabled"
  | "apiDocsAccess"
  | "bodyLimit"
  | "requestTimeout"
  | "logLevel"
  | "environment"
  | "addressApiUrl";

/** The configuration of one process: settings with a default are always there, the rest may be undefined. */
export type Config = { [K in keyof Values]: K extends Always | AlwaysToo ? NonNullable<Values[K]> : Values[K] };

/**
 * Reads the environment.
 * @throws ConfigurationError naming the first variable whose value cannot be used
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const values: Record<string, unknown> = {};
  for (const [key, { name, fallback, read }] of Object.entries(settings) as [string, Setting<unknown>][]) {
    const given = environment[name]?.trim() || fallback;
    try {
      values[key] = given === undefined ? undefined : read(given);
    } catch (error) {
      throw new ConfigurationError(`${name} ${(error as Error).message}.`);
    }
  }
  const config = values as Config;
  if (config.databaseUrl && !config.secret)
    throw new ConfigurationError(
      "SERVICE_SECRET is required with SERVICE_DATABASE_URL; `openssl rand -hex 32` makes a good one.",
    );
  return config;
}

/** True when no external database is configured and the process runs its own PostgreSQL. */
export const isEmbedded = (config: Config): boolean => config.databaseUrl === undefined;
