import { createHash } from "node:crypto";
import { utcInstant } from "../../../../core/calendar/calendar.ts";
import { query } from "../../../../core/database/query.ts";
import type { ImportRows, Refused } from "../../../../core/impex/entity.ts";
import { askedIds, type Identified, knownIds } from "../../../../core/impex/identity.ts";
import { callerId, mayCaller, NO_PERSON } from "../../../../core/request/caller.ts";
import { request } from "../../../../core/request/context.ts";
import { organisationZone } from "../../../../core/request/today.ts";
import { statement } from "../../../../core/sql/statement.ts";
import { blankToNull } from "../../../../core/values/text.ts";
import { forStaffAndClients, throughTaskOfStaff } from "../../visibility.ts";
import type { EntryTimes } from "../entry-times.ts";
import { entriesOfClient } from "../entry-visibility.ts";
import { storedDescription } from "../entry-writes.ts";
import type { EntryMeanings, ReadEntry } from "./entry-meanings.ts";
import { newTimes } from "./sheet-times.ts";

/** The result of a row: it changes a stored entry, creates one, or is refused. */
export type EntryMatch = { change: string } | { create: true } | { refused: Refused };

/** The identity of an entry without an id: all its fields but its type and whether it is billed. */
interface Identity extends Pick<EntryTimes, "started_at" | "minutes" | "break_minutes"> {
  readonly ended_at: string | null;
  readonly user_id: string;
  readonly company_id?: string | null;
  readonly project_id?: string | null;
  readonly task_id?: string | null;
  readonly description?: string | null;
}

const looks = forStaffAndClients((clients) => {
  const seen = `($3::uuid[] is null or ${(clients ? entriesOfClient : throughTaskOfStaff)("$3::uuid[]")})
    and ($4::uuid is null or t.user_id = $4::uuid)`;
  return {
    byId: statement(`select t.id, ${seen} as is_visible from unnest($2::uuid[]) w(id)
      join time_entries t on t.organisation_id = $1 and t.id = w.id`),
    alike:
      statement(`select t.id, t.user_id, t.started_at, t.ended_at, t.minutes, t.break_minutes, t.company_id, t.project_id, t.task_id,
        t.description
      from (select distinct w.user_id, w.started_at from unnest($2::uuid[], $5::timestamptz[]) w(user_id, started_at)) w
      join time_entries t on t.organisation_id = $1 and t.user_id = w.user_id and t.started_at = w.started_at
      where ${seen} order by t.created_at, t.id`),
  };
});

const keyOf = ({ user_id, minutes, break_minutes, company_id, project_id, task_id, description, ...times }: Identity): string => {
  const about = [user_id, company_id, project_id, task_id, blankToNull(description)].map((one) => one ?? null);
  const instants = [times.started_at, times.ended_at].map((one) => one && utcInstant(one));
  return createHash("sha1")
    .update(JSON.stringify([...about, ...instants, minutes, break_minutes]))
    .digest("base64url");
};

/** Identifies a row without a known id: the person, the start and the key; null if it makes no valid entry. */
function identityOf(read: ReadEntry): { user_id: string; started_at: string; key: string } | null {
  const times = newTimes(read.times, organisationZone());
  if ("refused" in times || read.user_id === undefined) return null;
  const { user_id, about } = read;
  const description = storedDescription(about.description) ?? null;
  return { user_id, started_at: times.started_at, key: keyOf({ ...times, ...about, description, user_id }) };
}

/**
 * Matches rows to stored entries: by id, then by identity. Each stored entry matches once, so that a repeated import changes nothing and
 * two equal rows stay two entries. Two statements, however many rows there are.
 */
export async function matchEntries(rows: ImportRows, meanings: EntryMeanings): Promise<EntryMatch[]> {
  const { organisation, principal } = request();
  const { byId, alike } = looks();
  const own = mayCaller("time.entry.read:any") ? null : (callerId() ?? NO_PERSON);
  const ids = await Array.fromAsync(rows, (row) => row["id"] as string | undefined);
  const given = [...new Set(ids.flatMap((id) => id ?? []))];
  const twice = new Set(
    [...Map.groupBy(ids, (id) => id)].flatMap(([id, { length }]) => (id !== undefined && length > 1 ? id : [])),
  );
  const selection = principal?.selection ?? null;
  const found = await query<Identified>(byId, [organisation.id, askedIds("time_entry", given), selection, own]);
  const known = knownIds("time_entry", given, found);

  const identities = await Array.fromAsync(rows, (row, index) => {
    const id = ids[index];
    if (id !== undefined && (known.byId.has(id) || known.hidden.has(id))) return null;
    const read = meanings.read(row);
    return "refused" in read ? null : identityOf(read);
  });
  const asked = identities.flatMap((identity) => identity ?? []);
  const starts = [asked.map(({ user_id }) => user_id), asked.map(({ started_at }) => started_at)];
  const stored = await query<Identity & { id: string }>(alike, [organisation.id, starts[0], selection, own, starts[1]]);
  const taken = new Set([...known.byId.values()].map(({ id }) => id));
  const free = Map.groupBy(
    stored.filter(({ id }) => !taken.has(id)),
    keyOf,
  );
  return ids.map((id, index): EntryMatch => {
    if (id !== undefined && twice.has(id)) return { refused: { id: "errors.duplicate" } };
    if (id !== undefined && known.hidden.has(id)) return { refused: { id: "errors.not_found" } };
    const own = id === undefined ? undefined : known.byId.get(id);
    const match = own ?? free.get(identities[index]?.key ?? "")?.shift();
    return match ? { change: match.id } : { create: true };
  });
}
