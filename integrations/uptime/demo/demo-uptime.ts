import { enqueue, query, queryOne } from "../../../core/database/query.ts";
import { queueInsert } from "../../../core/database/write.ts";
import type { DemoOrganisation } from "../../../core/declare/module.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { statement } from "../../../core/sql/statement.ts";
import { demoIds } from "../../../core/values/demo-ids.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { newHookSecret } from "../instances/webhook-token.ts";
import { type HeartbeatStatus, UptimeIncident, UptimeInstance, UptimeMonitor } from "../models.ts";
import { hostNames } from "../monitors/host-names.ts";

const WEBSITES = 6;
/** The last status of each monitor, by position; most sites are up. */
const STATUSES: readonly HeartbeatStatus[] = ["up", "up", "down", "up", "maintenance", "up"];

const BUSY = statement("select 1 from uptime_instances where organisation_id = $1 limit 1");
const SITES = statement(`select w.id, d.name, d.label from websites w
    join domains d on d.organisation_id = w.organisation_id and d.id = w.domain_id
  where w.organisation_id = $1 order by d.name limit ${WEBSITES}`);
// One check per hour for two days; the current status began three hours ago.
const BEATS = statement(`insert into uptime_heartbeats (id, organisation_id, monitor_id, status, at, ping_ms, message)
  select gen_random_uuid(), $1, m.id, case when n < 3 then m.status else 'up' end, date_trunc('minute', now()) - n * interval '1 hour',
      case when n >= 3 or m.status = 'up' then 40 + (n * 7) % 60 end,
      case when n < 3 and m.status = 'down' then 'connect ETIMEDOUT' else '200 - OK' end
    from jsonb_to_recordset($2::jsonb) m (id uuid, status text), generate_series(0, 47) n`);

/** Gives the demo organisation a linked server with monitors of its first websites, unless it has a server already (docs/uptime.md). */
export async function fillUptime({ organisation }: Pick<DemoOrganisation, "organisation">): Promise<void> {
  await inTenancy(
    () => systemRequest("seed", organisation, "write"),
    async () => {
      if (await queryOne(BUSY, [organisation.id])) return;
      const sites = await query<{ id: string; name: string; label: string }>(SITES, [organisation.id]);
      const ids = demoIds(organisation);
      const instance_id = queueInsert(UptimeInstance, {
        id: ids("uptime/instances"),
        name: "Uptime Kuma",
        mode: "linked",
        status: "active",
        hook_secret: newHookSecret(),
      });
      const since = new Date(Date.now() - 2 * 3_600_000).toISOString();
      const monitors = sites.map((site, index) => ({
        ...site,
        monitorId: ids("uptime/monitors"),
        status: STATUSES[index] ?? "up",
        number: index + 1,
      }));
      for (const { id, monitorId, name, label, status, number } of monitors) {
        const target = `https://${name}/`;
        const last = { last_status: status, last_status_since: since, last_heartbeat_at: new Date().toISOString() };
        const isDown = status === "down";
        queueInsert(UptimeMonitor, {
          id: monitorId,
          instance_id,
          remote_id: number,
          name: label,
          monitor_type: "http",
          target,
          host_names: hostNames(target),
          website_id: id,
          sync_status: "active",
          adopted: true,
          ...last,
          ...(isDown && { outage_since: since, turns: [since], announced: "down" as const }),
        });
        if (isDown) queueInsert(UptimeIncident, { monitor_id: monitorId, started_at: since });
      }
      enqueue(BEATS, [organisation.id, JSON.stringify(monitors.map(({ monitorId: id, status }) => ({ id, status })))]);
    },
  );
}
