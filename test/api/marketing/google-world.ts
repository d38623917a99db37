import { expect } from "chai";
import { type AnalyticsState, serveAnalytics } from "../../simulators/google/analytics.ts";
import type { GoogleSimulator } from "../../simulators/google/google.ts";
import type { GooglePersonRecord } from "../../simulators/google/grants.ts";
import { type SearchConsoleState, serveSearchConsole } from "../../simulators/google/search-console.ts";
import { strike, until } from "../../support/jobs.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import { configureWorkspace, connected, type Workspace } from "../../support/workspace.ts";
import { startWorkspace, type WorkspaceWorld } from "../workspace/workspace-world.ts";

export const LINKS = "/marketing/links";
export const ACCOUNTS = "/marketing/accounts";
/** Asks for every scope of marketing. */
export const ALL_SCOPES = "include_analytics=true&include_search_console=true&include_ads=true";

/** An organisation whose owner has connected an account with every scope of marketing, and a client. */
export interface Agency {
  tenant: Tenant;
  workspace: Workspace;
  owner: Caller;
  person: GooglePersonRecord;
  company: string;
}

/** A stored link. */
export interface LinkRow {
  id: string;
  active: boolean;
  backfill_done: boolean;
  read_days: string;
  last_synced_at: string | null;
  last_error: string | null;
  paused_until: string | null;
  held_by: string | null;
  connection_id: string | null;
  config: Record<string, unknown>;
}

export interface MarketingWorld extends WorkspaceWorld {
  analytics: AnalyticsState;
  search: SearchConsoleState;
  /** Forgets everything at Google, and opens another organisation. */
  agency(): Promise<Agency>;
  /** Links a client, and runs its backfill at once on request. */
  link(agency: Agency, values: Record<string, unknown>, how?: { backfills?: boolean }): Promise<string>;
  row(id: string): Promise<LinkRow>;
  /** The stored days of a link, oldest first. */
  days(id: string): Promise<{ day: string; metrics: Record<string, number>; channels: Record<string, number> | null }[]>;
  /** Lets the night come, and waits for all it leads to. */
  nightly(): Promise<void>;
  /** Moves everything due within a minute forward to now, and waits until no marketing work is left. */
  settle(): Promise<void>;
}

const LEFT = `select (select count(*) from outbox where job like 'marketing.%' and relayed_at is null)::int
  + (select count(*) from jobs.agenda_jobs where name like 'marketing.%' and type = 'normal'
      and (next_run_at is not null or locked_at is not null))::int
  + (select count(*) from jobs.ordered where name like 'marketing.%' and dead_at is null)::int as n`;

/** @param beside starts other services, and returns their settings */
export async function startMarketing(
  environment: Record<string, string> = {},
  beside?: (google: GoogleSimulator) => Promise<Record<string, string>>,
): Promise<MarketingWorld> {
  const world = await startWorkspace(environment, { ...(beside && { beside }) });
  const { google, service } = world;
  const analytics = serveAnalytics(google);
  const search = serveSearchConsole(google);
  const { sql } = service;
  const settle = () =>
    until(async () => {
      await sql.query("update outbox set run_at = now() where job like 'marketing.%' and run_at > now()");
      await sql.query(
        "update jobs.agenda_jobs set next_run_at = now() where name like 'marketing.%' and type = 'normal' and next_run_at > now() and locked_at is null",
      );
      return (await sql.query(LEFT)).rows[0].n === 0;
    }).then(() => {});
  return {
    ...world,
    analytics,
    search,
    settle,
    async nightly() {
      await strike(service, "marketing.nightly");
      await settle();
    },
    async agency() {
      google.reset();
      // The night comes for every organisation.
      await sql.query("update marketing_links set active = false where active");
      await sql.query("delete from provider_troubles");
      const tenant = await service.tenant();
      const workspace = await configureWorkspace(google, tenant);
      const person = await connected(google, tenant.owner, { query: ALL_SCOPES });
      const company = (await tenant.company()).id;
      return { tenant, workspace, owner: tenant.owner, person, company };
    },
    async link({ owner, company }, values, { backfills = true } = {}) {
      const sent = { company_id: company, display_name: "Shop", ...values };
      const { status, text, body } = await owner.post(LINKS, sent);
      expect(status, text).to.equal(201);
      if (backfills) await settle();
      return body.id;
    },
    row: async (id) => (await sql.query("select * from marketing_links where id = $1", [id])).rows[0],
    days: async (id) =>
      (await sql.query("select day::text as day, metrics, channels from marketing_days where link_id = $1 order by day", [id]))
        .rows,
  };
}
