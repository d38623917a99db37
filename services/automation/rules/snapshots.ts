import type { AutomationEntity } from "../../../core/declare/automation.ts";
import { automation, catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { clientOf } from "../../../core/declare/records.ts";
import { request } from "../../../core/request/context.ts";
import { type Bound, type Statement, statement } from "../../../core/sql/statement.ts";
import type { Facts } from "./conditions.ts";

/** A record as rules see it. */
export interface Snapshot {
  entity_type: string;
  id: string;
  /** Its stored values by column; dates and ids are text, decimals numbers. */
  columns: Facts;
  /** Its client. */
  company_id: string | null;
}

/** The facts about a record at an event: its columns, overlaid with the event's payload. */
export const factsOf = (snapshot: Snapshot | undefined, payload: Facts = {}): Facts => ({ ...snapshot?.columns, ...payload });

/** The columns that rules see, without the organisation, which is the same for all, and without secrets. */
export const seenColumns = ({ model }: AutomationEntity): string[] =>
  model.shown.filter((name) => name !== "organisation_id" && !model.columns[name]?.facts.secret);

/** The fields of a kind of record that rules see: its columns, and the values derived for it. */
export const seenFields = (entity: AutomationEntity): string[] => [...seenColumns(entity), ...Object.keys(entity.derived ?? {})];

/** The client of a record of a kind, as SQL on alias `t`: null for kinds that belong to people. @throws TypeError like `clientOf` */
const clientIn = (type: string, { client }: AutomationEntity): string =>
  client ?? (catalogue().records.get(type)?.client === null ? "null::uuid" : clientOf(type));

/** Selects records of one kind; `slot` holds their ids, looked up one by one: a generic plan compares each row with the whole list. */
function partOf(type: string, entity: AutomationEntity, slot: string): string {
  const fields = [...seenColumns(entity).map((name) => [name, `t.${name}`]), ...Object.entries(entity.derived ?? {})];
  return `select '${type}' as entity_type, t.id, ${clientIn(type, entity)} as company_id,
      json_build_object(${fields.map(([name, sql]) => `'${name}', ${sql}`).join(", ")}) as columns
    from unnest(${slot}::uuid[]) w(id) join ${entity.model.table} t on t.organisation_id = $1 and t.id = w.id`;
}

/** Whether an enabled rule is triggered by one of the events in `slot`. */
const isRuled = (slot: string): string =>
  `exists (select 1 from automation_rules r where r.organisation_id = $1 and r.enabled and r.trigger_event = any(${slot}::text[]))`;

const compiled = new Map<string, Promise<Statement>>();

/** The statement for records of these kinds, each with a slot for its ids, compiled once from the modules' declarations. */
async function compile(types: readonly string[], onlyRuled: boolean): Promise<Statement> {
  const parts = types.map(async (type, index) => {
    const load = automation().entities.get(type);
    if (!load) throw new TypeError(`no module declares what rules see of '${type}'`);
    return partOf(type, await load(), `$${index + 2}`);
  });
  const all = (await Promise.all(parts)).join(" union all ");
  return statement(`select s.* from (${all}) s where ${onlyRuled ? isRuled(`$${types.length + 2}`) : "true"}`);
}

/**
 * The statement for `Snapshot`s of the current organisation's existing records, of any kinds.
 * @param records ids by kind of record, only kinds that rules see
 * @param events if present, reads nothing unless one of these triggers an enabled rule
 */
export async function snapshotsOf(records: ReadonlyMap<string, readonly string[]>, events?: readonly string[]): Promise<Bound> {
  const types = [...records.keys()].toSorted();
  const key = `${types.join()} ${events !== undefined}`;
  let text = compiled.get(key);
  if (!text) compiled.set(key, (text = compile(types, events !== undefined)));
  const ids = types.map((type) => [...new Set(records.get(type))]);
  return [await text, [request().organisation.id, ...ids, ...(events ? [events] : [])]];
}
