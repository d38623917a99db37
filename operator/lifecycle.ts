import type pg from "pg";
import { OperatorError } from "./organisations.ts";

/** Days until a deleted organisation is purged, unless the operator names others. */
export const PURGE_DAYS = 30;

/** An organisation as operators see it. `deleting`: it is suspended and waits for its purge. */
export interface OrganisationSummary {
  id: string;
  slug: string;
  name: string;
  state: "active" | "suspended" | "deleting";
  suspended_at: string | null;
  suspended_reason: string | null;
  purge_at: string | null;
  purge_reason: string | null;
  domains: string[];
  plan: string;
  plan_ends_at: string | null;
  enabled_modules: string[];
  instance_mail: boolean;
  members: number;
  created_at: string;
}

const STATE = "case when s.purge_at is not null then 'deleting' else o.status end";
const FROM = `from organisations o left join organisation_suspensions s on s.organisation = o.id
  left join lateral (select coalesce(array_agg(d.hostname order by d.hostname), '{}') as names from organisation_domains d
    where d.organisation_id = o.id and d.verified_at is not null) d on true`;
const COLUMNS = `o.id, o.slug, o.name, ${STATE} as state, s.suspended_at, s.reason as suspended_reason, s.purge_at, s.purge_reason, d.names as domains, o.plan,
  o.plan_ends_at, o.enabled_modules, o.instance_mail, o.created_at,
  (select count(*)::int from memberships m where m.organisation_id = o.id and m.deactivated_at is null) as members`;

/** What a page of organisations is limited to. */
export interface OrganisationFilter {
  /** Text in slug, name or a verified domain, in any case. */
  q?: string | undefined;
  state?: string | undefined;
  /** Ids of the only organisations to show; null for all. */
  only: readonly string[] | null;
  limit: number;
  /** The slug that the page begins behind. */
  after?: string | undefined;
}

/** A page of organisations by slug, and the number on all pages, in two statements. */
export async function pageOfOrganisations(
  client: pg.ClientBase,
  { q, state, only, limit, after }: OrganisationFilter,
): Promise<{ items: OrganisationSummary[]; total: number; next: string | null }> {
  const where = `where o.status <> 'deleted' and ($1::text is null or ${STATE} = $1)
    and ($2::text is null or strpos(lower(concat_ws(' ', o.slug, o.name, array_to_string(d.names, ' '))), lower($2)) > 0)
    and ($3::uuid[] is null or o.id = any($3))`;
  const values = [state ?? null, q ?? null, only];
  const counted = await client.query<{ total: number }>(`select count(*)::int as total ${FROM} ${where}`, values);
  const { rows } = await client.query<OrganisationSummary>(
    `select ${COLUMNS} ${FROM} ${where} and ($4::text is null or o.slug > $4) order by o.slug limit $5`,
    [...values, after ?? null, limit + 1],
  );
  const items = rows.slice(0, limit);
  return { items, total: counted.rows[0]?.total ?? 0, next: rows.length > limit ? (items.at(-1)?.slug ?? null) : null };
}

/** One organisation, or undefined if there is none with this id. */
export async function summaryOf(client: pg.ClientBase, id: string): Promise<OrganisationSummary | undefined> {
  const { rows } = await client.query<OrganisationSummary>(
    `select ${COLUMNS} ${FROM} where o.id = $1 and o.status <> 'deleted'`,
    [id],
  );
  return rows[0];
}

/** Locks an organisation until the transaction ends. @throws OperatorError if it is gone */
async function lockState(
  client: pg.ClientBase,
  id: string,
): Promise<{ slug: string; isDeleting: boolean; isSuspended: boolean; isPurging: boolean }> {
  const { rows } = await client.query<{ slug: string }>(
    "select slug from organisations where id = $1 and status <> 'deleted' for update",
    [id],
  );
  if (!rows[0]) throw new OperatorError("There is no such organisation.");
  const kept = await client.query<{ suspended_at: string | null; purge_at: string | null; purging_since: string | null }>(
    "select suspended_at, purge_at, purging_since from organisation_suspensions where organisation = $1",
    [id],
  );
  const [row] = kept.rows;
  return {
    slug: rows[0].slug,
    isDeleting: (row?.purge_at ?? null) !== null,
    isSuspended: (row?.suspended_at ?? null) !== null,
    isPurging: (row?.purging_since ?? null) !== null,
  };
}

const setStatus = (client: pg.ClientBase, id: string, status: "active" | "suspended") =>
  client.query("update organisations set status = $2, updated_at = now() where id = $1 and status <> $2", [id, status]);

/**
 * Suspends an organisation: its host refuses sign-ins, keys and streams from the next request on, and its jobs, mails and webhooks wait.
 * Nothing of it is lost. Suspending again only changes the reason.
 * @throws OperatorError if it is to be deleted
 */
export async function suspend(client: pg.ClientBase, id: string, reason: string | null): Promise<void> {
  const { slug, isDeleting } = await lockState(client, id);
  if (isDeleting) throw new OperatorError(`The organisation '${slug}' waits for its purge: cancel its deletion first.`);
  await client.query(
    `insert into organisation_suspensions (organisation, suspended_at, reason) values ($1, now(), $2)
     on conflict (organisation) do update set reason = excluded.reason`,
    [id, reason],
  );
  await setStatus(client, id, "suspended");
}

/** Ends a suspension. @throws OperatorError if the organisation is to be deleted */
export async function resume(client: pg.ClientBase, id: string): Promise<void> {
  const { slug, isDeleting } = await lockState(client, id);
  if (isDeleting) throw new OperatorError(`The organisation '${slug}' waits for its purge: cancel its deletion first.`);
  await client.query("delete from organisation_suspensions where organisation = $1", [id]);
  await setStatus(client, id, "active");
}

/**
 * Requests the deletion of an organisation: it is suspended at once, and purged after some days. Requesting it again changes the day.
 * @returns when it is purged
 * @throws OperatorError once the purge has begun
 */
export async function requestDeletion(client: pg.ClientBase, id: string, days: number, reason: string | null): Promise<string> {
  const { slug, isPurging } = await lockState(client, id);
  if (isPurging) throw new OperatorError(`The purge of '${slug}' has begun.`);
  const { rows } = await client.query<{ purge_at: string }>(
    `insert into organisation_suspensions as s (organisation, purge_at, purge_reason) values ($1, now() + make_interval(days => $2), $3)
     on conflict (organisation) do update
       set purge_at = excluded.purge_at, purge_reason = coalesce(excluded.purge_reason, s.purge_reason) returning purge_at`,
    [id, days, reason],
  );
  await setStatus(client, id, "suspended");
  return (rows[0] as { purge_at: string }).purge_at;
}

/**
 * Cancels a deletion: the organisation is active again, or suspended if it was before.
 * @throws OperatorError if none was requested, or the purge has begun
 */
export async function cancelDeletion(client: pg.ClientBase, id: string): Promise<void> {
  const { slug, isDeleting, isSuspended, isPurging } = await lockState(client, id);
  if (!isDeleting) throw new OperatorError(`The deletion of '${slug}' was not requested.`);
  if (isPurging) throw new OperatorError(`The purge of '${slug}' has begun: purge it again, so that it ends.`);
  if (isSuspended)
    await client.query("update organisation_suspensions set purge_at = null, purge_reason = null where organisation = $1", [id]);
  else {
    await client.query("delete from organisation_suspensions where organisation = $1", [id]);
    await setStatus(client, id, "active");
  }
}
