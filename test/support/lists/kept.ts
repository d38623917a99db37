import type pg from "pg";
import type { Listing } from "../../../core/database/lists/list.ts";
import { COUNTED } from "../../../migrations/0127-kept-counts.ts";
import { interactionPage } from "../../../services/work/interactions/interaction.list.ts";
import { everyListing } from "./every.ts";

/** Tables whose lists have kept counts. */
export const KEPT = Object.keys(COUNTED);

/** Kept counts of a table that differ from its rows, of every organisation that the connection sees, in one snapshot. */
const differing = (table: string): string => {
  const { key = () => "''", where = () => "true" } = COUNTED[table] ?? {};
  return `select '${table}' as list, organisation_id, key, sum(counted)::int as counted, sum(kept)::int as kept from (
      select organisation_id, ${key("t")} as key, count(*) as counted, 0 as kept from ${table} t where ${where("t")} group by 1, 2
      union all select organisation_id, key, 0, rows from kept_counts where list = '${table}'
      union all select organisation_id, key, 0, rows from count_changes where list = '${table}') c
    group by 2, 3 having sum(counted) <> sum(kept)`;
};
const DIFFERING = KEPT.map(differing).join(" union all ");

/** What `sql` sees of kept counts that differ from the rows; empty if all are exact. */
export const wrongCounts = async (sql: pg.ClientBase): Promise<unknown[]> => (await sql.query(DIFFERING)).rows;

/** A list with a kept count, and the statement of its page. */
export interface KeptList {
  table: string;
  /** The filter that has counts of its own. */
  by: string | null;
  /** The page that the list sends to PostgreSQL. */
  page(organisationId: string, filters?: Record<string, unknown>): { text: string; values: unknown[] };
}

const ASKED = { limit: 1, offset: 0, count: true, selection: null };
const ofListing = (list: Listing): KeptList => ({
  table: list.spec.table,
  by: typeof list.spec.kept === "object" ? list.spec.kept.by : null,
  page(organisationId, filters = {}) {
    const [{ text }, values] = list.page(organisationId, { ...ASKED, filters }).bound;
    return { text, values };
  },
});

/** Every list with a kept count. @param caller whose waiting contact moments the list shows */
export async function keptLists(caller: string): Promise<KeptList[]> {
  const kept = (await everyListing()).filter(({ spec }) => spec.kept !== undefined);
  const moments: KeptList = {
    table: "interactions",
    by: null,
    page(organisationId) {
      const [{ text }, values] = interactionPage(organisationId, caller, null, false, { limit: 1 }, {}).bound;
      return { text, values };
    },
  };
  return [...kept.map(ofListing), moments];
}
