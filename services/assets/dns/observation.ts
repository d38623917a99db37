import { enqueue } from "../../../core/database/query.ts";
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

/** An observed domain, with its name at that moment. */
export interface Observed extends Observation {
  id: string;
  name: string;
}

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

const STORE = statement(`update domains t set nameservers = o.nameservers, dnssec = o.dnssec, mx_records = o.mx_records,
    dns_checked_at = statement_timestamp(), updated_at = statement_timestamp()
  from jsonb_to_recordset($2::jsonb) o(id uuid, name text, nameservers text[], dnssec boolean, mx_records jsonb)
  where t.organisation_id = $1 and t.id = o.id and t.name = o.name`);

/**
 * Stores DNS observations and their time, for any number of domains in one statement. Skips a domain that was renamed since. Writes no
 * trail (assets §2.1 "Trail") and keeps the domain's ETag, so an observation never invalidates a member's pending edit.
 */
export function storeObservations(observed: readonly Observed[]): void {
  if (observed.length > 0) enqueue(STORE, [request().organisation.id, JSON.stringify(observed)]);
}
