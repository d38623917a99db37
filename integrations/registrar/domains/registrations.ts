import { listing } from "../../../core/database/lists/list.ts";
import { searchWords, wordsIn } from "../../../core/database/lists/words.ts";
import { columns } from "../../../core/database/model.ts";
import { projection } from "../../../core/database/projection.ts";
import { request } from "../../../core/request/context.ts";
import { flag, multiline, optional, uuid } from "../../../core/schema/schema.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { RegistrarDomain } from "../models.ts";
import { RegistrarDomainRead } from "./registration-schemas.ts";

/**
 * A registration belongs to the client of its domain, linked or of the same name. Without a domain it belongs to no client and is visible
 * to restricted staff (conventions §5).
 */
const visible = (slot: string) =>
  ["d.id = t.domain_id", "d.name = t.name"]
    .map(
      (same) => `not exists (select 1 from domains d where d.organisation_id = t.organisation_id and ${same}
        and d.company_id not in (select selected_companies(${slot})))`,
    )
    .join(" and ");

const shown = projection({
  model: RegistrarDomain,
  schema: RegistrarDomainRead,
  columns: {
    account_name: "a.name",
    name: "t.label",
    domain_name: "(select d.label from domains d where d.organisation_id = t.organisation_id and d.id = t.domain_id)",
    status: "t.registry_status",
    nameserver_group: "t.nsgroup_ref",
    nameservers: "t.ns_observed",
    nameservers_desired: "t.ns_desired",
    push_status: "t.ns_push_status",
  },
  joins: "join registrar_accounts a on a.organisation_id = t.organisation_id and a.id = t.account_id",
});

/** The registrations of a domain (`$2`, of the name `$3`) in their response shape, those still listed first. */
export const OF_DOMAIN = `${shown.rows(`(select ${columns(RegistrarDomain)} from registrar_domains
  where organisation_id = $1 and (domain_id = $2 or name = $3))`)}
  order by t.registry_status is not distinct from 'gone', (t.domain_id is null), t.last_synced_at desc nulls last, t.id`;

const list = listing(
  {
    table: "registrar_domains",
    order: "name",
    sorts: {
      name: { by: "t.label", text: true },
      expires_on: { by: "t.expires_on", mayBeEmpty: true, unindexed: true },
      updated_at: { by: "t.updated_at" },
    },
    filters: {
      account_id: { type: "uuid", when: (slot) => `t.account_id = ${slot}` },
      linked: { type: "boolean", when: (slot) => `(t.domain_id is not null) = ${slot}` },
      named: wordsIn("t.label", "t.name"),
      // Client logins see only registrations with a client.
      of_client: { type: "boolean", when: (slot) => `(t.domain_id is not null) = ${slot}` },
    },
    visible,
  },
  shown,
);

/** Registrations visible to the current request. */
export const registrations = rowsOf({ model: RegistrarDomain, projection: shown, listing: list, visible });
export const registrationSorts = list.spec.sorts;

/** The filters of the list, in addition to order and page. */
export const registrationQuery = {
  account_id: optional(uuid()),
  linked: optional(flag()),
  q: optional(multiline(200, { description: "Parts of the name, as people read it or in ASCII; each must occur" })),
};

/** `registrationQuery` values as filters of the listing. */
export function registrationFilters({
  account_id,
  linked,
  q,
}: {
  account_id?: string | undefined;
  linked?: boolean | undefined;
  q?: string | undefined;
}): Record<string, unknown> {
  const { principal } = request();
  return {
    account_id,
    linked,
    named: searchWords(q),
    of_client: principal?.isClientLogin && principal.selection !== null ? true : undefined,
  };
}
