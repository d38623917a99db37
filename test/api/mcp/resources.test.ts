import type { Client } from "@modelcontextprotocol/client";
import { expect } from "chai";
import { promptRoads } from "../../../services/api/mcp/prompts.ts";
import { Routes } from "../../../services/api/routes.ts";
import { mcpClient, REVISIONS } from "../../support/mcp.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

const INVALID = -32602;

for (const revision of Object.keys(REVISIONS) as (keyof typeof REVISIONS)[])
  describe(`resources and prompts of /mcp, by the official client of ${revision}`, () => {
    let service: TestService;
    let tenant: Tenant;
    const clients: Client[] = [];
    const as = async ({ key }: Caller, path = "/mcp") => {
      const client = await mcpClient(service.port, { host: tenant.host, key, revision, path });
      clients.push(client);
      return client;
    };
    let client: Client;
    before(async () => {
      service = await sharedService();
      tenant = await service.tenant();
      client = await as(tenant.owner);
    });
    after(async () => {
      for (const one of clients) await one.close();
      await service.stop();
    });
    const textOf = async (uri: string, of = client) => {
      const { contents } = await of.readResource({ uri });
      expect(contents).to.have.length(1);
      expect(contents[0]).to.include({ uri, mimeType: "application/json" });
      return JSON.parse((contents[0] as { text: string }).text);
    };
    const refusalOf = (
      promise: Promise<unknown>,
    ): Promise<{ code: number; data?: { error: { code: string; fields?: object } } }> =>
      promise.then(
        () => expect.fail("it was answered"),
        (error) => error,
      );

    it("are records by their id, as HTTP answers them", async () => {
      const { resourceTemplates } = await client.listResourceTemplates();
      const templates = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
      expect(templates).to.include.members(["kantoor://companies/{company_id}", "kantoor://tasks/{task_id}"]);
      expect(templates).to.include("kantoor://invoicing/invoices/{invoice_id}");
      const { id } = await tenant.company({ name: "Zeilmakerij" });
      expect(await textOf(`kantoor://companies/${id}`)).to.deep.equal((await tenant.owner.get(`/companies/${id}`)).body);
    });

    it("are lists with their query", async () => {
      const { resources } = await client.listResources();
      const uris = resources.map(({ uri }) => uri);
      expect(uris).to.include.members(["kantoor://tasks/mine", "kantoor://companies"]);
      for (const uri of uris) await textOf(uri);
      await tenant.company({ name: `Mastmaker ${revision}` });
      const found = await textOf(`kantoor://companies?q=${encodeURIComponent(`mastmaker ${revision}`)}&limit=1`);
      expect(found.items).to.have.length(1);
    });

    it("are the caller's alone: another's rights, another area, what does not exist", async () => {
      const { id } = await tenant.company();
      const work = await as(tenant.owner, "/mcp/work");
      for (const [of, uri] of [
        [client, "kantoor://companies/00000000-0000-4000-8000-000000000000"],
        [client, "kantoor://nothing/at/all"],
        [client, "https://example.com/"],
        [client, "kantoor://user@companies"],
        [work, `kantoor://companies/${id}`],
      ] as const) {
        const { code, data } = await refusalOf(of.readResource({ uri }));
        expect([code, data?.error.code], uri).to.deep.equal([INVALID, "not_found"]);
      }
      const { data } = await refusalOf(client.readResource({ uri: "kantoor://companies?limit=many" }));
      expect(data?.error.fields).to.deep.equal({ limit: "errors.validation" });
    });

    it("offers the prompts whose operations the caller has, and names these", async () => {
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).to.include.members(["weekly_report", "invoices_of_the_month", "start_of_day"]);
      for (const { name, arguments: takes = [] } of prompts) {
        const values = Object.fromEntries(takes.filter((one) => one.required).map((one) => [one.name, "Zeilmakerij"]));
        const { messages } = await client.getPrompt({ name, arguments: values });
        const { text } = (messages[0] as (typeof messages)[number]).content as { text: string };
        expect(text, name)
          .to.match(/`[a-z][A-Za-z]+`/)
          .and.not.contain("undefined");
      }
      const clientLogin = await as(await tenant.member("client"));
      const { prompts: few } = await clientLogin.listPrompts();
      expect(few.map(({ name }) => name)).to.not.include("invoices_of_the_month");
      const { data } = await refusalOf(clientLogin.getPrompt({ name: "invoices_of_the_month", arguments: {} }));
      expect(data?.error.code).to.equal("not_found");
      expect((await (await as(tenant.owner, "/mcp/work")).listPrompts()).prompts.map(({ name }) => name)).to.deep.equal([
        "start_of_day",
        "hours_of_the_week",
      ]);
    });

    it("refuses a prompt's missing, unknown and long arguments by their name", async () => {
      for (const [args, fields] of [
        [{}, { client: "errors.validation" }],
        [{ client: "x".repeat(201) }, { client: "errors.validation" }],
        [{ client: "Zeilmakerij", colour: "red" }, { colour: "errors.validation" }],
      ] as const) {
        const { code, data } = await refusalOf(client.getPrompt({ name: "weekly_report", arguments: args }));
        expect([code, data?.error.fields]).to.deep.equal([INVALID, fields]);
      }
    });

    it("names roads that exist", () => {
      const routes = new Routes();
      routes.rebuild(service.node.broker);
      const roads = new Set(routes.declarations.map(({ rest }) => rest));
      expect(promptRoads().filter((road) => !roads.has(road))).to.deep.equal([]);
    });
  });
