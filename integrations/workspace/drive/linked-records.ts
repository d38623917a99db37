import { queryOne } from "../../../core/database/query.ts";
import { clientOf } from "../../../core/declare/records.ts";
import { invalid, notFound } from "../../../core/errors/errors.ts";
import { forStaffAndClients } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { statement } from "../../../core/sql/statement.ts";
import { ENTITY_TYPES, type Entity, type EntityType } from "./drive-models.ts";

/** The table of each kind of record, and the SQL of its name on alias `r`. */
export const RECORDS: Readonly<Record<EntityType, { table: string; name: string }>> = {
  company: { table: "companies", name: "r.name" },
  project: { table: "projects", name: "r.name" },
  task: { table: "tasks", name: "r.title" },
};

export const isEntityType = (kind: string): kind is EntityType => (ENTITY_TYPES as readonly string[]).includes(kind);

/**
 * SQL: whether the caller sees the record `alias`. A selection must include its client; staff also see records without a client
 * (conventions §5), and client logins see only tasks shown to clients.
 * @param sources SQL of the caller's selection; null without one
 */
export function seenRecord(kind: EntityType, alias: string, sources: string, clients: boolean): string {
  const client = clientOf(kind, alias);
  const isSelected = `${client} in (select selected_companies(${sources}))`;
  const withoutClient = clients ? "false" : `${client} is null`;
  const isShown = clients && kind === "task" ? `${alias}.visible_to_client and ` : "";
  return `(${sources} is null or ${isShown}(${withoutClient} or ${isSelected}))`;
}

/** A record with what calls about it need. */
export interface FoundRecord {
  name: string;
  company_id: string | null;
  is_seen: boolean;
}

const find = forStaffAndClients((clients) => {
  const texts = ENTITY_TYPES.map((kind) => {
    const { table, name } = RECORDS[kind];
    const text = `select ${name} as name, ${clientOf(kind, "r")} as company_id, ${seenRecord(kind, "r", "$3::uuid[]", clients)} as is_seen
      from ${table} r where r.organisation_id = $1 and r.id = $2`;
    return [kind, statement(text)] as const;
  });
  return new Map(texts);
});

/** Finds a record, whether or not the caller sees it; undefined if it does not exist. */
export async function findRecord({ entity_type, entity_id }: Entity): Promise<FoundRecord | undefined> {
  const { organisation, principal } = request();
  const look = find().get(entity_type);
  return look && queryOne<FoundRecord>(look, [organisation.id, entity_id, principal?.selection ?? null]);
}

/** The record in a body. @throws 404 if it is outside the caller's selection, 422 on `entity_id` if it does not exist */
export async function requireRecord(entity: Entity): Promise<FoundRecord> {
  const record = await findRecord(entity);
  if (!record) throw invalid({ entity_id: "errors.not_found" });
  if (!record.is_seen) throw notFound();
  return record;
}
