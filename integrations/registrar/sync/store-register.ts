import { newId } from "../../../core/database/model.ts";
import { enqueue, queryOne } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { asciiName } from "../../../core/values/host-name.ts";
import { atFirstDot, labelOf } from "../names.ts";
import type { Registration } from "../provider.ts";

/** The columns that a list reports and overwrites (assets §10.3). */
const REPORTED = ["expires_on", "transfer_lock", "autorenew", "nsgroup_ref", "ns_observed", "registry_status"] as const;
const NAMED = ["label", "sld", "tld"] as const;

/** SQL of how the register's name servers compare with the requested ones, as two sorted lists. */
export const comparedPush = (observed: string, desired: string): string =>
  `case when coalesce(cardinality(${observed}), 0) = 0 then 'missing' when ${observed} = ${desired} then 'active' else 'drift' end`;

/** A refresh or push that ended after the list was requested is newer than the list, so its facts stay. */
const fresh = (stored: string, listed: string): string =>
  `case when t.updated_at >= $4::timestamptz then ${stored} else ${listed} end`;
const PUSH = fresh(
  "t.ns_push_status",
  `case when t.ns_desired is null then t.ns_push_status else ${comparedPush("excluded.ns_observed", "t.ns_desired")} end`,
);
const LINK = "coalesce(excluded.domain_id, t.domain_id)";
// A registrar that reports no contacts keeps the stored ones.
const CONTACTS = fresh("t.contact_refs", "coalesce(excluded.contact_refs, t.contact_refs)");
const values = (name: string): string =>
  NAMED.includes(name as never) ? `excluded.${name}` : fresh(`t.${name}`, `excluded.${name}`);

const after = [...NAMED, ...REPORTED].map(values).concat(LINK, CONTACTS, PUSH);
const before = [...NAMED, ...REPORTED, "domain_id", "contact_refs", "ns_push_status"].map((name) => `t.${name}`);
const DIFFERS = `(${before.join(", ")}) is distinct from (${after.join(", ")})`;

// One statement for a register of any size. An unchanged row keeps its version, so clients that collect changes do not get it again.
const STORE = statement(`with stored as (
  insert into registrar_domains as t (id, organisation_id, account_id, name, ${NAMED.join(", ")}, ${REPORTED.join(", ")}, contact_refs,
      domain_id, last_synced_at)
    select l.id, $1, $2, l.name, ${[...NAMED, ...REPORTED].map((name) => `l.${name}`).join(", ")}, l.contact_refs, d.id, statement_timestamp()
      from jsonb_to_recordset($3::jsonb) l (id uuid, name text, label text, sld text, tld text, expires_on date, transfer_lock boolean,
        autorenew boolean, nsgroup_ref text, ns_observed text[], registry_status text, contact_refs jsonb)
      left join domains d on d.organisation_id = $1 and d.name = l.name
    on conflict on constraint registrar_domains_key do update set
      ${[...NAMED, ...REPORTED].map((name) => `${name} = ${values(name)}`).join(", ")},
      domain_id = ${LINK}, contact_refs = ${CONTACTS}, ns_push_status = ${PUSH}, last_synced_at = excluded.last_synced_at,
      version = t.version + (${DIFFERS})::int,
      updated_at = case when ${DIFFERS} then statement_timestamp() else t.updated_at end
    returning t.domain_id, t.ns_push_status)
  select count(*)::int as found, count(domain_id)::int as matched, count(*) filter (where ns_push_status = 'drift')::int as drifted
    from stored`);
// A registration that a refresh or push found after the list was requested is not missing from it.
const GONE =
  statement(`update registrar_domains set registry_status = 'gone', version = version + 1, updated_at = statement_timestamp()
  where organisation_id = $1 and account_id = $2 and registry_status is distinct from 'gone' and updated_at < $4::timestamptz
    and not name = any($3::text[])`);

/** The counts of a sync: listed domains, linked ones, and those with drifted name servers. */
export interface Counts {
  found: number;
  matched: number;
  drifted: number;
}

/** The row of a listed domain. */
const rowOf = (name: string, { nameservers, ...reported }: Registration) => ({
  id: newId(),
  name,
  label: labelOf(name),
  ...atFirstDot(name),
  expires_on: reported.expiresOn,
  transfer_lock: reported.transferLock,
  autorenew: reported.autorenew,
  nsgroup_ref: reported.nameserverGroup,
  ns_observed: nameservers && [...new Set(nameservers.map(asciiName))].sort(),
  registry_status: reported.status,
  contact_refs: reported.contacts,
});

/**
 * Stores an account's whole register in the running transaction, in two statements (assets §10.3). New rows are added and linked to the
 * domain of exactly that name, existing ones overwritten, missing ones marked as gone. Domain records are never created or changed.
 * @param began the instant before the list was requested
 */
export async function storeRegister(accountId: string, listed: readonly Registration[], began: string | null): Promise<Counts> {
  // A name listed twice is one domain.
  const rows = new Map(listed.map((one) => [asciiName(one.name), one]));
  const place = [request().organisation.id, accountId];
  const stored = JSON.stringify([...rows].map(([name, one]) => rowOf(name, one)));
  const counts = await queryOne<Counts>(STORE, [...place, stored, began]);
  enqueue(GONE, [...place, [...rows.keys()], began]);
  return counts ?? { found: 0, matched: 0, drifted: 0 };
}
