import type { Client } from "@modelcontextprotocol/client";
import { expect } from "chai";
import { given, mcpClient } from "../../support/mcp.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { storedReport } from "./report-world.ts";
import { ok, type Row } from "./reporting-world.ts";

type Name = "open" | "unpublished" | "internal" | "theirs" | "gone";

/** A word of each report: its title and its client's name have it. */
const WORDS: Record<Name, string> = {
  open: "alpaca",
  unpublished: "bever",
  internal: "chinchilla",
  theirs: "dromedaris",
  gone: "egel",
};
const NAMES = Object.keys(WORDS) as Name[];

describe('every door shows the same reports (workspace-reporting §1.5 "Visibility")', () => {
  let service: TestService;
  let tenant: Tenant;
  let callers: Record<string, { caller: Caller; sees: readonly Name[] }>;
  let ids: Record<Name, string>;
  let [mine, theirs]: string[] = [];
  const clients: Client[] = [];
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    [mine, theirs] = [(await tenant.company({ name: "Mine" })).id, (await tenant.company({ name: "Theirs" })).id];
    const stored = (name: Name, of: string | undefined, values: object = {}) =>
      storedReport(service, tenant, of ?? null, {
        title: `Rapportage ${WORDS[name]}`,
        company_name: `Klant ${WORDS[name]}`,
        period_start: `2025-0${NAMES.indexOf(name) + 1}-01`,
        warnings: JSON.stringify([{ code: "section_failed", detail: "x" }]),
        ...values,
      });
    const published = { published_at: "2026-02-05T08:00:00Z" };
    ids = {
      open: await stored("open", mine, published),
      unpublished: await stored("unpublished", mine),
      internal: await stored("internal", mine, { audience: "internal" }),
      theirs: await stored("theirs", theirs, published),
      gone: await stored("gone", undefined, published),
    };
    const restricted = await tenant.member("member");
    const login = await tenant.member("client", { name: "Client" });
    for (const { membershipId } of [restricted, login])
      await tenant.group(`group ${membershipId}`, [mine as string], [membershipId]);
    callers = {
      owner: { caller: tenant.owner, sees: NAMES },
      restricted: { caller: restricted, sees: ["open", "unpublished", "internal"] },
      reader: {
        caller: await tenant.member("member", { grants: ["reporting.report.read:any", "companies.company.read"] }),
        sees: ["open", "unpublished", "theirs", "gone"],
      },
      client: { caller: login, sees: ["open"] },
      stranger: { caller: await tenant.member("member", { grants: ["companies.company.read"] }), sees: [] },
    };
  });
  after(async () => {
    for (const client of clients) await client.close();
    await service.stop();
  });

  const named = (items: readonly Row[]): Name[] =>
    items.map(({ id }) => NAMES.find((name) => ids[name] === id) as Name).toSorted();
  const readers = () => Object.entries(callers).filter(([, { sees }]) => sees.length > 0);

  it("the search finds what the caller may see, by word, and counts nothing else", async () => {
    for (const [who, { caller, sees }] of readers()) {
      for (const name of NAMES) {
        const { items, total } = await ok(caller.get(`/reporting/reports?q=${WORDS[name]}`));
        const expected = sees.includes(name) ? [name] : [];
        expect([who, named(items), total]).to.deep.equal([who, expected, expected.length]);
      }
      // A word of all of them, and one page of one.
      const { items, total } = await ok(caller.get("/reporting/reports?q=klant&limit=1"));
      expect([who, items.length, total]).to.deep.equal([who, 1, sees.length]);
    }
    expect((await callers["stranger"]?.caller.get("/reporting/reports?q=alpaca"))?.status).to.equal(403);
  });

  it("totals are of what the caller may see, for every filter", async () => {
    for (const [who, { caller, sees }] of readers()) {
      const among = (...some: Name[]) => sees.filter((name) => some.includes(name)).length;
      for (const [query, expected] of [
        ["audience=internal", among("internal")],
        ["audience=client", among("open", "unpublished", "theirs", "gone")],
        [`company_id=${mine}`, among("open", "unpublished", "internal")],
        [`company_id=${theirs}`, among("theirs")],
        ["offset=100", sees.length],
        ["count=false", null],
      ] as const) {
        const { total } = await ok(caller.get(`/reporting/reports?${query}`));
        if (expected !== null) expect([who, query, total]).to.deep.equal([who, query, expected]);
      }
    }
  });

  it("an assistant lists, searches and reads the same over MCP, without warnings for a client", async () => {
    for (const [who, { caller, sees }] of readers()) {
      const client = await mcpClient(service.port, { host: tenant.host, key: caller.key });
      clients.push(client);
      const read = (operation: string, args: object) =>
        client.callTool({ name: "read_tool", arguments: { operation, arguments: args } });
      const { items, total } = given(await read("reportingReportsList", {}));
      expect([who, named(items), total]).to.deep.equal([who, sees.toSorted(), sees.length]);
      for (const name of NAMES) {
        expect([who, named(given(await read("reportingReportsList", { q: WORDS[name] })).items)]).to.deep.equal([
          who,
          sees.includes(name) ? [name] : [],
        ]);
        const { isError, structuredContent, ...one } = await read("reportingReportsGet", { report_id: ids[name] });
        if (sees.includes(name)) {
          expect(given(one)).to.include({ id: ids[name], warning_count: who === "client" ? 0 : 1 });
          continue;
        }
        expect([isError, (structuredContent as Row)["status"]], `${who} ${name}`).to.deep.equal([true, 404]);
        expect(JSON.stringify([one, structuredContent])).not.to.include(WORDS[name]);
      }
    }
  });

  it("the client's page counts the same, and says nothing to those who read no reports", async () => {
    for (const [who, { caller, sees }] of Object.entries(callers)) {
      const panels = await ok(caller.get(`/companies/${mine}/panels`));
      const panel = panels.find(({ key }: Row) => key === "reporting.reports");
      if (sees.length === 0) {
        expect(panel, who).to.equal(undefined);
        continue;
      }
      const expected = sees.filter((name) => ["open", "unpublished", "internal"].includes(name));
      expect([who, named(panel.data.items), panel.data.total]).to.deep.equal([who, expected.toSorted(), expected.length]);
    }
  });

  it("reports are no record of an export, a watch or the activity of notifications, which know no audience", async () => {
    const { owner } = tenant;
    for (const path of [
      `/notifications/activity?entity_type=report&entity_id=${ids.internal}`,
      `/notifications/watch?entity_type=report&entity_id=${ids.internal}`,
    ])
      expect((await owner.get(path)).status, path).to.equal(422);
    const { body } = await service.call("GET", "//api/openapi.json");
    const exports = Object.keys(body.paths).filter((path) => /export|impex|bulk/.test(path));
    expect(exports).to.have.length.greaterThan(2);
    expect(exports.filter((path) => /report/.test(path) && !/ads|marketing|^\/invoicing/.test(path))).to.deep.equal([]);
  });
});
