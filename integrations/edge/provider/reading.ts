// Reads the provider's responses leniently: a missing or invalid field becomes null, "not reported" (assets §5.10). Names become ASCII
// here, before any comparison: the provider lists zones in Unicode and records in ASCII (assets §6).

import { isDate } from "../../../core/calendar/dates.ts";
import { readInstant } from "../../../core/schema/schema.ts";
import { asciiName } from "../../../core/values/host-name.ts";

type Row = Readonly<Record<string, unknown>>;

export const textIn = (row: Row, name: string): string | null => {
  const value = row[name];
  return typeof value === "string" && value !== "" ? value : null;
};
export const flagIn = (row: Row, name: string): boolean | null =>
  typeof row[name] === "boolean" ? (row[name] as boolean) : null;
export const textsIn = (row: Row, name: string): string[] | null => {
  const value = row[name];
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : null;
};
export const partIn = (row: Row, name: string): Row => {
  const value = row[name];
  return typeof value === "object" && value !== null ? (value as Row) : {};
};

/** A DNS name in ASCII; null if not reported. */
export const hostIn = (row: Row, name: string): string | null => {
  const reported = textIn(row, name);
  return reported === null ? null : asciiName(reported);
};
const hostsIn = (row: Row, name: string): string[] | null => textsIn(row, name)?.map(asciiName) ?? null;

/** A zone as stored. */
export interface ListedZone {
  edge_zone_id: string;
  name: string;
  status: string;
  plan: string | null;
  paused: boolean | null;
  name_servers: string[] | null;
  original_name_servers: string[] | null;
}

/** A zone in a response; null without an id or name. */
export function zoneIn(row: Row): ListedZone | null {
  const [id, name] = [textIn(row, "id"), hostIn(row, "name")];
  if (id === null || name === null) return null;
  return {
    edge_zone_id: id,
    name,
    status: textIn(row, "status") ?? "unknown",
    plan: textIn(partIn(row, "plan"), "name"),
    paused: flagIn(row, "paused"),
    name_servers: hostsIn(row, "name_servers"),
    original_name_servers: hostsIn(row, "original_name_servers"),
  };
}

/** A static site; `hostnames` is null if the list omits them. */
export interface ListedProject {
  name: string;
  subdomain: string | null;
  production_branch: string | null;
  hostnames: string[] | null;
}

export function projectIn(row: Row): ListedProject | null {
  const name = textIn(row, "name");
  if (name === null) return null;
  return {
    name,
    subdomain: textIn(row, "subdomain"),
    production_branch: textIn(row, "production_branch"),
    hostnames: hostsIn(row, "domains"),
  };
}

/** A registered domain as stored. */
export interface ListedRegistration {
  name: string;
  current_registrar: string | null;
  at_provider: boolean;
  expires_at: string | null;
  auto_renew: boolean | null;
  locked: boolean | null;
  registry_statuses: string[] | null;
}

/** An ISO instant, in UTC unless it has an offset; null for an invalid date. */
function instantIn(row: Row, name: string): string | null {
  const text = textIn(row, name);
  return text === null ? null : readInstant(isDate(text) ? `${text}T00:00Z` : text);
}

/** Registry statuses are a list or comma-separated. */
function statusesIn(row: Row): string[] | null {
  const joined = textIn(row, "registry_statuses");
  return joined === null ? textsIn(row, "registry_statuses") : joined.split(",").map((one) => one.trim());
}

export function registrationIn(row: Row): ListedRegistration | null {
  const name = hostIn(row, "name") ?? hostIn(row, "domain_name") ?? hostIn(row, "domain");
  if (name === null) return null;
  const registrar = textIn(row, "current_registrar");
  return {
    name,
    current_registrar: registrar,
    at_provider: /cloudflare/i.test(registrar ?? ""),
    expires_at: instantIn(row, "expires_at"),
    auto_renew: flagIn(row, "auto_renew"),
    locked: flagIn(row, "locked"),
    registry_statuses: statusesIn(row),
  };
}
