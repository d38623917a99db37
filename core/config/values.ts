import { readFileSync } from "node:fs";
import { isIP } from "node:net";

// Converts the text of a setting to its value. An error message completes a sentence that begins with the setting's name.

export const text = (value: string) => value;
export const oneOf =
  <T extends string>(...allowed: T[]) =>
  (value: string): T => {
    if ((allowed as string[]).includes(value)) return value as T;
    throw new Error(`must be one of ${allowed.join(", ")}`);
  };
export const flag = (value: string): boolean => {
  if (value === "true" || value === "1") return true;
  if (value === "false" || value === "0") return false;
  throw new Error("must be true or false");
};
export const whole = (minimum: number, maximum: number) => (value: string) => {
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= minimum && number <= maximum) return number;
  throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
};
/**
 * A PostgreSQL address by its parts. A socket's address has no host, and its folder in the query
 * (`postgres://role:password@/database?host=/run/postgresql`): its host is `socket` here.
 */
export const databaseAddress = (value: string): URL => new URL(value.replace("@/", "@socket/"));
export const url = (value: string): string => {
  if (/^postgres(ql)?:\/\//.test(value) && URL.canParse(value.replace("@/", "@socket/"))) return value;
  throw new Error("must be an address of the form postgres://role:password@host:port/database");
};
export const urls = (value: string): string[] => value.split(",").map((part) => url(part.trim()));
export const hostname = (value: string): string => {
  if (/^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/.test(value)) return value;
  throw new Error("must be a host name in lower case, without scheme or port");
};
const isRange = (value: string): boolean => {
  const [address = "", bits, ...rest] = value.split("/");
  const most = { 4: 32, 6: 128 }[isIP(address)];
  return most !== undefined && rest.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
};
export const addresses = (value: string): string[] => {
  const list = value.split(",").map((part) => part.trim());
  if (list.every(isRange)) return list;
  throw new Error("must be addresses or CIDR ranges, separated by commas");
};
/** Origins as browsers send them (RFC 6454): scheme, host and any non-default port. */
export const origins = (value: string): string[] => {
  const list = value.split(",").map((part) => part.trim());
  const isOrigin = (part: string) => /^https?:/.test(part) && URL.canParse(part) && new URL(part).origin === part;
  if (list.every(isOrigin)) return list;
  throw new Error("must be origins such as https://app.example, separated by commas, without a path");
};
export const nameServers = (value: string): string[] => {
  const list = value.split(",").map((part) => part.trim());
  const address = (part: string) =>
    part.match(/^\[(.+)\](?::\d{1,5})?$/)?.[1] ?? part.match(/^([\d.]+)(?::\d{1,5})?$/)?.[1] ?? part;
  if (list.every((part) => isIP(address(part)) !== 0)) return list;
  throw new Error("must be addresses of name servers, separated by commas, each with a port if need be");
};
export const listening = (value: string): string => {
  if (isIP(value) !== 0 || value === "localhost") return value;
  throw new Error("must be an address of this machine, 0.0.0.0 for all, or localhost");
};
export const node = (value: string): string => {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/.test(value)) return value;
  throw new Error("must be up to 100 letters, digits, dashes and underscores, a letter or digit first");
};
/** Addresses of the servers of one NATS cluster, all with TLS or all without. */
export const brokers = (value: string): URL[] => {
  const list = value.split(",").map((part) => part.trim());
  const isServer = (part: string) => /^(nats|tls):\/\/[^/?#\s]+$/.test(part) && URL.canParse(part);
  const servers = list.every(isServer) ? list.map((part) => new URL(part)) : [];
  if (new Set(servers.map(({ protocol }) => protocol)).size === 1) return servers;
  throw new Error("must be addresses of the form nats://host:4222 or all tls://host:4222, separated by commas, without a path");
};
export const jobStore = (value: string): string => {
  if (/^mongodb(\+srv)?:\/\/\S+$/.test(value)) return value;
  throw new Error("must be an address of the form mongodb://host:27017/database");
};
export const smsSender = (value: string): string => {
  if (/^\+[1-9]\d{6,14}$/.test(value) || /^(?=.*[A-Za-z])[A-Za-z0-9 ]{1,11}$/.test(value)) return value;
  throw new Error("must be a number of the form +31612345678, or a name of up to 11 letters, digits and blanks");
};
/** A version of the Google Ads API, as used in paths. */
export const adsVersion = (value: string): string => {
  if (/^v[1-9]\d{0,2}$/.test(value)) return value;
  throw new Error("must be a version of the form v26");
};
export const service = (value: string): string => {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  if (parsed && /^https?:$/.test(parsed.protocol) && !/[?#@]/.test(value)) return value.replace(/\/+$/, "");
  throw new Error("must be an address of the form https://host/path, without credentials, query or fragment");
};
/** A path below the address of an API. */
export const apiPath = (value: string): string => {
  if (/^(\/[A-Za-z0-9._~-]+)+$/.test(value)) return value;
  throw new Error("must be a path of the form /part/part");
};
export const mailbox = (value: string): string => {
  if (/^[^\s@<>"(),:;[\]\\]+@[a-z0-9-]+(\.[a-z0-9-]+)*$/i.test(value)) return value;
  throw new Error("must be an e-mail address without a name");
};
export const bucket = (value: string): string => {
  if (/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(value)) return value;
  throw new Error("must be the name of a bucket: 3 to 63 lower-case letters, digits, dots and dashes");
};
export const region = (value: string): string => {
  if (/^[a-z0-9-]{2,40}$/.test(value)) return value;
  throw new Error("must be the name of a region, such as eu-central-1");
};
export const prefix = (value: string): string => {
  if (/^[a-z][a-z0-9]{1,9}$/.test(value)) return value;
  throw new Error("must be 2 to 10 lower-case letters and digits, a letter first");
};
const PUBLISHED = new Set(["changeme", "secret", "password", "kantoor", "development"]);
export const secret = (value: string): string => {
  if (value.length >= 32 && !PUBLISHED.has(value.toLowerCase()) && new Set(value).size > 8) return value;
  throw new Error("must have at least 32 unpublished characters; `openssl rand -hex 32` makes a good one");
};

/** An exporter of the framework with its options, as the framework documents them. */
export interface NamedExporter {
  type: string;
  options?: Record<string, unknown>;
}
/** Exporters: names, separated by commas, or JSON of one or several. */
export const exporters =
  (...allowed: string[]) =>
  (value: string): NamedExporter[] => {
    const isJson = /^[[{]/.test(value);
    const list = isJson ? [parsedJson(value)].flat() : value.split(",").map((name) => ({ type: name.trim() }));
    const isAllowed = (one: unknown): one is NamedExporter =>
      typeof one === "object" && one !== null && allowed.includes((one as NamedExporter).type);
    if (list.length > 0 && list.every(isAllowed)) return list;
    throw new Error(`must be ${allowed.join(", ")} or several of them, or JSON with their type and options`);
  };
const parsedJson = (value: string): unknown => {
  try {
    return JSON.parse(value);
  } catch {
    return null;
  }
};

export const encryptionKey = (value: string): string => {
  if (!value.includes(",")) return secret(value);
  throw new Error("must be one key without a comma; further keys go into SERVICE_ENCRYPTION_OTHER_KEYS");
};
export const secrets = (value: string): string[] => value.split(",").map((part) => secret(part.trim()));

/** The text of a file, without blanks and line breaks around it. @throws Error whose message completes a sentence about the setting */
export function textOfFile(file: string): string {
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new Error(`cannot be read: ${(error as Error).message}`);
  }
}
