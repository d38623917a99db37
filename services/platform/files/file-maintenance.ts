import { type ClearingRun, clearOld } from "../../../core/clearing/clear.ts";
import { query } from "../../../core/database/query.ts";
import { discard } from "../../../core/files/staged-uploads.ts";
import { stores } from "../../../core/files/storage.ts";
import type { OrganisationRun } from "../../../core/jobs/jobs.ts";
import { oldRows } from "../../../core/sql/old-rows.ts";
import { statement } from "../../../core/sql/statement.ts";

/** How long unreferenced bytes stay, in milliseconds (conventions §18). */
const GRACE = 24 * 3_600_000;

const UNREFERENCED = oldRows({
  table: "file_contents",
  age: "r.touched_at",
  kept: `${GRACE} milliseconds`,
  also: "not exists (select 1 from files f where f.organisation_id = r.organisation_id and f.content_id = r.id)",
});

const KNOWN = statement("select id from file_contents where organisation_id = $1 and id = any($2::uuid[])");

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The nightly file maintenance of one organisation. It deletes contents without a reference for 24 hours, then removes the bytes without a
 * content: those of deleted contents and of writes that never stored a row. Contents are deleted and committed first, so a crash in
 * between leaves bytes without a row, never a row without bytes; the next night removes them. Duplicates need no merging here, because
 * writes merge them. Safe to run at any time, even twice at once.
 * @returns the number of contents removed from the stores
 */
export async function maintainFiles(run: ClearingRun & Pick<OrganisationRun, "read">, now: Date): Promise<number> {
  const { organisation, read } = run;
  const before = new Date(now.valueOf() - GRACE);
  await clearOld(run, UNREFERENCED);
  let removed = 0;
  for (const store of stores().all)
    for await (const page of store.list(organisation.id)) {
      const old = page.filter(({ id, changedAt }) => changedAt < before && UUID.test(id)).map(({ id }) => id);
      if (old.length === 0) continue;
      const known = new Set((await read(() => query<{ id: string }>(KNOWN, [organisation.id, old]))).map(({ id }) => id));
      const orphans = old.filter((id) => !known.has(id));
      await discard(orphans.map((id) => ({ organisationId: organisation.id, id, backend: store.backend })));
      removed += orphans.length;
    }
  return removed;
}
