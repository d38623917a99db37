import { listing } from "../../../core/database/lists/list.ts";
import type { ListingSpec } from "../../../core/database/lists/listing-spec.ts";
import { ofSelectedCompany } from "../../../core/database/lists/selection.ts";
import { projection } from "../../../core/database/projection.ts";
import { automation, catalogue } from "../../../core/declare/catalogue/catalogue.ts";
import { readsAny } from "../../../core/declare/records.ts";
import { forStaffAndClients } from "../../../core/request/caller.ts";
import { request } from "../../../core/request/context.ts";
import { rowsOf } from "../../../mixins/resource.ts";
import { AutomationRun } from "../models.ts";
import { RunRead } from "./run-schemas.ts";

const shown = projection({ model: AutomationRun, schema: RunRead });

/** A run reveals its record, so only members who see its client see it; all staff see runs without a client. */
const ofStaff = (slot: string): string => `(t.company_id is null or ${ofSelectedCompany("t.company_id", slot)})`;
const ofClients = (slot: string): string => ofSelectedCompany("t.company_id", slot);

const spec = (visible: ListingSpec["visible"]): ListingSpec => ({
  table: "automation_runs",
  order: "-created_at",
  sorts: { created_at: { by: "t.created_at" } },
  filters: {
    rule_id: { type: "uuid", when: (slot) => `t.rule_id = ${slot}` },
    status: { type: "text", when: (slot) => `t.status = ${slot}` },
    entity_id: { type: "uuid", when: (slot) => `t.entity_id = ${slot}` },
    created_from: { type: "timestamptz", when: (slot) => `t.created_at >= ${slot}` },
    created_before: { type: "timestamptz", when: (slot) => `t.created_at < ${slot}` },
    hidden: { type: "text[]", when: (slot) => `t.entity_type <> all(${slot})` },
    unplaced: { type: "text[]", when: (slot) => `(t.company_id is not null or t.entity_type <> all(${slot}))` },
  },
  visible,
});

/**
 * The filters of runs whose records the caller may not read: kinds that the caller has no permission for, and for a restricted caller those
 * without one client, whose readers only the record itself determines.
 */
export function unseenKinds(): { hidden: string[]; unplaced: string[] } {
  const { principal } = request();
  const { all, several } = kindsOfTriggers();
  return {
    hidden: all.filter((kind) => !readsAny(kind, principal?.grants ?? [])),
    unplaced: principal?.selection ? several : [],
  };
}

let known: { all: string[]; several: string[] } | undefined;

/** The kinds of record that trigger rules, and those among them that have several clients. */
function kindsOfTriggers(): { all: string[]; several: string[] } {
  if (known) return known;
  const all = [...new Set([...automation().triggers.values()].map(({ entity_type }) => entity_type))];
  known = { all, several: all.filter((kind) => catalogue().records.get(kind)?.client === "several") };
  return known;
}

export const runList = listing(spec(ofStaff), shown);

/** The runs that the caller sees. */
export const runs = forStaffAndClients((clients) => {
  const visible = clients ? ofClients : ofStaff;
  return rowsOf({ model: AutomationRun, projection: shown, listing: clients ? listing(spec(visible), shown) : runList, visible });
});
