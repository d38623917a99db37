import { jobsOf } from "../../../mixins/jobs.ts";
import { UptimeKumaSimulator } from "../../simulators/uptime-kuma.ts";
import { holdSchedules } from "../../support/jobs.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

/** A row as the API answers it. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
export type Row = Record<string, any> & { id: string };

let counter = 0;

/** The service with a simulated uptime server. */
export interface UptimeWorld {
  service: TestService;
  kuma: UptimeKumaSimulator;
  /** Adds a managed instance at the simulator and enrols it by default. */
  instance(tenant: Tenant, values?: Record<string, unknown>, at?: UptimeKumaSimulator): Promise<Row>;
  /** Adds an instance that only posts. */
  linked(tenant: Tenant, values?: Record<string, unknown>): Promise<Row>;
  /** Lets the next login happen at once, as if a minute had passed. */
  aMinuteLater(): Promise<void>;
  /** A stored row. */
  stored(table: string, id: string): Promise<Row>;
  /** Writes a domain by SQL, by default with a website. */
  site(
    tenant: Tenant,
    name: string,
    companyId?: string,
    hasWebsite?: boolean,
  ): Promise<{ domainId: string; websiteId: string | null }>;
  stop(): Promise<void>;
}

export const RANGES = { SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8" };

export async function startUptime(environment: Record<string, string> = {}): Promise<UptimeWorld> {
  const kuma = new UptimeKumaSimulator();
  await kuma.start();
  const service = await startService({ ...RANGES, ...environment });
  await holdSchedules(service, "uptime.%");
  const { sql } = service;
  const aMinuteLater = async () => {
    await sql.query("update uptime_leases set last_login_at = null");
  };
  return {
    service,
    kuma,
    aMinuteLater,
    async instance(tenant, values = {}, at = kuma) {
      const made = await tenant.owner.post("/uptime/instances", { name: `Kuma ${++counter}`, base_url: at.url, ...values });
      if (made.status !== 201) throw new Error(`no instance: ${made.status} ${made.text}`);
      const { username, password } = at.account;
      const enrolled = await tenant.owner.post(`/uptime/instances/${made.body.id}/enrol`, { username, password });
      if (!enrolled.body?.ok) throw new Error(`not enrolled: ${enrolled.status} ${enrolled.text}`);
      return made.body;
    },
    async linked(tenant, values = {}) {
      const made = await tenant.owner.post("/uptime/instances", { name: `Linked ${++counter}`, mode: "linked", ...values });
      if (made.status !== 201) throw new Error(`no instance: ${made.status} ${made.text}`);
      return made.body;
    },
    async stored(table, id) {
      return (await sql.query(`select * from ${table} where id = $1`, [id])).rows[0];
    },
    async site(tenant, name, companyId, hasWebsite = true) {
      const company = companyId ?? (await tenant.company()).id;
      const domain = await sql.query(
        `insert into domains (id, organisation_id, company_id, name, label, tld, start_date)
         values (gen_random_uuid(), $1, $2, $3, $3, split_part($3, '.', -1), '2026-01-01') returning id`,
        [tenant.organisation.id, company, name],
      );
      const domainId = domain.rows[0].id;
      if (!hasWebsite) return { domainId, websiteId: null };
      const website = await tenant.owner.post("/websites", { domain_id: domainId });
      return { domainId, websiteId: website.body.id };
    },
    async stop() {
      await service.stop();
      await kuma.stop();
    },
  };
}

/** The engine that runs the jobs of a service. */
export const engine = (service: TestService) => jobsOf(service.node.broker);
