import { randomUUID } from "node:crypto";
import sinon from "sinon";
import { seal } from "../../../core/database/sealed.ts";
import { holdSchedules } from "../../support/jobs.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
export type Body = any;
/** Metrics of days, by day. */
export type Days = Record<string, Record<string, number>>;

/** Every day that tests ask for. */
const EVERY_DAY = "{[2000-01-01,2100-01-01)}";

/** The service with figures that tests store by SQL, on a clock that they set; no source is ever asked. */
export interface StoredWorld extends TestService {
  /** Sets the service's clock: a date is noon UTC of that day. */
  today(instant: string): void;
  /** A link of a client, active, synchronised and with every day read unless `values` say otherwise. @returns its id */
  link(tenant: Tenant, companyId: string, source: string, values?: Record<string, unknown>): Promise<string>;
  /** Stores days of a link. */
  days(linkId: string, days: Days, more?: { channels?: Record<string, number>; currency?: string }): Promise<void>;
  /** Stores the same metrics for every day from `from` to `to`. */
  constant(linkId: string, from: string, to: string, metrics: Record<string, number>): Promise<void>;
  /** Sets the days that a link was read for, from `from` to `to` alone. */
  readFor(linkId: string, from: string, to: string): Promise<void>;
  /** Stores the value of a whole span, as fetched now. */
  value(linkId: string, metric: string, from: string, to: string, value: number): Promise<void>;
  /** The connection of a person, as consent would leave it. @returns its id */
  connection(tenant: Tenant, who: Caller, values?: Record<string, unknown>): Promise<string>;
  /** A website of a client. @returns its id */
  website(tenant: Tenant, companyId: string, name: string): Promise<string>;
}

/** The service that these files share, at a date. */
export async function storedWorld(date: string): Promise<StoredWorld> {
  const at = (instant: string) => Date.parse(instant.includes("T") ? instant : `${instant}T12:00:00Z`);
  const clock = sinon.useFakeTimers({ now: at(date), toFake: ["Date"] });
  const service = await sharedService("clock").catch((error: unknown) => {
    clock.restore();
    throw error;
  });
  await holdSchedules(service, "%");
  const { sql } = service;
  await sql.query(`insert into product_licences (module, expires_at) select unnest(array['marketing', 'domains', 'websites']), '2200-01-01'
    on conflict (module) do update set expires_at = excluded.expires_at`);
  const write = async (table: string, row: Record<string, unknown>) => {
    const names = Object.keys(row);
    const slots = names.map((_, index) => `$${index + 1}`);
    await sql.query(`insert into ${table} (${names.join(", ")}) values (${slots.join(", ")})`, Object.values(row));
  };
  const ofLink = "select organisation_id, id, company_id, source from marketing_links where id = $1";
  return {
    ...service,
    today: (instant) => clock.setSystemTime(at(instant)),
    async link(tenant, company_id, source, values = {}) {
      const id = randomUUID();
      const { config = {}, ...rest } = values;
      await write("marketing_links", {
        id,
        organisation_id: tenant.organisation.id,
        company_id,
        source,
        external_id: `${source}-${id}`,
        display_name: `${source} ${id.slice(0, 4)}`,
        config: JSON.stringify(config),
        backfill_done: true,
        last_synced_at: "2026-01-01T05:00:00Z",
        read_days: EVERY_DAY,
        ...rest,
      });
      return id;
    },
    async days(linkId, days, { channels, currency } = {}) {
      await sql.query(
        `insert into marketing_days (organisation_id, link_id, company_id, source, day, metrics, channels, currency)
         select l.organisation_id, l.id, l.company_id, l.source, e.key::date, e.value, $3, $4 from (${ofLink}) l, jsonb_each($2) e`,
        [linkId, JSON.stringify(days), channels ? JSON.stringify(channels) : null, currency ?? null],
      );
    },
    async constant(linkId, from, to, metrics) {
      await sql.query(
        `insert into marketing_days (organisation_id, link_id, company_id, source, day, metrics)
         select l.organisation_id, l.id, l.company_id, l.source, d::date, $4 from (${ofLink}) l, generate_series($2::date, $3::date, '1 day') d`,
        [linkId, from, to, JSON.stringify(metrics)],
      );
    },
    async readFor(linkId, from, to) {
      const text = "update marketing_links set read_days = datemultirange(daterange($2, $3, '[]')) where id = $1";
      await sql.query(text, [linkId, from, to]);
    },
    async value(linkId, metric, from, to, value) {
      await sql.query(
        `insert into marketing_period_values (organisation_id, link_id, metric, start_on, end_on, value, stored_at)
         select l.organisation_id, l.id, $2, $3, $4, $5, $6 from (${ofLink}) l`,
        [linkId, metric, from, to, value, new Date().toISOString()],
      );
    },
    async connection(tenant, { accountId }, values = {}) {
      const id = randomUUID();
      await write("workspace_connections", {
        id,
        organisation_id: tenant.organisation.id,
        account_id: accountId,
        subject: id,
        client_id: "client.example",
        email: `${id.slice(0, 8)}@provider.example`,
        scopes: ["openid"],
        refresh_token: seal("a refresh token", {
          table: "workspace_connections",
          column: "refresh_token",
          organisation: tenant.organisation.id,
          row: id,
        }),
        ...values,
      });
      return id;
    },
    async website(tenant, company_id, name) {
      const domain = await tenant.owner.post("/domains", { company_id, name });
      const site = await tenant.owner.post("/websites", { domain_id: domain.body.id });
      if (site.status !== 201) throw new Error(`no website: ${domain.text} ${site.text}`);
      return site.body.id;
    },
    async stop() {
      clock.restore();
      await service.stop();
    },
  };
}

/** A member with a selection of some clients. */
export async function restricted(tenant: Tenant, companyIds: string[], role: "admin" | "member" = "admin"): Promise<Caller> {
  const member = await tenant.member(role);
  await tenant.group(`Selection ${randomUUID().slice(0, 8)}`, companyIds, [member.membershipId]);
  return member;
}
