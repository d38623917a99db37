import { enqueue } from "../../../core/database/query.ts";
import { statement } from "../../../core/database/statement.ts";
import { request } from "../../../core/request/context.ts";
import { lookUp } from "./lookup.ts";
import { dnssecOf, type MailExchanger, mailExchangersOf, nameserversOf } from "./records.ts";

/** What public DNS said of a domain at one moment. */
export interface Observation {
  nameservers: string[];
  dnssec: boolean | null;
  mx_records: MailExchanger[];
}

/** A domain that was looked at: under the name it had then. */
export interface Observed extends Observation {
  id: string;
  name: string;
}

/**
 * Asks public DNS about a domain, three lookups at once; each that fails leaves its own part unknown. It takes 5 seconds at most and never
 * throws.
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
 * Stores what DNS said, of any number of domains in one statement, and when. A domain that has another name by now is left for its next
 * look. No line of the trail is written (assets §2.1 "Trail"), and the tag of the domain stays: an observation is no reason to refuse the
 * change of a person who read the domain before it.
 */
export function storeObservations(observed: readonly Observed[]): void {
  if (observed.length > 0) enqueue(STORE, [request().organisation.id, JSON.stringify(observed)]);
}
