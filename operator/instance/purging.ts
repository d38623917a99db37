import { OperatorError } from "../organisations.ts";
import { asOwner } from "../owner.ts";
import { purge, purgeInBatches, removeBytes } from "../purge.ts";
import { recordAct, SCHEDULE } from "./audit.ts";

/** Days in which the bytes of a purged organisation are looked for again: a node may have died after the commit. */
const LOOK_AGAIN_DAYS = 7;

/** No rows, where the deletion was cancelled or postponed meanwhile. */
function refusedAsZero(error: unknown): number {
  if (error instanceof OperatorError) return 0;
  throw error;
}

/** Purges every organisation whose day has come, one after another. @returns their number */
export async function purgeDue(): Promise<number> {
  const due = await asOwner(async (client) => {
    const { rows } = await client.query<{ organisation: string }>(
      "select organisation from organisation_suspensions where purge_at <= now() or purging_since is not null order by purge_at",
    );
    return rows.map(({ organisation }) => organisation);
  });
  for (const id of due) {
    const batches = await purgeInBatches(asOwner, id, { isDue: true }).catch(refusedAsZero);
    await asOwner(async (client) => {
      // Locks in the order of those who cancel or postpone it, which may have happened meanwhile.
      await client.query("select from organisations where id = $1 for update", [id]);
      const due =
        "select from organisation_suspensions where organisation = $1 and (purge_at <= now() or purging_since is not null)";
      const { rowCount } = await client.query(due, [id]);
      if (rowCount === 0) return;
      const { slug, rows, accounts } = await purge(client, id);
      const detail = { rows: batches + rows, accounts };
      await recordAct(client, "organisation.purged", null, null, { organisation: { id, slug }, actor: SCHEDULE, detail });
    });
  }
  const purged = await asOwner(async (client) => {
    const { rows } = await client.query<{ id: string }>(
      `select distinct organisation as id from operator_audit
        where action = 'organisation.purged' and created_at > now() - make_interval(days => $1)`,
      [LOOK_AGAIN_DAYS],
    );
    return rows.map(({ id }) => id);
  });
  for (const id of purged) await removeBytes(id);
  return due.length;
}
