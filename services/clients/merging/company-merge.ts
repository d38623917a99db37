import type { RowOf, UpdateOf } from "../../../core/database/model.ts";
import { query, queryAll } from "../../../core/database/query.ts";
import { lock, queueUpdate } from "../../../core/database/write.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { removeFile } from "../../../core/files/files.ts";
import { emit } from "../../../core/jobs/outbox.ts";
import { type MovedReferences, moveReferences } from "../../../core/references/move.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { reportChange } from "../../../core/trail/record-changes.ts";
import { trail } from "../../../core/trail/trail.ts";
import { addAlias } from "../aliases/aliases.ts";
import { companies, visibleCompany } from "../companies/company.list.ts";
import { deleteCompany } from "../companies/company-writes.ts";
import { Company } from "../models.ts";
import { type MergedSpec, mergedFields } from "./merged-fields.ts";
import { inTrail, type MergeOutcome, orUndone, outcomeOf, requireTwo } from "./merging.ts";

type Stored = RowOf<typeof Company>;

const FIELDS: MergedSpec = {
  single: ["name", "legal_name", "client_number", "website", "phone", "invoice_email", "vat_number", "coc_number", "status"],
  together: [["address_line1", "house_number", "address_line2", "postal_code", "city", "country"]],
};

/** Both clients, in the order of their ids, so that two merges never wait for each other. */
const LOCK = statement(`select t.id from companies t where t.organisation_id = $1 and t.id = any($2::uuid[])
  and ($3::uuid[] is null or ${visibleCompany("$3::uuid[]")}) order by t.id for update of t`);

// Deleted and inserted, not updated: triggers follow who sees what by the rows that come and go.
const MOVE_ROSTER = statement(`with gone as (
    delete from company_assignees where organisation_id = $1 and company_id = $2 returning account_id, is_primary, created_at, position)
  insert into company_assignees as r (organisation_id, company_id, account_id, is_primary, created_at)
  select $1, $3, g.account_id, g.is_primary and not exists (
      select from company_assignees k where k.organisation_id = $1 and k.company_id = $3 and k.is_primary), g.created_at
    from gone g order by g.created_at, g.position
  on conflict (organisation_id, company_id, account_id) do update set is_primary = r.is_primary or excluded.is_primary
  returning (xmax = 0) as is_new`);
/** A group lists its clients' ids, so a merge changes the groups of the other client. */
const TOUCH_GROUPS =
  statement(`update company_groups set version = version + 1, updated_at = statement_timestamp() where organisation_id = $1
  and id in (select group_id from company_group_companies where organisation_id = $1 and company_id = $2)`);
const MOVE_GROUPS = statement(`with gone as (
    delete from company_group_companies where organisation_id = $1 and company_id = $2 returning group_id),
  moved as (insert into company_group_companies (organisation_id, group_id, company_id)
    select $1, g.group_id, $3 from gone g on conflict do nothing returning group_id)
  select m.group_id is not null as is_new from gone g left join moved m using (group_id)`);
const MOVE_LINKS = statement(`with gone as (
    delete from contact_links where organisation_id = $1 and company_id = $2 returning contact_id, contact_type_id, is_primary, created_at)
  insert into contact_links as l (organisation_id, contact_id, company_id, contact_type_id, is_primary, created_at)
  select $1, g.contact_id, $3, g.contact_type_id, g.is_primary and not exists (
      select from contact_links k where k.organisation_id = $1 and k.company_id = $3 and k.is_primary), g.created_at
    from gone g order by g.contact_id
  on conflict (organisation_id, contact_id, company_id) do update
    set contact_type_id = coalesce(l.contact_type_id, excluded.contact_type_id), is_primary = l.is_primary or excluded.is_primary
  returning l.contact_id, (xmax = 0) as is_new`);

/** Moves the people, groups and contacts of a client. A row that both clients have is one row afterwards. */
async function moveLinks(from: string, to: string): Promise<MovedReferences> {
  const place = [request().organisation.id, from, to];
  const tables = ["company_assignees", "company_group_companies", "contact_links"];
  const [, ...results] = (await queryAll(
    [TOUCH_GROUPS, place.slice(0, 2)],
    [MOVE_ROSTER, place],
    [MOVE_GROUPS, place],
    [MOVE_LINKS, place],
  )) as { is_new: boolean; contact_id: string }[][];
  reportChange("contact", [...new Set(results.at(-1)?.map(({ contact_id: id }) => id))], "updated", ["companies"]);
  const count = (isNew: boolean) =>
    tables.flatMap((table, index) => {
      const rows = results[index]?.filter((row) => row.is_new === isNew).length ?? 0;
      return rows > 0 ? [{ table, count: rows }] : [];
    });
  return { moved: count(true), dropped: count(false) };
}

/** The logo of the kept client; without one, that of the other, whose file moves with it. */
function mergedLogo(kept: Stored, other: Stored): Pick<UpdateOf<typeof Company>, "logo_file_id"> {
  if (other.logo_file_id === null) return {};
  if (kept.logo_file_id === null) return { logo_file_id: other.logo_file_id };
  removeFile(other.logo_file_id);
  return {};
}

async function mergeInto(kept: Stored, other: Stored): Promise<Omit<MergeOutcome, "dry_run">> {
  const { id } = kept;
  const fields = mergedFields(kept, other, FIELDS);
  Object.assign(fields.filled, mergedLogo(kept, other));
  const links = await moveLinks(other.id, id);
  const references = await moveReferences("company", other.id, id);
  addAlias("company", other.id, id);
  trail("company", other.id, "merged_into", { company_id: id, name: kept.name });
  await deleteCompany(other.id);
  queueUpdate(Company, id, fields.filled as UpdateOf<typeof Company>);
  const changed = Object.keys(fields.filled);
  const tracked = changed.filter((field) => Company.tracked.includes(field));
  trail("company", id, "merged", {
    company_id: other.id,
    name: other.name,
    filled: Object.fromEntries(tracked.map((field) => [field, fields.filled[field]])),
    discarded: inTrail(fields.conflicts),
  });
  reportChange("company", [id], "updated", changed);
  emit("company.merged", "company", id, {
    company_id: id,
    title: kept.name,
    merged_company_id: other.id,
    merged_title: other.name,
  });
  return outcomeOf({ id: other.id, name: other.name }, fields, references, links);
}

/**
 * Merges a client into another, in the running transaction (clients §11): its references move, empty fields of the kept client are filled,
 * and its id becomes an alias.
 * @param isDry true to undo everything, for an answer that says what would happen
 * @throws 404 unless the caller sees both, 412 if the kept client has changed, 422 for one client twice
 */
export async function mergeCompanies(keptId: string, from: string, isDry: boolean): Promise<MergeOutcome & { company: unknown }> {
  const [id, otherId] = requireTwo(keptId, from);
  const { organisation, principal } = request();
  const found = await query(LOCK, [organisation.id, [id, otherId], principal?.selection ?? null]);
  if (found.length < 2) throw notFound();
  const kept = await companies.forWrite(id);
  const other = (await lock(Company, otherId)) as Stored;
  return orUndone(isDry, async () => {
    const outcome = await mergeInto(kept, other);
    return { company: (await companies.one(id)).parse(), dry_run: isDry, ...outcome };
  });
}
