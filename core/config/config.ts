import { nearestTo, type Unknown } from "./nearest-name.ts";
import { fileVariable, type Setting } from "./setting.ts";
import { settings } from "./settings.ts";
import { textOfFile } from "./values.ts";

/** An invalid or missing setting. The message is one sentence that names the variable and its allowed values. */
export class ConfigurationError extends Error {
  override name = "ConfigurationError";
}

type Settings = typeof settings;

/** The configuration of one process: settings with a default are always set, others may be undefined. */
export type Config = {
  [K in keyof Settings]: ReturnType<Settings[K]["read"]> | (Settings[K]["fallback"] extends string ? never : undefined);
};

/** An incomplete mail transport would silently lose mail. */
function mailFault({ mailProvider, mailFromAddress, mailHost, mailUsername, mailSecret }: Config): string | null {
  if (!mailProvider) return null;
  const missing = [
    ...(mailFromAddress ? [] : ["SERVICE_MAIL_FROM_ADDRESS"]),
    ...(mailProvider === "smtp" && !mailHost ? ["SERVICE_MAIL_HOST"] : []),
    ...((mailProvider !== "smtp" || mailUsername) && !mailSecret ? ["SERVICE_MAIL_SECRET"] : []),
  ];
  if (missing.length === 0) return null;
  return `${missing.join(", ")} ${missing.length > 1 ? "are" : "is"} required with SERVICE_MAIL_PROVIDER=${mailProvider}.`;
}

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;

/** Anybody on the network could use a transporter outside this machine that is not guarded (conventions §2). */
function transporterFault({ transporter, transportCredentials, transportInsecure }: Config): string | null {
  if (!transporter || transportInsecure || transportCredentials) return null;
  const open = transporter.find(
    ({ protocol, hostname, username }) => protocol === "nats:" && !username && !LOOPBACK.test(hostname),
  );
  if (!open) return null;
  return `TRANSPORTER reaches ${open.host} with neither credentials nor TLS: set nats://user:password@host, tls:// or SERVICE_TRANSPORT_CREDENTIALS_FILE, or SERVICE_TRANSPORT_INSECURE=true if the network protects it.`;
}

/** Settings that need each other, in sentences. */
function faultsBetween(config: Config): string[] {
  const halves = (one: unknown, other: unknown, name: string, secondName: string) =>
    (one === undefined) === (other === undefined) ? null : `${name} and ${secondName} are needed together.`;
  return [
    config.migrationUrl && !config.databaseUrl
      ? "SERVICE_DATABASE_MIGRATION_URL is set without SERVICE_DATABASE_URL: set both, or neither."
      : null,
    config.databaseUrl && !config.secret
      ? "SERVICE_SECRET is required with SERVICE_DATABASE_URL; `openssl rand -hex 32` makes a good one."
      : null,
    halves(config.filesKeyId, config.filesKeySecret, "SERVICE_FILES_KEY_ID", "SERVICE_FILES_KEY_SECRET"),
    halves(
      config.workspaceClientId,
      config.workspaceClientSecret,
      "SERVICE_WORKSPACE_CLIENT_ID",
      "SERVICE_WORKSPACE_CLIENT_SECRET",
    ),
    mailFault(config),
    transporterFault(config),
  ].filter((fault) => fault !== null);
}

/** Unknown variables that look like settings of the service, each with the nearest setting. */
export function unknownSettings(environment: NodeJS.ProcessEnv = process.env): Unknown[] {
  const names = Object.values<Setting<unknown>>(settings).map(({ name }) => name);
  const known = new Set([...names, ...names.map(fileVariable)]);
  const given = Object.keys(environment).filter((name) => /^SERVICE_/i.test(name) && environment[name]?.trim());
  return given.filter((name) => !known.has(name)).map((name) => nearestTo(name, names));
}

/** Where the value of a setting is from. */
export type Origin = "environment" | "file" | "default" | "unset";

/**
 * The text of a setting, and where it is from. Line breaks and blanks around it do not count.
 * @throws Error whose message completes a sentence that begins with the setting's name
 */
function givenFor(
  { name, fallback }: Setting<unknown>,
  environment: NodeJS.ProcessEnv,
): { text: string | undefined; from: Origin } {
  const text = environment[name]?.trim();
  const file = environment[fileVariable(name)]?.trim();
  if (text && file) throw new Error(`is set, and so is ${fileVariable(name)}: leave one of them out`);
  if (text) return { text, from: "environment" };
  if (!file) return { text: fallback, from: fallback === undefined ? "unset" : "default" };
  const contents = textOfFile(file);
  if (contents === "") throw new Error(`has no value: the file of ${fileVariable(name)} is empty`);
  return { text: contents, from: "file" };
}

/** A setting as an environment gives it. */
export interface GivenSetting {
  setting: Setting<unknown>;
  from: Origin;
  /** As written; undefined if unset. */
  text: string | undefined;
}

/** What an environment says: the configuration, its settings one by one, and what is wrong, in sentences. */
export interface ReadEnvironment {
  config: Config;
  given: GivenSetting[];
  faults: string[];
}

/** Reads the environment. With faults, the configuration is incomplete; a misspelt variable is a fault, because it would be ignored. */
export function readEnvironment(environment: NodeJS.ProcessEnv = process.env): ReadEnvironment {
  const faults = unknownSettings(environment)
    .filter(({ isMisspelt }) => isMisspelt)
    .map(({ name, nearest }) => `${name} is not a setting of the service: ${nearest} is the nearest.`);
  const values: Record<string, unknown> = {};
  const given: GivenSetting[] = [];
  for (const [key, setting] of Object.entries<Setting<unknown>>(settings)) {
    try {
      const { text, from } = givenFor(setting, environment);
      values[key] = text === undefined ? undefined : setting.read(text);
      given.push({ setting, from, text });
    } catch (error) {
      faults.push(`${setting.name} ${(error as Error).message}.`);
    }
  }
  const config = values as Config;
  // A setting that cannot be read would look like one that is missing.
  if (faults.length === 0) faults.push(...faultsBetween(config));
  return { config, given, faults };
}

/**
 * Reads the environment.
 * @throws ConfigurationError naming the first misspelt variable or invalid value
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const { config, faults } = readEnvironment(environment);
  if (faults[0] !== undefined) throw new ConfigurationError(faults[0]);
  return config;
}

/** Whether the process runs its own PostgreSQL, because no external database is configured. */
export const isEmbedded = (config: Config): boolean => config.databaseUrl === undefined;
