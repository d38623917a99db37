import { type ListQuery, listing } from "../../../core/database/lists/list.ts";
import type { ListingSpec } from "../../../core/database/lists/listing-spec.ts";
import { projection } from "../../../core/database/projection.ts";
import { forStaffAndClients } from "../../../core/request/caller.ts";
import { optional, uuid } from "../../../core/schema/schema.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { partyJoin } from "../parties/parties.ts";
import { HostingRead } from "./hosting-schemas.ts";
import { Hosting } from "./models.ts";

/** Hosting visible to a restricted caller: their clients', and shared hosting without a client (assets §4). */
export const visibleHosting = (slot: string, alias = "t"): string =>
  `(${alias}.company_id is null or ${alias}.company_id in (select selected_companies(${slot})))`;

/** The response projection of hosting; client logins see fewer contacts. */
const answered = (clients: boolean) =>
  projection({
    model: Hosting,
    schema: HostingRead,
    columns: {
      company_name: "(select c.name from companies c where c.organisation_id = t.organisation_id and c.id = t.company_id)",
      provider_name: "(select p.name from providers p where p.organisation_id = t.organisation_id and p.id = t.provider_id)",
      contact: "contact_party.shown",
    },
    joins: partyJoin("contact", { id: "t.company_id" }, clients),
    keepsOrder: true,
  });

/** The projection without looked-up fields. */
const plain = projection({
  model: Hosting,
  schema: HostingRead,
  columns: { company_name: "null", provider_name: "null", contact: "null" },
});

const spec: ListingSpec = {
  table: "hostings",
  searchable: true,
  order: "name",
  sorts: {
    name: { by: "t.name", text: true },
    ip_address: { by: "t.ip_address", text: true, mayBeEmpty: true },
    created_at: { by: "t.created_at" },
    updated_at: { by: "t.updated_at" },
  },
  filters: { company_id: { type: "uuid", when: (slot) => `t.company_id = ${slot}` } },
  visible: visibleHosting,
  kept: true,
};

/** The list of hosting (assets §4). */
export const hostingListing = listing(spec, answered(false));

/** The filters of the list, in addition to search and order; exports accept the same. */
export const hostingQuery = { company_id: optional(uuid()) };

const rows = forStaffAndClients((clients) => {
  const [shown, bare] = [answered(clients), plain].map((one) =>
    rowsOf({ model: Hosting, projection: one, listing: listing(spec, one), visible: visibleHosting, narrowed: one !== plain }),
  ) as [ReturnType<typeof rowsOf<typeof Hosting>>, ReturnType<typeof rowsOf<typeof Hosting>>];
  return { shown, bare };
});

/** Hosting visible to the current request. */
export const hostings = {
  one: (id: string) => rows().shown.one(id),
  answerWith: (id: string) => rows().shown.answerWith(id),
  forWrite: (id: string) => rows().shown.forWrite(id),

  /**
   * A page of the list. @throws 400 `invalid_sort`
   * @param meta false omits looked-up fields: names and the contact
   */
  page: (asked: ListQuery & { company_id?: string | undefined }, meta = true) =>
    (meta ? rows().shown : rows().bare).page(asked, { company_id: asked.company_id }),
};
