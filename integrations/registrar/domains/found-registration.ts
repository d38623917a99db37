import { newId } from "../../../core/database/model.ts";
import { enqueue } from "../../../core/database/query.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { asciiName } from "../../../core/values/host-name.ts";
import { atFirstDot, labelOf } from "../names.ts";
import type { RegistrationDetail } from "../provider.ts";
import { comparedPush } from "../sync/store-register.ts";

const REPORTED = ["expires_on", "transfer_lock", "autorenew", "nsgroup_ref", "ns_observed", "dnssec", "registrant"] as const;

// A gone registration that is found again loses the status `gone`; only the list reports the registrar's own status.
const STORE =
  statement(`insert into registrar_domains as t (id, organisation_id, account_id, name, label, sld, tld, domain_id, ${REPORTED.join(", ")},
    contact_refs, registry_status)
  values ($3, $1, $2, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
  on conflict on constraint registrar_domains_key do update set ${REPORTED.map((name) => `${name} = excluded.${name}`).join(", ")},
    domain_id = excluded.domain_id, contact_refs = coalesce(excluded.contact_refs, t.contact_refs),
    registry_status = coalesce(excluded.registry_status, nullif(t.registry_status, 'gone')), last_error = null,
    ns_push_status = case when t.ns_desired is null then t.ns_push_status else ${comparedPush("excluded.ns_observed", "t.ns_desired")} end,
    version = t.version + 1, updated_at = statement_timestamp()`);

/** Stores a registrar's answer about one domain, in the running transaction (assets §10.4, "Refresh"). @param name in ASCII */
export function storeFound(accountId: string, domain: { id: string; name: string }, found: RegistrationDetail): void {
  const { sld, tld } = atFirstDot(domain.name);
  const hosts = found.nameservers && [...new Set(found.nameservers.map(asciiName))].sort();
  enqueue(STORE, [
    request().organisation.id,
    accountId,
    newId(),
    domain.name,
    labelOf(domain.name),
    sld,
    tld,
    domain.id,
    found.expiresOn,
    found.transferLock,
    found.autorenew,
    found.nameserverGroup,
    hosts,
    found.dnssec,
    found.registrant,
    found.contacts && JSON.stringify(found.contacts),
    found.status,
  ]);
}
