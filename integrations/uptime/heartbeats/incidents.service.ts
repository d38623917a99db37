import { listing, listQuery } from "../../../core/database/lists/list.ts";
import { projection } from "../../../core/database/projection.ts";
import { action } from "../../../core/declare/action.ts";
import { answer, field, instant, nullable, optional, page, readInstant, Type, uuid } from "../../../core/schema/schema.ts";
import { resource, rowsOf } from "../../../mixins/resource.ts";
import { UptimeIncident } from "../models.ts";
import { requireInScope } from "../monitors/monitor-rows.ts";
import { visibleRow } from "../monitors/visible-row.ts";
import { minutesBetween } from "./outages.ts";

const UptimeIncidentRead = answer(
  "UptimeIncidentRead",
  {
    id: uuid(),
    monitor_id: uuid(),
    start: field(instant(), "When the first check failed, UTC"),
    end: nullable(field(instant(), "When the first check succeeded again, UTC; null while the outage lasts")),
    minutes: nullable(
      Type.Integer({ description: "Length in whole minutes, rounded; 0 for less than half a minute, null while it lasts" }),
    ),
    created_at: instant(),
    updated_at: instant(),
  },
  { monitor_id: "The monitor" },
);

const shown = projection({
  model: UptimeIncident,
  schema: UptimeIncidentRead,
  columns: { start: "t.started_at", end: "t.ended_at", minutes: minutesBetween("t.started_at", "t.ended_at") },
});
const list = listing(
  {
    table: "uptime_incidents",
    order: "-start",
    sorts: { start: { by: "t.started_at" } },
    filters: {
      monitor_id: { type: "uuid", when: (slot) => `t.monitor_id = ${slot}` },
      from: { type: "timestamptz", when: (slot) => `coalesce(t.ended_at, 'infinity') >= ${slot}` },
      before: { type: "timestamptz", when: (slot) => `t.started_at < ${slot}` },
    },
  },
  shown,
);
const incidents = rowsOf({ model: UptimeIncident, projection: shown, listing: list });

/** The outages of monitors (workspace-reporting §5). */
export default resource("uptime.incidents", {
  model: UptimeIncident,
  actions: {
    list: action({
      rest: "GET /uptime/monitors/:monitor_id/incidents",
      summary: "List the outages of a monitor, newest first",
      description:
        "An outage lasts from a failed check to the next one that succeeds, including those that were not reported: while the monitor was paused or flapping.",
      permission: "uptime.monitor.read",
      query: {
        ...listQuery(list.spec.sorts),
        from: optional({
          ...instant(),
          description: "Only outages that last, or ended at or after this instant; without a zone it is UTC",
        }),
        before: optional({ ...instant(), description: "Only outages that began before this instant; without a zone it is UTC" }),
      },
      returns: page(UptimeIncidentRead),
      async handler({ params: { monitor_id, from, before, ...asked } }) {
        await visibleRow(monitor_id);
        await requireInScope(monitor_id);
        const bounds = { from: from && readInstant(from), before: before && readInstant(before) };
        return incidents.page(asked, { monitor_id, ...bounds });
      },
    }),
  },
});
