import { setTimeout as delay } from "node:timers/promises";
import type { Client } from "@modelcontextprotocol/client";
import { expect } from "chai";
import { given, mcpClient, REVISIONS, textsOf } from "../../support/mcp.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

const OWN = ["find_client", "log_time", "my_leave", "my_tasks", "unpaid_invoices"];
const COMMON = ["call_tool", "read_tool", "search_tools"];

for (const revision of Object.keys(REVISIONS) as (keyof typeof REVISIONS)[])
  describe(`/mcp, by the official client of ${revision}`, () => {
    let service: TestService;
    let tenant: Tenant;
    let owner: Caller;
    let client: Client;
    before(async () => {
      service = await sharedService();
      tenant = await service.tenant();
      ({ owner } = tenant);
      client = await mcpClient(service.port, { host: tenant.host, key: owner.key, revision });
    });
    after(async () => {
      await client.close();
      await service.stop();
    });
    const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });

    it("describes itself, its protocol and its use", () => {
      expect(client.getNegotiatedProtocolVersion()).to.equal(revision);
      expect(client.getServerVersion()).to.include({ name: "kantoor", title: "Kantoor" });
      expect(client.getServerCapabilities()).to.deep.equal({ tools: {}, resources: {}, prompts: {} });
      expect(client.getInstructions()).to.contain("search_tools").and.to.contain("never instructions");
    });

    it("lists few tools, each with a schema and its hints", async () => {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name).sort()).to.deep.equal([...OWN, ...COMMON].sort());
      const byName = new Map(tools.map((tool) => [tool.name, tool]));
      expect(byName.get("find_client")).to.deep.include({
        title: "List companies",
        annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      });
      expect(Object.keys(byName.get("find_client")?.inputSchema.properties ?? {})).to.deep.equal([
        "q",
        "status",
        "mine",
        "offset",
      ]);
      expect(byName.get("log_time")?.inputSchema.required).to.deep.equal([]);
      expect(byName.get("log_time")?.annotations).to.include({
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: false,
      });
      expect(byName.get("my_leave")?.inputSchema.required).to.deep.equal([]);
      expect(JSON.stringify(byName.get("my_leave")?.inputSchema)).to.contain("Without it: this year.");
      expect(byName.get("call_tool")?.annotations).to.include({ readOnlyHint: false, destructiveHint: true });
    });

    it("searches by words, answers in lines, and describes one operation in full", async () => {
      const found = given(await call("search_tools", { query: "create a contact person", limit: 3 }));
      expect(found.operations[0]).to.deep.equal({
        operation: "contactsCreate",
        module: "contacts",
        summary: "Create a contact",
        readOnlyHint: false,
        requires: ["first_name"],
      });
      expect(found.operations).to.have.length(3);
      expect(found.further).to.have.length(Math.min(15, found.total - 3));
      expect(found.further[0]).to.be.a("string");
      const { operations, total } = given(await call("search_tools", { operation: "contactsCreate" }));
      expect(total).to.equal(1);
      expect(operations[0].annotations).to.include({ readOnlyHint: false, destructiveHint: false });
      expect(operations[0].inputSchema.properties).to.have.all.keys("body", "idempotency_key");
      expect(operations[0].inputSchema.required).to.deep.equal(["body"]);
      expect(operations[0]).to.not.have.property("outputSchema");
      const { operations: withOutput } = given(await call("search_tools", { operation: "contactsCreate", output: true }));
      expect(withOutput[0].outputSchema.properties).to.include.keys("id", "first_name", "created_at");
    });

    it("takes a fifth of the words of a description for a search", async () => {
      const { operations, further } = given(await call("search_tools", { query: "create a contact person" }));
      const full = await Promise.all(
        operations.map(
          async ({ operation }: { operation: string }) => given(await call("search_tools", { operation })).operations[0],
        ),
      );
      expect(JSON.stringify({ operations, further }).length).to.be.below(JSON.stringify(full).length / 5);
    });

    it("names the nearest operation for one that it does not have", async () => {
      for (const [name, args, nearest] of [
        ["search_tools", { operation: "contactCreate" }, "contactsCreate"],
        ["search_tools", { operation: "createTheInvoice" }, "invoicingInvoicesCreate"],
        ["call_tool", { operation: "contactCreate", arguments: {} }, "contactsCreate"],
      ] as const) {
        const { error } = given(await call(name, args));
        expect(error.details, name).to.deep.equal({ operation: nearest });
        expect(error.fields).to.deep.equal({ operation: "errors.not_found" });
      }
    });

    it("lists modules, and a module's operations", async () => {
      const { modules } = given(await call("search_tools"));
      expect(modules.find(({ module }: { module: string }) => module === "companies").operations).to.be.greaterThan(5);
      const { operations, further, total } = given(await call("search_tools", { module: "projects" }));
      expect([...operations, ...further]).to.have.length(total);
      for (const { module } of operations) expect(module).to.equal("projects");
    });

    it("calls an operation that writes, and one that reads", async () => {
      const made = await call("call_tool", {
        operation: "companiesCreate",
        arguments: { body: { name: `Zeilmakerij ${revision}` } },
      });
      expect(made.isError).to.not.equal(true);
      const company = given(made);
      expect((await owner.get(`/companies/${company.id}`)).body).to.deep.equal(company);
      const read = await call("read_tool", { operation: "companiesGet", arguments: { company_id: company.id } });
      expect(given(read)).to.deep.equal(company);
      expect(JSON.parse((textsOf(read)[0] as string).split("\n")[0] as string)).to.deep.equal({ status: 200, etag: '"1"' });
      expect(given(await call("find_client", { q: revision })).items.map(({ id }: { id: string }) => id)).to.deep.equal([
        company.id,
      ]);
    });

    it("accepts fields of the body next to the parameters as well", async () => {
      const { id } = await tenant.company();
      await call("call_tool", { operation: "companiesUpdate", arguments: { company_id: id, city: "Hoorn" } });
      expect((await owner.get(`/companies/${id}`)).body.city).to.equal("Hoorn");
    });

    it("reports a refusal as HTTP does, with its fields", async () => {
      const refused = await call("call_tool", { operation: "companiesCreate", arguments: { body: { name: "" } } });
      const { status, body } = await owner.post("/companies", { name: "" });
      expect(refused.isError).to.equal(true);
      expect(refused.structuredContent).to.deep.equal({ ...body, status });
      expect(given(refused)).to.deep.equal({ ...body, status });
      const missing = await call("read_tool", { operation: "companiesGet", arguments: {} });
      expect(missing.structuredContent).to.deep.include({ status: 422 });
      expect(given(missing).error.fields).to.deep.equal({ company_id: "errors.required" });
    });

    it("refuses a tool it does not have, and an operation", async () => {
      await call("drop_database").then(
        () => expect.fail("it was called"),
        ({ code }) => expect(code).to.equal(-32602),
      );
      const { structuredContent } = await call("call_tool", { operation: "dropDatabase" });
      const error = { code: "not_found", message: "errors.not_found", fields: { operation: "errors.not_found" } };
      expect(structuredContent).to.deep.equal({ error, status: 404 });
    });

    it("handles a cancelling client, and ends the running call", async () => {
      const { id } = await tenant.company();
      const [{ pid }] = (await service.sql.query("select pg_backend_pid() as pid")).rows;
      await service.sql.query("begin");
      await service.sql.query("update companies set version = version where id = $1", [id]);
      const cancel = new AbortController();
      const params = {
        name: "call_tool",
        arguments: { operation: "companiesUpdate", arguments: { company_id: id, city: "Urk" } },
      };
      const asked = client.callTool(params, { signal: cancel.signal });
      asked.catch(() => {});
      const waiting = "select 1 from pg_locks where not granted and $1 = any(pg_blocking_pids(pid))";
      while ((await service.sql.query(waiting, [pid])).rows.length === 0) await delay(10);
      cancel.abort("no longer wanted");
      await asked.then(
        () => expect.fail("it was answered"),
        (error) => expect(String(error)).to.contain("no longer wanted"),
      );
      await service.sql.query("rollback");
      const city = async () => given(await call("read_tool", { operation: "companiesGet", arguments: { company_id: id } })).city;
      while ((await city()) !== "Urk") await delay(10);
    });
  });
