import type { Authenticator } from "nats";
import { type Config, ConfigurationError } from "../core/config/config.ts";
import { textOfFile } from "../core/config/values.ts";
import { later } from "../core/values/later.ts";

const nats = later<typeof import("nats")>("nats");

/** The part of a credentials file (`nsc generate creds`) that no other kind of file has. */
const CREDS = "-----BEGIN NATS USER JWT-----";
/** The seed of a user's NKey: base32, `SU` first. */
const SEED = /^SU[A-Z2-7]{56}$/;

interface Options {
  servers: string[];
  user?: string;
  pass?: string;
  authenticator?: Authenticator;
  tls?: { caFile?: string };
  reconnectTimeWait: number;
}

/** Milliseconds between the attempts to reach a server that went away; the client's own two seconds are those of all recoveries. */
const RECONNECT = 250;

/** @throws ConfigurationError naming the setting whose file this node cannot read */
function textOf(setting: string, file: string): string {
  try {
    return textOfFile(file);
  } catch (error) {
    throw new ConfigurationError(`${setting} ${(error as Error).message}.`);
  }
}

/** Credentials in a file. @throws ConfigurationError if it contains none */
function inFile(file: string): Pick<Options, "user" | "pass" | "authenticator"> {
  const text = textOf("SERVICE_TRANSPORT_CREDENTIALS_FILE", file);
  const bytes = new TextEncoder().encode(text);
  if (text.includes(CREDS)) return { authenticator: nats().credsAuthenticator(bytes) };
  if (SEED.test(text)) return { authenticator: nats().nkeyAuthenticator(bytes) };
  const [, user, pass] = /^([^\s:]+):(\S+)$/.exec(text) ?? [];
  if (user && pass) return { user, pass };
  throw new ConfigurationError(
    "SERVICE_TRANSPORT_CREDENTIALS_FILE must contain a credentials file of NATS, the seed of a user's NKey, or user:password in one line.",
  );
}

/** Credentials in the first address that has some. */
function inAddress(servers: readonly URL[]): Pick<Options, "user" | "pass"> {
  const named = servers.find(({ username }) => username !== "");
  return named ? { user: decodeURIComponent(named.username), pass: decodeURIComponent(named.password) } : {};
}

/**
 * Moleculer's transporter for the configured NATS servers; null without any.
 * @throws ConfigurationError if a file that a setting names cannot be used
 */
export function transporterOf({
  transporter,
  transportCredentials,
  transportCa,
}: Config): { type: "NATS"; options: Options } | null {
  if (!transporter) return null;
  if (transportCa) textOf("SERVICE_TRANSPORT_CA_FILE", transportCa);
  const hasTls = transporter.every(({ protocol }) => protocol === "tls:");
  return {
    type: "NATS",
    options: {
      servers: transporter.map(({ host }) => host),
      reconnectTimeWait: RECONNECT,
      ...(transportCredentials ? inFile(transportCredentials) : inAddress(transporter)),
      ...(hasTls && { tls: transportCa ? { caFile: transportCa } : {} }),
    },
  };
}

/** The servers' hosts, for a log: never with credentials. */
export const hostsOf = (servers: readonly URL[]): string => servers.map(({ host }) => host).join(", ");
