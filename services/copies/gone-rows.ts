import { query } from "../../core/database/query.ts";
import { catalogue } from "../../core/declare/catalogue/catalogue.ts";
import type { CopiedDeclaration } from "../../core/declare/module.ts";
import { holds } from "../../core/declare/permissions.ts";
import type { Principal } from "../../core/declare/principal.ts";
import { statement } from "../../core/sql/statement.ts";

/** Days for which `GET /deleted` has a row. */
export const KEPT_DAYS = 90;

/** A type of record that is copied, with the permission of its list. */
export type Copied = CopiedDeclaration & { kind: string; permission: string };

let known: ReadonlyMap<string, Copied> | undefined;

/** The types of record whose lists are copied, by entity type. */
export const copiedKinds = (): ReadonlyMap<string, Copied> =>
  (known ??= new Map(
    [...catalogue().records].flatMap(([kind, { copied, readers }]) =>
      copied ? [[kind, { ...copied, kind, permission: copied.permission ?? readers?.permission ?? "" }] as const] : [],
    ),
  ));

/** Whether a caller with these clients reads a row of audience `alias`; of a client login the row must be one that clients see. */
const isReader = (
  alias: string,
  clients: string,
): string => `(${alias}.needs is null or ${alias}.needs = $7 or $8 = any(${alias}.persons))
  and ($9::boolean is not true or ${alias}.for_clients)
  and ($4::uuid[] is null or ${alias}.companies is null or ${alias}.companies = '{}' or ${alias}.companies && ${clients})`;

/**
 * A page of rows that the caller saw, and no longer sees. Those that left the view of others are compared with what the caller sees now. A
 * selection means the clients of its sources and those that its sources had when they were deleted; `$6` are the sources of a second selection
 * that restricts the caller as well, while a member impersonates a client login.
 */
const PAGE = statement(`with seen as materialized (select array(select c from selected_companies($4::uuid[]) c) as now,
    array(select f.company_id from former_selections f where f.organisation_id = $1 and f.source_id = any($5::uuid[])
      and ($6::uuid[] is null or exists (select 1 from former_selections o
        where o.organisation_id = $1 and o.company_id = f.company_id and o.source_id = any($6::uuid[])))) as before)
  select g.id as row, g.entity_id as id, g.reason,
      to_char(g.gone_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as deleted_at
    from gone_rows g cross join seen s
   where g.organisation_id = $1 and g.entity_type = $2 and (g.gone_at, g.id) > ($3::timestamptz, $10::uuid)
     and ${isReader("g", "(s.now || s.before)")}
     and (g.reason = 'deleted' or not exists (select 1 from live_audience($2, $11, g.entity_id) l where ${isReader("l", "s.now")}))
   order by g.gone_at, g.id limit $12`);

/** A row that is gone: its id and moment are what `GET /deleted` shows, `row` orders those of one moment. */
export interface GoneRow {
  row: string;
  id: string;
  deleted_at: string;
  reason: "deleted" | "left_view";
}

/** An id before every other. */
const FIRST = "00000000-0000-0000-0000-000000000000";

/** The selections that restrict a caller, one or two while it impersonates; none for one that sees every client. */
const selectionsOf = ({ selection, impersonation }: Principal): (string[] | null)[] =>
  impersonation ? impersonation.sides.map((side) => side.selection).filter((one) => one !== null) : [selection];

/**
 * The rows of a type that were deleted, or left the caller's view, behind a position, in the order of (moment, id).
 * @param after moment and row of the last one before; the row of a first page is null
 */
export function goneRows(
  { kind, table, needs = "" }: Copied,
  { organisation, principal }: { organisation: { id: string }; principal: Principal },
  [moment, row]: readonly [moment: string, row: string | null],
  limit: number,
): Promise<GoneRow[]> {
  const [one = [], other = null] = selectionsOf(principal);
  const { selection, grants, accountId, isClientLogin } = principal;
  const held = needs !== "" && holds(grants, needs) ? needs : null;
  return query<GoneRow>(PAGE, [
    organisation.id,
    kind,
    moment,
    selection,
    one ?? [],
    other,
    held,
    accountId,
    isClientLogin,
    row ?? FIRST,
    table,
    limit,
  ]);
}
