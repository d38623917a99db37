import type { Client } from "@modelcontextprotocol/client";
import { expect } from "chai";
import { leavesOrganisation } from "../../../services/api/mcp/confirm.ts";
import { operationsOf } from "../../../services/api/mcp/operations.ts";
import { Routes } from "../../../services/api/routes.ts";
import { mcpClient, textsOf } from "../../support/mcp.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("a question to the person before what leaves the organisation", () => {
  let service: TestService;
  let tenant: Tenant;
  const clients: Client[] = [];
  const asked: string[] = [];
  const connect = async (answer?: "accept" | "decline" | "cancel") => {
    const { host, owner } = tenant;
    const client = await mcpClient(service.port, {
      ...{ host, key: owner.key },
      ...(answer && {
        answer: (message: string) => {
          asked.push(message);
          return answer;
        },
      }),
    });
    clients.push(client);
    return client;
  };
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  beforeEach(() => void asked.splice(0));
  after(async () => {
    for (const client of clients) await client.close();
    await service.stop();
  });
  const invite = (client: Client, email: string) =>
    client.callTool({
      name: "call_tool",
      arguments: { operation: "membersInvite", arguments: { body: { email, role: "member" } } },
    });
  const invited = async (email: string) =>
    (await service.sql.query("select 1 from accounts where email = $1", [email])).rows.length > 0;

  it("is put once, with what will happen, and the call runs after the person agreed", async () => {
    const client = await connect("accept");
    const result = await invite(client, "agreed@agency.test");
    expect(result.isError, textsOf(result).join()).to.not.equal(true);
    expect(asked).to.have.length(1);
    expect(asked[0]).to.contain("agreed@agency.test").and.to.contain("leaves your organisation");
    expect(await invited("agreed@agency.test")).to.equal(true);
  });

  for (const answer of ["decline", "cancel"] as const)
    it(`changes nothing after ${answer}`, async () => {
      const client = await connect(answer);
      const email = `${answer}@agency.test`;
      const result = await invite(client, email);
      expect([result.isError, textsOf(result)]).to.deep.equal([true, ["The person did not agree: nothing was sent or changed."]]);
      expect(await invited(email)).to.equal(false);
    });

  it("is not put by a client that cannot ask, for what stays inside, or for a call that is refused anyway", async () => {
    expect((await invite(await connect(), "unasked@agency.test")).isError).to.not.equal(true);
    const client = await connect("decline");
    const inside = { operation: "companiesCreate", arguments: { body: { name: "Inside" } } };
    expect((await client.callTool({ name: "call_tool", arguments: inside })).isError).to.not.equal(true);
    const member = await tenant.member("member");
    const narrow = await mcpClient(service.port, {
      host: tenant.host,
      key: member.key,
      answer: () => expect.fail("it was asked"),
    });
    clients.push(narrow);
    expect((await invite(narrow, "refused@agency.test")).structuredContent).to.deep.include({ status: 403 });
    expect(asked).to.deep.equal([]);
  });

  it("precedes these operations", () => {
    const routes = new Routes();
    routes.rebuild(service.node.broker);
    const all = [...operationsOf(routes.all).values()]
      .filter(leavesOrganisation)
      .map(({ route }) => String(route.declaration.rest));
    expect(all).to.include.members([
      "POST /members/invite",
      "POST /invoicing/invoices/:invoice_id/send",
      "POST /invoicing/invoices/:invoice_id/remind",
      "POST /invoicing/quotes/:quote_id/send",
      "POST /edge/zones/:zone_id/dns",
      "DELETE /edge/zones/:zone_id/dns/:record_id",
      "POST /registrar/domains/:domain_id/nameservers",
      "PATCH /ads-platform/accounts/:account_id/campaigns/:campaign_id",
    ]);
    expect(all.filter((road) => road.startsWith("GET ") || road.includes(" /ai/"))).to.deep.equal([]);
  });
});
