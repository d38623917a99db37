import { type Column, column } from "../../../core/database/column.ts";
import { query } from "../../../core/database/query.ts";
import { refusal } from "../../../core/errors/errors.ts";
import { forStaffAndClients } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import type { PartyType, SentParty } from "./party-schemas.ts";

type Nullable<Held> = Column<Held | null, "optional", Held | null>;
/** The two columns of a party called `Name`. */
type PartyColumns<Name extends string> = { [Key in `${Name}_type`]: Nullable<PartyType> } & {
  [Key in `${Name}_id`]: Nullable<string>;
};
type PartyValues<Name extends string> = { [Key in `${Name}_type`]?: PartyType | null | undefined } & {
  [Key in `${Name}_id`]?: string | null | undefined;
};

/** The columns of a party for a model: `contact_type` and `contact_id` for `contact`. */
export const partyColumns = <const Name extends string>(name: Name) =>
  ({ [`${name}_type`]: column.text<PartyType>().orNull(), [`${name}_id`]: column.uuid().orNull() }) as PartyColumns<Name>;

/**
 * The columns of a party sent in a body; empty if not sent. `requireParties` validates them.
 * @param name the party's field, for instance `contact`
 */
export function partyValues<const Name extends string>(name: Name, sent: SentParty | null | undefined): PartyValues<Name> {
  if (sent === undefined) return {} as PartyValues<Name>;
  return { [`${name}_type`]: sent?.type ?? null, [`${name}_id`]: sent?.id?.toLowerCase() ?? null } as PartyValues<Name>;
}

/** The response fields of written columns: a party is one field of two columns. */
export const shownFields = (names: readonly string[], written: object): string[] => [
  ...new Set(
    Object.keys(written).map((column) => names.find((name) => column === `${name}_type` || column === `${name}_id`) ?? column),
  ),
];

/**
 * Contacts on alias `k` (`t` is the list's row) visible to a restricted caller: their clients', and for staff also those without a client
 * (clients §2.5).
 */
export const visibleContact = (clients: boolean, sources: string): string => {
  const selected = `k.id in (select selected_contacts(${sources}))`;
  return clients ? selected : `(not k.linked or ${selected})`;
};

const unknown = forStaffAndClients((clients) =>
  statement(`select 1 from unnest($2::text[], $3::uuid[]) p(type, id) where not case p.type
      when 'company' then exists (select 1 from companies c where c.organisation_id = $1 and c.id = p.id
        and ($4::uuid[] is null or c.id in (select selected_companies($4::uuid[]))))
      when 'employee' then exists (select 1 from memberships m where m.organisation_id = $1 and m.account_id = p.id)
      else exists (select 1 from contacts k where k.organisation_id = $1 and k.id = p.id
        and ($4::uuid[] is null or ${visibleContact(clients, "$4::uuid[]")})) end limit 1`),
);

/** Whether a party's id is present or absent as its type requires (assets §1). */
function isWellFormed(type: PartyType, id: string | null): boolean {
  if (type === "agency") return id === null;
  return type === "company" || id !== null;
}

/**
 * Requires that changed parties have an id that fits their type and exist for the caller; unchanged ones are not checked. One statement for
 * all of them, none without an id.
 * @param names the parties' fields, for instance `["contact"]`
 * @param values the columns to write, from `partyValues`; only changed ones on an update
 * @param before the stored row of an update
 * @throws 400 `invalid_party` (assets §1), the same for another organisation's id
 */
export async function requireParties(names: readonly string[], values: object, before: object = {}): Promise<void> {
  const after: Record<string, unknown> = { ...before };
  for (const [key, value] of Object.entries(values)) if (value !== undefined) after[key] = value;
  const isSet = (key: string) => (values as Record<string, unknown>)[key] !== undefined;
  const parties = names
    .filter((name) => isSet(`${name}_type`) || isSet(`${name}_id`))
    .map((name) => ({
      type: (after[`${name}_type`] ?? null) as PartyType | null,
      id: (after[`${name}_id`] ?? null) as string | null,
    }));
  for (const { type, id } of parties) if (type !== null && !isWellFormed(type, id)) throw refusal("invalid_party");
  const named = parties.filter(({ type, id }) => type !== null && id !== null);
  if (named.length === 0) return;
  const { organisation, principal } = request();
  const asked = [named.map(({ type }) => type), named.map(({ id }) => id)];
  if ((await query(unknown(), [organisation.id, ...asked, principal?.selection ?? null])).length > 0)
    throw refusal("invalid_party");
}

/**
 * The join that provides a party's response in `<name>_party.shown` (assets §1): null if unset, with an empty label if its record is
 * deleted or hidden from the caller.
 * @param name the party's field, for instance `contact`
 * @param own SQL of the record's own client, meant by `company` without an id, and of its name if the record is only visible with it
 * @param clients whether the caller is a client login, which never sees a contact without a client; see `forStaffAndClients`
 */
export const partyJoin =
  (name: string, own: { id: string; name?: string }, clients: boolean) =>
  (sources: string): string => {
    const [type, id] = [`party.${name}_type`, `party.${name}_id`];
    const company = (given: string) => `(select c.name from companies c where c.organisation_id = party.organisation_id
            and c.id = ${given} and (${sources} is null or c.id in (select selected_companies(${sources}))))`;
    return `left join lateral (
      select case when ${type} is not null then json_build_object('type', ${type}, 'id', ${id}, 'label', coalesce(case ${type}
          when 'agency' then (select coalesce(o.brand_name, o.name) from organisations o where o.id = party.organisation_id)
          when 'company' then case when ${id} is null then ${own.name ?? company("party.own_company")} else ${company(id)} end
          when 'employee' then (select coalesce(nullif(a.full_name, ''), a.email) from memberships m join accounts a on a.id = m.account_id
            where m.organisation_id = party.organisation_id and m.account_id = ${id})
          else (select concat_ws(' ', k.first_name, k.last_name) from contacts k where k.organisation_id = party.organisation_id
            and k.id = ${id} and (${sources} is null or ${visibleContact(clients, sources)})) end, '')) end as shown
        from (select t.organisation_id, t.${name}_type, t.${name}_id, ${own.id} as own_company) party) ${name}_party on true`;
  };
