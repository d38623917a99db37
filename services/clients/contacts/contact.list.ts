import { listing } from "../../../core/database/lists/list.ts";
import type { Filter } from "../../../core/database/lists/listing-spec.ts";
import { projection } from "../../../core/database/projection.ts";
import { Contact } from "../models.ts";
import { ContactOfCompany, ContactRead } from "./contact-schemas.ts";

/** Restricted staff see the contacts of their companies and those without a company (clients chapter §2.5). */
export const visibleToStaff = (slot: string): string => `(not t.linked or t.id in (select selected_contacts(${slot})))`;
/** A client login sees the contacts of its companies. */
export const visibleToClients = (slot: string): string => `t.id in (select selected_contacts(${slot}))`;

/** A condition on link `l`: it is within a selection. */
const within = (sources: string) => `(${sources} is null or l.company_id in (select selected_companies(${sources})))`;
/** The links of contact `t` within a selection. */
const LINKS = (sources: string) =>
  `contact_links l where l.organisation_id = t.organisation_id and l.contact_id = t.id and ${within(sources)}`;
/** Filters contacts with a link that meets a condition on `l`. */
const withLink = (type: string, condition: (slot: string) => string): Filter => ({
  type,
  when: (slot, sources) => `exists (select 1 from ${LINKS(sources)} and ${condition(slot)})`,
  ids: (slot, sources) =>
    `select distinct l.contact_id from contact_links l where l.organisation_id = $1 and ${condition(slot)} and ${within(sources)}`,
});

/** A contact as answered, with only the links inside the caller's selection. */
const answered = {
  model: Contact,
  columns: { companies: "links.companies" },
  joins: (sources: string) => `left join lateral (
    select coalesce(json_agg(json_build_object('company_id', l.company_id, 'name', lc.name, 'is_primary', l.is_primary,
                                               'contact_type_id', l.contact_type_id)
                             order by l.is_primary desc, lc.name collate kantoor_text, lc.id), '[]') as companies
      from (select l.organisation_id, l.company_id, l.is_primary, l.contact_type_id from ${LINKS(sources)}) l
      join companies lc on lc.organisation_id = l.organisation_id and lc.id = l.company_id) links on true`,
  keepsOrder: true,
};

/** The one select behind every answer with a contact. */
export const contactProjection = projection({ ...answered, schema: ContactRead });
/** The same for contacts joined with a company: their source provides `is_primary`. */
export const contactOfCompanyProjection = projection({ ...answered, schema: ContactOfCompany });

/** Up to this number, all links are read to sort by company; beyond it, reading companies by name fills the page sooner. */
const FEW = 5000;

/**
 * The first contacts by company: reads companies by name, each with the contacts whose first company it is, then contacts without a
 * company, until the page is full. Companies of the same name tie, so the last name is read completely.
 */
function firstByCompany(descending: boolean): string {
  const [order, none] = descending ? ["name collate kantoor_text desc", " desc nulls last"] : ["name collate kantoor_text", ""];
  const rows = "($2::bigint + $3::bigint)";
  const newest = `t.created_at desc, t.id limit ${rows}`;
  const firstOf = (contact: string, shown: string) => `(select ${shown} from contact_links s join companies sc
      on sc.organisation_id = s.organisation_id and sc.id = s.company_id
    where s.organisation_id = $1 and s.contact_id = ${contact} order by sc.name collate kantoor_text, sc.id limit 1)`;
  return `with held as materialized (select count(*) as links from (select 1 from contact_links where organisation_id = $1 limit ${FEW + 1}) l),
    linked as (
      select u.id, c.name from companies c cross join lateral unnest(array(select l.contact_id from contact_links l
          where l.organisation_id = $1 and l.company_id = c.id and ${firstOf("l.contact_id", "sc.id")} = c.id)) u(id)
       where c.organisation_id = $1 order by c.${order} fetch first ${rows} rows with ties),
    sorted as materialized (select case
        when (select links from held) <= ${FEW} then array(select t.id from contact_links l
            join contacts t on t.organisation_id = $1 and t.id = l.contact_id where l.organisation_id = $1
           group by t.id, t.created_at order by ${firstOf("t.id", "sc.name")} collate kantoor_text${none}, ${newest})
        else array(select t.id from linked k join contacts t on t.organisation_id = $1 and t.id = k.id
                    order by k.${order}, ${newest}) end as ids)
    select case when cardinality(ids) = ${rows} then ids else ids || array(select t.id from contacts t
        where t.organisation_id = $1 and not t.linked order by ${newest}) end from sorted`;
}

/** The list of contacts (clients chapter §4.4). */
export const contactListing = listing(
  {
    table: "contacts",
    searchable: true,
    order: "-created_at",
    sorts: {
      first_name: { by: "t.first_name", text: true },
      last_name: { by: "t.last_name", text: true, mayBeEmpty: true },
      email: { by: "t.email", text: true, mayBeEmpty: true },
      job_title: { by: "t.job_title", text: true, mayBeEmpty: true },
      company: {
        by: "fc.name",
        text: true,
        mayBeEmpty: true,
        join: (sources) => `left join lateral (
          select sc.name from (select l.organisation_id, l.company_id from ${LINKS(sources)}) l
            join companies sc on sc.organisation_id = l.organisation_id and sc.id = l.company_id
           order by sc.name collate kantoor_text limit 1) fc on true`,
        first: firstByCompany,
      },
      created_at: { by: "t.created_at" },
      updated_at: { by: "t.updated_at" },
    },
    filters: {
      company_id: withLink("uuid", (slot) => `l.company_id = ${slot}`),
      contact_type_id: withLink("uuid", (slot) => `l.contact_type_id = ${slot}`),
      // Company and type of the same link; two separate filters could match different links.
      link: withLink("uuid[]", (slot) => `l.company_id = (${slot})[1] and l.contact_type_id = (${slot})[2]`),
      linked: { type: "boolean", when: (slot) => `t.linked = ${slot}` },
    },
    visible: visibleToStaff,
    kept: true,
  },
  contactProjection,
);
