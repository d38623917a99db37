import path from "node:path";
import { MAIL_PROVIDERS, MAIL_SECURITY } from "./mail-choices.ts";
import { nearestTo, type Unknown } from "./misspelt.ts";
import {
  addresses,
  broker,
  bucket,
  encryptionKey,
  flag,
  hostname,
  jobStore,
  listening,
  mailbox,
  nameServers,
  node,
  oneOf,
  prefix,
  region,
  secret,
  secrets,
  service,
  smsSender,
  text,
  url,
  whole,
} from "./values.ts";

/** One setting: where it comes from, what it is by default, how its text becomes a value, and its line in docs/configuration.md. */
interface Setting<T, F extends string | undefined = string | undefined> {
  name: string;
  fallback: F;
  read: (text: string) => T;
  about: string;
}

/** A wrong or missing setting. The message is one sentence that names the variable and says what it takes. */
export class ConfigurationError extends Error {
  override name = "ConfigurationError";
}

const setting = <T, F extends string | undefined>(
  name: string,
  fallback: F,
  read: (text: string) => T,
  about: string,
): Setting<T, F> => ({ name, fallback, read, about });

/** Every setting of the service. An absent fallback means: unset, unless the start derives a value (see `readConfig`). */
export const settings = {
  httpPort: setting("SERVICE_HTTP_PORT", "3000", whole(0, 65535), "Port of the API; 0 takes a free one"),
  httpAddress: setting("SERVICE_HTTP_ADDRESS", "0.0.0.0", listening, "Address the API listens on"),
  dataDir: setting(
    "SERVICE_DATA_DIR",
    "data",
    (value) => path.resolve(import.meta.dirname, "../..", value),
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
    encryptionKey,
    "Key of secrets at rest; unset: derived from the main secret",
  ),
  encryptionOtherKeys: setting(
    "SERVICE_ENCRYPTION_OTHER_KEYS",
    undefined,
    secrets,
    "Further keys or main secrets that open secrets at rest, separated by commas: earlier ones, or the next one; the main secret always does",
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
  rateLimitAccount: setting(
    "SERVICE_RATE_LIMIT_ACCOUNT",
    "5",
    whole(0, 1_000_000),
    "Calls a minute per address and host to register, verify or reset, together; 0 switches it off",
  ),
  rateLimitClientRegistration: setting(
    "SERVICE_RATE_LIMIT_CLIENT_REGISTRATION",
    "10",
    whole(0, 1_000_000),
    "OAuth clients that may be registered a minute per address and host; 0 switches it off",
  ),
  impersonationMinutes: setting(
    "SERVICE_IMPERSONATION_MINUTES",
    "60",
    whole(1, 1440),
    "Longest time for which a client's login may be looked into at once, in minutes",
  ),
  registration: setting(
    "SERVICE_REGISTRATION",
    "open",
    oneOf("open", "quiet", "off"),
    "Whether anybody may register an account; `quiet` does not tell whether an address has one",
  ),
  forceLocalLogin: setting(
    "SERVICE_FORCE_LOCAL_LOGIN",
    "false",
    flag,
    "Take passwords also where an organisation enforces single sign-on: the way back in when its provider fails",
  ),
  apiDocsEnabled: setting("SERVICE_API_DOCS_ENABLED", "true", flag, "Serve `/api/docs`, `/api/redoc` and `/api/openapi.json`"),
  apiDocsAccess: setting("SERVICE_API_DOCS_ACCESS", "public", oneOf("public", "staff"), "Who may read the API reference"),
  demo: setting("SERVICE_DEMO", undefined, flag, "Make the demo organisation in an empty database; embedded: true, else false"),
  bodyLimit: setting("SERVICE_BODY_LIMIT", "1048576", whole(1024, 104857600), "Largest JSON or form body in bytes"),
  uploadLimit: setting("SERVICE_UPLOAD_LIMIT", "10485760", whole(1024, 1073741824), "Largest uploaded file in bytes"),
  filesBucket: setting("SERVICE_FILES_BUCKET", undefined, bucket, "S3 bucket new files go to; unset: the data folder"),
  filesRegion: setting("SERVICE_FILES_REGION", "eu-central-1", region, "Region of the bucket"),
  filesKeyId: setting(
    "SERVICE_FILES_KEY_ID",
    undefined,
    text,
    "Access key of the bucket; unset: what the machine offers, for instance an instance role",
  ),
  filesKeySecret: setting("SERVICE_FILES_KEY_SECRET", undefined, text, "Secret of that key"),
  storageApiUrl: setting(
    "SERVICE_STORAGE_API_URL",
    undefined,
    service,
    "S3-compatible service that holds the bucket; unset: Amazon's of the region",
  ),
  requestTimeout: setting("SERVICE_REQUEST_TIMEOUT_MS", "30000", whole(100, 600000), "Time one request may take"),
  logLevel: setting(
    "SERVICE_LOG_LEVEL",
    "info",
    oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
    "Least severe log line written; `debug` adds a line per request",
  ),
  countStatements: setting(
    "SERVICE_COUNT_STATEMENTS",
    "false",
    flag,
    "Answer `X-Statements`, how many SQL statements a call took on the node that answers it; for tests",
  ),
  environment: setting("SERVICE_ENVIRONMENT", "production", text, "Name of the installation shown by `system/info`"),
  nodeId: setting("SERVICE_NODE_ID", undefined, node, "Name of this node among several; unset: made of host name and process id"),
  gitSha: setting("SERVICE_GIT_SHA", undefined, text, "Commit the installation was built from, shown by `system/info`"),
  updateApiUrl: setting(
    "SERVICE_UPDATE_API_URL",
    undefined,
    service,
    "Where to ask daily for a newer version, such as `https://api.github.com/repos/<owner>/<name>`; unset: the service does not ask, nor without `SERVICE_GIT_SHA`",
  ),
  addressApiUrl: setting(
    "SERVICE_ADDRESS_API_URL",
    "https://api.pdok.nl/bzk/locatieserver/search/v3_1",
    service,
    "Search service of Dutch addresses (PDOK Locatieserver) behind `addresslookup`",
  ),
  outboundAllowedRanges: setting(
    "SERVICE_OUTBOUND_ALLOWED_RANGES",
    undefined,
    addresses,
    "Addresses or CIDR ranges of the own network that webhooks, channels, SMTP relays, websites and single sign-on may reach",
  ),
  outboundNameServers: setting(
    "SERVICE_OUTBOUND_NAME_SERVERS",
    undefined,
    nameServers,
    "Name servers asked for outside names, as `address:port`; unset: those of the system",
  ),
  mailProvider: setting(
    "SERVICE_MAIL_PROVIDER",
    undefined,
    oneOf(...MAIL_PROVIDERS),
    "What sends the mail of organisations that set up nothing themselves; unset: nothing does",
  ),
  mailFromAddress: setting(
    "SERVICE_MAIL_FROM_ADDRESS",
    undefined,
    mailbox,
    "Sender of that mail; needed with `SERVICE_MAIL_PROVIDER`",
  ),
  mailFromName: setting("SERVICE_MAIL_FROM_NAME", undefined, text, "Name of that sender; unset: the organisation's brand name"),
  mailHost: setting("SERVICE_MAIL_HOST", undefined, text, "Relay of the provider `smtp`; may lie in the own network"),
  mailPort: setting("SERVICE_MAIL_PORT", undefined, whole(1, 65535), "Port of the relay; unset: the usual one of its security"),
  mailSecurity: setting("SERVICE_MAIL_SECURITY", "starttls", oneOf(...MAIL_SECURITY), "How the way to the relay is protected"),
  mailUsername: setting("SERVICE_MAIL_USERNAME", undefined, text, "User name at the relay; unset: no sign-in"),
  mailSecret: setting("SERVICE_MAIL_SECRET", undefined, text, "Password at the relay, or key of another provider"),
  mailBrevoApiUrl: setting("SERVICE_MAIL_BREVO_API_URL", "https://api.brevo.com/v3", service, "API of the mail provider Brevo"),
  mailSendgridApiUrl: setting(
    "SERVICE_MAIL_SENDGRID_API_URL",
    "https://api.sendgrid.com/v3",
    service,
    "API of the mail provider SendGrid",
  ),
  mailSmtp2goApiUrl: setting(
    "SERVICE_MAIL_SMTP2GO_API_URL",
    "https://api.smtp2go.com/v3",
    service,
    "API of the mail provider SMTP2GO",
  ),
  jobsUrl: setting("SERVICE_JOBS_URL", undefined, jobStore, "MongoDB that keeps the jobs, `mongodb://…`; unset: PostgreSQL"),
  jobsPoll: setting(
    "SERVICE_JOBS_POLL_MS",
    "10000",
    whole(100, 60000),
    "How often a node looks for work nobody told it of, such as that of a node that died",
  ),
  metricsPort: setting(
    "SERVICE_METRICS_PORT",
    undefined,
    whole(1, 65535),
    "Port of Prometheus metrics at `/metrics`; unset: none",
  ),
  paymentApiRoot: setting("SERVICE_PAYMENT_API_ROOT", "https://api.mollie.com/v2", service, "API of the payment provider Mollie"),
  edgeApiUrl: setting(
    "SERVICE_EDGE_API_URL",
    "https://api.cloudflare.com/client/v4",
    service,
    "API of the edge provider Cloudflare",
  ),
  accountSyncHours: setting(
    "SERVICE_ACCOUNT_SYNC_HOURS",
    "24",
    whole(0, 168),
    "Hours between two syncs of an account at the edge provider or a registrar; 0: only when asked for",
  ),
  aiAnthropicApiUrl: setting(
    "SERVICE_AI_ANTHROPIC_API_URL",
    "https://api.anthropic.com",
    service,
    "API of the AI provider Anthropic",
  ),
  aiOpenaiApiUrl: setting("SERVICE_AI_OPENAI_API_URL", "https://api.openai.com/v1", service, "API of the AI provider OpenAI"),
  aiReadTimeout: setting(
    "SERVICE_AI_READ_TIMEOUT_MS",
    "180000",
    whole(100, 180000),
    "How long an AI provider may keep silent, before its first byte and between any two",
  ),
  registrarApiUrl: setting("SERVICE_REGISTRAR_API_URL", "https://api.oxxa.com", service, "API of the registrar OXXA"),
  smsApiUrl: setting("SERVICE_SMS_API_URL", "https://api.telnyx.com/v2", service, "Gateway of text messages (Telnyx)"),
  smsApiKey: setting("SERVICE_SMS_API_KEY", undefined, text, "Key of the gateway; unset: no text messages"),
  smsSender: setting(
    "SERVICE_SMS_SENDER",
    undefined,
    smsSender,
    "Number or name text messages come from; needed with `SERVICE_SMS_API_KEY`",
  ),
  smsProfile: setting(
    "SERVICE_SMS_PROFILE",
    undefined,
    text,
    "Messaging profile at the gateway; needed when the sender is a name",
  ),
  slackApiUrl: setting("SERVICE_SLACK_API_URL", undefined, service, "Called for Slack in place of `https://hooks.slack.com`"),
  discordApiUrl: setting("SERVICE_DISCORD_API_URL", undefined, service, "Called for Discord in place of its own host"),
  gchatApiUrl: setting(
    "SERVICE_GCHAT_API_URL",
    undefined,
    service,
    "Called for Google Chat in place of `https://chat.googleapis.com`",
  ),
  msteamsApiUrl: setting("SERVICE_MSTEAMS_API_URL", undefined, service, "Called for Microsoft Teams in place of its own hosts"),
  telegramApiUrl: setting(
    "SERVICE_TELEGRAM_API_URL",
    undefined,
    service,
    "Called for Telegram in place of `https://api.telegram.org`",
  ),
  accountingJournalFolder: setting(
    "SERVICE_ACCOUNTING_JOURNAL_FOLDER",
    undefined,
    (value) => path.resolve(import.meta.dirname, "../..", value),
    "Folder that exported invoices are written to, as CSV journals (provider `journal`) and e-invoices (`ubl`), in a folder per organisation; unset: no such providers",
  ),
  accountingJournalBucket: setting(
    "SERVICE_ACCOUNTING_JOURNAL_BUCKET",
    undefined,
    bucket,
    "S3 bucket that takes those files instead, with region, key and service of the files",
  ),
  chromiumPath: setting(
    "SERVICE_CHROMIUM_PATH",
    undefined,
    text,
    "Chromium that makes PDF files; unset: the package's on x64, else `/usr/bin/chromium`",
  ),
  pdfTimeout: setting(
    "SERVICE_PDF_TIMEOUT_MS",
    "10000",
    whole(100, 120000),
    "Time one PDF may take once it is its turn; the browser has as long to start, and 25 s at least",
  ),
  transporter: setting("TRANSPORTER", undefined, broker, "`nats://host:4222` joins several nodes; unset: one process"),
} as const satisfies Record<string, Setting<unknown>>;

type Settings = typeof settings;

/** The configuration of one process: settings with a default are always there, the rest may be undefined. */
export type Config = {
  [K in keyof Settings]: ReturnType<Settings[K]["read"]> | (Settings[K]["fallback"] extends string ? never : undefined);
};

/** @throws ConfigurationError for a mail transport of which a part is missing: half of one would lose mail in silence */
function requireWholeMail({ mailProvider, mailFromAddress, mailHost, mailUsername, mailSecret }: Config): void {
  if (!mailProvider) return;
  const missing = [
    ...(mailFromAddress ? [] : ["SERVICE_MAIL_FROM_ADDRESS"]),
    ...(mailProvider === "smtp" && !mailHost ? ["SERVICE_MAIL_HOST"] : []),
    ...((mailProvider !== "smtp" || mailUsername) && !mailSecret ? ["SERVICE_MAIL_SECRET"] : []),
  ];
  if (missing.length > 0)
    throw new ConfigurationError(
      `${missing.join(", ")} ${missing.length > 1 ? "are" : "is"} required with SERVICE_MAIL_PROVIDER=${mailProvider}.`,
    );
}

/** Variables that are set and look like settings of the service, but are none; each with the setting nearest to it. */
export function unknownSettings(environment: NodeJS.ProcessEnv = process.env): Unknown[] {
  const names = Object.values(settings).map(({ name }) => name as string);
  const given = Object.keys(environment).filter((name) => /^SERVICE_/i.test(name) && environment[name]?.trim());
  return given.filter((name) => !names.includes(name)).map((name) => nearestTo(name, names));
}

/** @throws ConfigurationError for a variable that is a setting but for a slip: what it says would be passed over in silence */
function requireRightNames(environment: NodeJS.ProcessEnv): void {
  const [misspelt] = unknownSettings(environment).filter(({ isMisspelt }) => isMisspelt);
  if (misspelt)
    throw new ConfigurationError(`${misspelt.name} is no setting of the service: ${misspelt.nearest} is the nearest.`);
}

/**
 * Reads the environment.
 * @throws ConfigurationError naming the first variable that is misspelt or whose value cannot be used
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  requireRightNames(environment);
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
  if ((config.filesKeyId === undefined) !== (config.filesKeySecret === undefined))
    throw new ConfigurationError("SERVICE_FILES_KEY_ID and SERVICE_FILES_KEY_SECRET are needed together.");
  requireWholeMail(config);
  return config;
}

/** True when no external database is configured and the process runs its own PostgreSQL. */
export const isEmbedded = (config: Config): boolean => config.databaseUrl === undefined;
