import { columns } from "../../../core/database/model.ts";
import { jsonArray, projection } from "../../../core/database/projection.ts";
import { queryOne } from "../../../core/database/query.ts";
import { notFound } from "../../../core/errors/errors.ts";
import { forStaffAndClients } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { JsonText, type WrittenRow } from "../../../core/sql/json-text.ts";
import { statement } from "../../../core/sql/statement.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { DriveLink, type DriveLinkRow, ENTITY_TYPES, type Entity } from "./drive-models.ts";
import { DriveLinkRead } from "./drive-schemas.ts";
import { isEntityType, RECORDS, seenRecord } from "./linked-records.ts";

const shown = projection({
  model: DriveLink,
  schema: DriveLinkRead,
  // The creator's current name, or the stored one if the account is gone.
  columns: { created_by_name: "coalesce(nullif(creator.full_name, ''), creator.email, t.created_by_name)" },
  joins: "left join accounts creator on creator.id = t.created_by_account_id",
});
const rows = rowsOf({ model: DriveLink, projection: shown });

export const writtenLink = (id: string): WrittenRow => rows.answerWith(id);

const LINK = `${columns(DriveLink, "l")}, l.entity_type, l.entity_id`;
const SINCE = "($4::timestamptz is null or l.updated_at >= $4::timestamptz)";

/** SQL: links of the tasks of project `$2` that the caller sees. */
const ofTasks = (clients: boolean): string => `select ${LINK}, 1 as rank from tasks k
  join drive_links l on l.organisation_id = k.organisation_id and l.entity_id = k.id and l.entity_type = 'task'
  where k.organisation_id = $1 and k.project_id = $2 and ${SINCE} and ${seenRecord("task", "k", "$3::uuid[]", clients)}`;

/** One statement returns whether the caller sees the record, and its links. */
const lists = forStaffAndClients((clients) => {
  const texts = ENTITY_TYPES.flatMap((kind) =>
    [false, true].map((rollup) => {
      const own = `select ${LINK}, 0 as rank from drive_links l
        where l.organisation_id = $1 and l.entity_id = $2 and l.entity_type = '${kind}' and ${SINCE}`;
      const all = rollup && kind === "project" ? `${own} union all ${ofTasks(clients)}` : own;
      const items = jsonArray(`${shown.rows(`(${all})`)} order by t.rank, t.is_root desc, t.created_at, t.id`);
      const isSeen = `select ${seenRecord(kind, "r", "$3::uuid[]", clients)} from ${RECORDS[kind].table} r
        where r.organisation_id = $1 and r.id = $2`;
      return [`${kind} ${rollup}`, statement(`select (${isSeen}) as is_seen, ${items} as items`)] as const;
    }),
  );
  return new Map(texts);
});

const NONE = new JsonText("[]");

/**
 * The links of a record: its own folder first, then the oldest (workspace §2.4).
 * @param rollup whether to append the links of a project's tasks
 * @param since only links changed since then, ISO 8601; null for all
 * @returns an empty list for an unknown id or kind
 * @throws 404 for a record outside the caller's selection
 */
export async function linksOf(
  { entity_type, entity_id }: { entity_type: string; entity_id: string },
  rollup: boolean,
  since: string | null,
): Promise<JsonText> {
  if (!isEntityType(entity_type)) return NONE;
  const { organisation, principal } = request();
  const values = [organisation.id, entity_id, principal?.selection ?? null, since];
  const list = lists().get(`${entity_type} ${rollup}`);
  const found = list && (await queryOne<{ is_seen: boolean | null; items: string }>(list, values));
  if (!found || found.is_seen === null) return NONE;
  if (!found.is_seen) throw notFound();
  return new JsonText(found.items);
}

const OF_RECORD = `select ${columns(DriveLink)} from drive_links where organisation_id = $1 and entity_id = $2 and entity_type = $3`;
const ROOT = statement(`${OF_RECORD} and is_root`);
const LOCK_ROOT = statement(`${OF_RECORD} and is_root for update`);
const LOCK_FILE = statement(`${OF_RECORD} and drive_file_id = $4 for update`);
const placeOf = ({ entity_type, entity_id }: Entity) => [request().organisation.id, entity_id, entity_type];

/** The link to a record's own folder, if any. */
export const rootOf = (entity: Entity): Promise<DriveLinkRow | undefined> => queryOne<DriveLinkRow>(ROOT, placeOf(entity));

/** Like `rootOf`, but locks the row until the transaction ends. */
export const lockedRoot = (entity: Entity): Promise<DriveLinkRow | undefined> =>
  queryOne<DriveLinkRow>(LOCK_ROOT, placeOf(entity));

/** The link of a record to a file, if any, locked until the transaction ends. */
export const lockedLink = (entity: Entity, fileId: string): Promise<DriveLinkRow | undefined> =>
  queryOne<DriveLinkRow>(LOCK_FILE, [...placeOf(entity), fileId]);
