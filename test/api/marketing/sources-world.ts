import { randomUUID } from "node:crypto";
import { columns } from "../../../core/database/model.ts";
import { queryOne } from "../../../core/database/query.ts";
import { seal } from "../../../core/database/sealed.ts";
import { action } from "../../../core/declare/action.ts";
import { prepared, request } from "../../../core/request/context.ts";
import { optional, Type, text, uuid } from "../../../core/schema/schema.ts";
import { statement } from "../../../core/sql/statement.ts";
import { MarketingLink, type MarketingLinkRow } from "../../../integrations/marketing/models.ts";
import { sources } from "../../../integrations/marketing/sources/registry.ts";
import { type SourceAccess, SourceFailure } from "../../../integrations/marketing/sources/source.ts";
import { inRequest } from "../../../mixins/google/transactions.ts";
import { service } from "../../../mixins/resource.ts";
import { RankmathSimulator } from "../../simulators/rankmath.ts";
import { SerankingSimulator } from "../../simulators/seranking.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

const LINK = statement(`select ${columns(MarketingLink)} from marketing_links where organisation_id = $1 and id = $2`);

async function outcome({ link_id, call, from, to }: { link_id: string; call: string; from: string; to: string }) {
  const link = (await queryOne<MarketingLinkRow>(LINK, [request().organisation.id, link_id])) as MarketingLinkRow;
  const calls = await sources.get(link.source)?.calls();
  const access: SourceAccess = { transactions: inRequest, connectionId: link.connection_id, websiteId: link.website_id };
  const span = { from, to };
  try {
    if (call === "accounts") return await calls?.accounts(access);
    if (call === "days") return await calls?.days(access, link, span);
    const rules = { limit: 25, min_impressions: 10, max_position: 25 };
    return await calls?.rankings?.(access, link, { current: span, previous: span }, rules);
  } catch (error) {
    if (error instanceof SourceFailure) return { failure: error.key };
    throw error;
  }
}

/** Reads the source of a link as jobs and the picker do, for tests of its answers. */
const probe = service("probe.sources", {
  actions: {
    read: action({
      rest: "GET /probe/sources",
      summary: "Ask the source of a link",
      permission: "marketing.link.manage",
      query: { link_id: uuid(), call: text(20), from: optional(text(10)), to: optional(text(10)) },
      returns: Type.Unknown(),
      prepare: ({ params: { link_id, call, from = "2026-01-01", to = "2026-12-31" } }) => outcome({ link_id, call, from, to }),
      handler: async () => prepared(),
    }),
  },
});

/** A link, and the client and website it belongs to. */
export interface LinkedSource {
  id: string;
  companyId: string;
  websiteId: string | null;
}

/** The service with a simulated SE Ranking and a simulated WordPress site. */
export interface SourcesWorld {
  service: TestService;
  seranking: SerankingSimulator;
  site: RankmathSimulator;
  /** Stores a key of SE Ranking, which its simulator knows. */
  keyed(tenant: Tenant, key?: string): Promise<string>;
  /** Writes a website of a client. */
  website(tenant: Tenant, companyId: string): Promise<string>;
  /** Writes a link; by default of a new client. */
  link(tenant: Tenant, source: string, values?: Record<string, unknown>): Promise<LinkedSource>;
  /** Writes how a client's figures are shown. */
  settings(tenant: Tenant, companyId: string, values: Record<string, unknown>): Promise<void>;
  /** A source's answer for a link, or `{failure}`. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  ask(tenant: Tenant, link: LinkedSource, call: "accounts" | "days" | "rankings", from?: string, to?: string): Promise<any>;
  stop(): Promise<void>;
}

let counter = 0;

export async function startSources(environment: Record<string, string> = {}): Promise<SourcesWorld> {
  const [seranking, site] = [new SerankingSimulator(), new RankmathSimulator()];
  await Promise.all([seranking.start(), site.start()]);
  const ranges = { SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.0/8" };
  const running = await startService({ ...seranking.environment, ...ranges, ...environment }, [probe]);
  const { sql } = running;
  const insert = async (table: string, values: Record<string, unknown>): Promise<string> => {
    const row: Record<string, unknown> = { id: randomUUID(), ...values };
    const names = Object.keys(row);
    const slots = names.map((_, index) => `$${index + 1}`);
    await sql.query(`insert into ${table} (${names.join(", ")}) values (${slots.join(", ")})`, Object.values(row));
    return row["id"] as string;
  };
  const website = async ({ organisation }: Tenant, companyId: string): Promise<string> => {
    const name = `site${++counter}.example`;
    const organisation_id = organisation.id;
    const domain = { organisation_id, company_id: companyId, name, label: name, tld: "example", start_date: "2026-01-01" };
    return insert("websites", { organisation_id, domain_id: await insert("domains", domain) });
  };
  return {
    service: running,
    seranking,
    site,
    website,
    async keyed(tenant, key = `key${++counter}-0123456789abcdef`) {
      seranking.keys.add(key);
      const [id, organisation] = [randomUUID(), tenant.organisation.id];
      const sealed = seal(key, { table: "marketing_settings", column: "seranking_api_key", organisation, row: id });
      await insert("marketing_settings", { id, organisation_id: organisation, seranking_api_key: sealed });
      return key;
    },
    async link(tenant, source, values = {}) {
      const companyId = (values["company_id"] as string | undefined) ?? (await tenant.company()).id;
      const id = await insert("marketing_links", {
        organisation_id: tenant.organisation.id,
        company_id: companyId,
        source,
        external_id: `account${++counter}`,
        display_name: `Account ${counter}`,
        ...values,
      });
      return { id, companyId, websiteId: (values["website_id"] as string | undefined) ?? null };
    },
    async settings(tenant, companyId, { layout, rankings, ...values }) {
      await insert("marketing_company_settings", {
        organisation_id: tenant.organisation.id,
        company_id: companyId,
        layout: layout === undefined ? null : JSON.stringify(layout),
        rankings: rankings === undefined ? null : JSON.stringify(rankings),
        ...values,
      });
    },
    async ask(tenant, { id }, call, from = "2026-01-01", to = "2026-12-31") {
      const answer = await tenant.owner.get(`/probe/sources?link_id=${id}&call=${call}&from=${from}&to=${to}`);
      if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`);
      return answer.body;
    },
    async stop() {
      await running.stop();
      await Promise.all([seranking.stop(), site.stop()]);
    },
  };
}
