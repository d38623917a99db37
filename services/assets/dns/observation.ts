import { enqueue } from "../../../core/database/query.ts";
import { drain } from "../../../core/jobs/drain.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { lookUp } from "./lookup.ts";
import { dnssecOf, type MailExchanger, mailExchangersOf, nameserversOf } from "./records.ts";

/** The public DNS records of a domain at one moment. */
export interface Observation {
  nameservers: string[];
  dnssec: boolean | null;
  mx_records: MailExchanger[];
}

/** A domain to look up, with its name at that moment. */
export interface DueDomain {
  id: string;
  name: string;
  /** When its look-up was due, as PostgreSQL writes it; null or absent if none was. */
  due?: string | null;
}

/** An observed domain. */
export type Observed = DueDomain & Observation;

/** Domains looked up concurrently, each with three lookups. */
const AT_ONCE = 25;

/**
 * Queries public DNS about a domain: three concurrent lookups, at most 5 seconds. A failed one leaves its part unknown; never throws.
 * @param name in ASCII
 */
export async function observe(name: string, signal: AbortSignal): Promise<Observation> {
  const [servers, keys, mail] = await Promise.all([
    lookUp(name, "NS", signal),
    lookUp(name, "DNSKEY", signal),
    lookUp(name, "MX", signal),
  ]);
  return {
    nameservers: nameserversOf(servers, name),
    dnssec: dnssecOf(keys, name),
    mx_records: mailExchangersOf(mail),
  };
}

/**
 * Observes some domains, at most `AT_ONCE` concurrently.
 * @throws the signal's reason: an aborted lookup proves nothing about its domain
 */
export async function observeAll(domains: readonly DueDomain[], signal: AbortSignal): Promise<Observed[]> {
  const observed: Observed[] = [];
  await drain(domains, { atOnce: AT_ONCE, signal }, async (domain) =>
    observed.push({ ...domain, ...(await observe(domain.name, signal)) }),
  );
  signal.throwIfAborted();
  return observed;
}

const STORE = statement(`update domains t set nameservers = o.nameservers, dnssec = o.dnssec, mx_records = o.mx_records,
    dns_checked_at = statement_timestamp(), updated_at = statement_timestamp(), dns_look_at = nullif(t.dns_look_at, o.due)
  from jsonb_to_recordset($2::jsonb) o(id uuid, name text, nameservers text[], dnssec boolean, mx_records jsonb, due timestamptz)
  where t.organisation_id = $1 and t.id = o.id and t.name = o.name`);

/**
 * Stores DNS observations and their time, for any number of domains in one statement. Skips a domain that was renamed since. The look-up
 * that was due is done; one that became due since is not. Writes no trail (assets §2.1 "Trail") and keeps the domain's ETag, so an
 * observation never invalidates a member's pending edit.
 */
export function storeObservations(observed: readonly Observed[]): void {
  if (observed.length > 0) enqueue(STORE, [request().organisation.id, JSON.stringify(observed)]);
}
