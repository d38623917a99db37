import { nearestTo, type Unknown } from "./nearest-name.ts";
import type { Setting } from "./setting.ts";
import { settings } from "./settings.ts";

/** An invalid or missing setting. The message is one sentence that names the variable and its allowed values. */
export class ConfigurationError extends Error {
  override name = "ConfigurationError";
}

type Settings = typeof settings;

/** The configuration of one process: settings with a default are always set, others may be undefined. */
export type Config = {
  [K in keyof Settings]: ReturnType<Settings[K]["read"]> | (Settings[K]["fallback"] extends string ? never : undefined);
};

/** @throws ConfigurationError for an incomplete mail transport, which would silently lose mail */
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

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;

/** @throws ConfigurationError for a transporter outside this machine that anybody on the network can use (conventions §2) */
function requireGuardedTransporter({ transporter, transportCredentials, transportInsecure }: Config): void {
  if (!transporter || transportInsecure || transportCredentials) return;
  const open = transporter.find(
    ({ protocol, hostname, username }) => protocol === "nats:" && !username && !LOOPBACK.test(hostname),
  );
  if (open)
    throw new ConfigurationError(
      `TRANSPORTER reaches ${open.host} with neither credentials nor TLS: set nats://user:password@host, tls:// or SERVICE_TRANSPORT_CREDENTIALS_FILE, or SERVICE_TRANSPORT_INSECURE=true if the network protects it.`,
    );
}

/** Unknown variables that look like settings of the service, each with the nearest setting. */
export function unknownSettings(environment: NodeJS.ProcessEnv = process.env): Unknown[] {
  const names = Object.values(settings).map(({ name }) => name as string);
  const given = Object.keys(environment).filter((name) => /^SERVICE_/i.test(name) && environment[name]?.trim());
  return given.filter((name) => !names.includes(name)).map((name) => nearestTo(name, names));
}

/** @throws ConfigurationError for a misspelt variable, which would otherwise be ignored silently */
function requireRightNames(environment: NodeJS.ProcessEnv): void {
  const [misspelt] = unknownSettings(environment).filter(({ isMisspelt }) => isMisspelt);
  if (misspelt)
    throw new ConfigurationError(`${misspelt.name} is not a setting of the service: ${misspelt.nearest} is the nearest.`);
}

/**
 * Reads the environment.
 * @throws ConfigurationError naming the first misspelt variable or invalid value
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
  if ((config.workspaceClientId === undefined) !== (config.workspaceClientSecret === undefined))
    throw new ConfigurationError("SERVICE_WORKSPACE_CLIENT_ID and SERVICE_WORKSPACE_CLIENT_SECRET are needed together.");
  requireWholeMail(config);
  requireGuardedTransporter(config);
  return config;
}

/** Whether the process runs its own PostgreSQL, because no external database is configured. */
export const isEmbedded = (config: Config): boolean => config.databaseUrl === undefined;
