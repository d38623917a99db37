import type { Client } from "@modelcontextprotocol/client";
import { expect } from "chai";
import { storedGrants } from "../../../core/declare/permissions.ts";
import { nudgeOutbox } from "../../../core/jobs/outbox.ts";
import type { Declaration } from "../../../services/api/openapi/declaration.ts";
import { operationId } from "../../../services/api/openapi/operation-names.ts";
import { MATRIX_EVENTS } from "../../../services/notifications/preferences/event-kinds.ts";
import { CrossedWorld, MARKER } from "../../support/fixture/crossed-world.ts";
import {
  idParameters,
  isOpen,
  isWrite,
  longestPage,
  needsSession,
  type Operation,
} from "../../support/fixture/fixture-operations.ts";
import { prove } from "../../support/fixture/fixture-proof.ts";
import { type Credential, keyOf, startWorld, type World } from "../../support/fixture/fixture-world.ts";
import { until } from "../../support/jobs.ts";
import { mcpClient, textsOf } from "../../support/mcp.ts";
import { openStream, type Stream } from "../../support/streams/stream.ts";
import { prefer } from "../notifications/inbox-records.ts";
import { makeLogin, signedIn } from "../portal/portal.ts";

/** Characters in front of a marker that show its location. */
const BEFORE = 200;

describe("every operation of the document: names of records that the caller does not see", function () {
  this.timeout(600_000);
  let world: World;
  let crossed: CrossedWorld;
  let stream: Stream;
  let [asRestricted, asOwner] = [] as unknown as [Credential, Credential];
  let answers = 0;

  before(async () => {
    world = await startWorld({}, [], "run");
    crossed = new CrossedWorld(world);
    await crossed.fill();
    const { tenant, restricted } = crossed;
    [asRestricted, asOwner] = [keyOf(restricted, tenant), keyOf(tenant.owner, tenant)];
    stream = await openStream(world.service.port, "GET", "/notifications/stream", asRestricted);
    const at = { enabled: true, digest: "immediate" };
    const all = MATRIX_EVENTS.map((event_type) => ({ event_type, ...at }));
    await prefer(restricted, { events: all, email_events: all });
    await crossed.write();
  });
  after(async () => {
    stream?.close();
    await world.stop();
  });

  /** Every flag of a read once, with the longest page. */
  const questions = (operation: Operation): Record<string, string>[] => {
    const flags = operation.query.filter(({ name, schema }) => schema.type === "boolean" && name !== "count");
    return [{}, ...flags.map(({ name }) => ({ [name]: "true" }))].map((flag) => ({ ...longestPage(operation), ...flag }));
  };
  /** The error in a text that reached a caller. */
  const leak = (what: string, text: string): string[] => {
    answers += 1;
    const at = text.indexOf(MARKER);
    return at < 0 ? [] : [`${what}: ${text.slice(Math.max(0, at - BEFORE), at + MARKER.length)}`];
  };
  const isFor = (operation: Operation) => !isOpen(operation) && !needsSession(operation);
  const reads = () => world.operations.filter((one) => isFor(one) && !isWrite(one) && one.declared.streams === undefined);

  it("records refer to each other in every way there is", () => {
    const kinds = (all: readonly string[]) => new Set(all).size;
    expect(kinds(crossed.crossings.map(({ table, column }) => `${table}.${column}`)), "references by SQL").to.be.greaterThan(40);
    expect(kinds(crossed.written), "references by a write of the API").to.be.greaterThan(50);
  });

  it("are in no answer to restricted staff; the owner reads them", async () => {
    let bites = 0;
    const check = async (operation: Operation) => {
      const wrong: string[] = [];
      for (const rows of await crossed.rowsFor(operation)) {
        for (const query of questions(operation)) {
          const answer = await world.call(operation, asRestricted, { rows, query });
          if (answer.status >= 500) wrong.push(`${answer.status} ${answer.text}`);
          wrong.push(...leak(JSON.stringify({ rows, query }), answer.text));
        }
        const wide = await world.call(operation, asOwner, { rows, query: longestPage(operation) });
        if (wide.text.includes(MARKER)) bites += 1;
      }
      return wrong;
    };
    await prove("no name of a hidden record for restricted staff", reads(), check);
    expect(bites, "answers in which the owner reads a name").to.be.greaterThan(200);
  });

  it("are in no answer to a client login, also with every permission there is", async () => {
    const { service } = world;
    const grants = [...storedGrants()].filter((one) => !one.endsWith(":own"));
    await service.sql.query("update roles set permissions = $2 where organisation_id = $1 and key = 'client'", [
      crossed.tenant.organisation.id,
      grants,
    ]);
    await service.sql.query("update tasks set visible_to_client = true where organisation_id = $1", [
      crossed.tenant.organisation.id,
    ]);
    const { email } = await makeLogin(service, crossed.tenant, [crossed.seen.companyId]);
    const { cookie } = await signedIn(service, crossed.tenant, email);
    const check = async (operation: Operation) => {
      const wrong: string[] = [];
      for (const rows of await crossed.rowsFor(operation))
        for (const query of questions(operation)) {
          const answer = await world.call(operation, { cookie, host: crossed.tenant.host }, { rows, query });
          if (answer.status >= 500) wrong.push(`${answer.status} ${answer.text}`);
          wrong.push(...leak(JSON.stringify({ rows, query }), answer.text));
        }
      return wrong;
    };
    await prove("no name of a hidden record for a client login", reads(), check);
  });

  it("are in no answer to a write of restricted staff that changes nothing", async () => {
    const check = async (operation: Operation) => {
      const wrong: string[] = [];
      for (const rows of await crossed.rowsFor(operation))
        wrong.push(...leak(JSON.stringify(rows), (await world.call(operation, asRestricted, { rows, body: {} })).text));
      return wrong;
    };
    const changes = world.operations.filter((one) => isFor(one) && one.method === "PATCH" && idParameters(one).length > 0);
    await prove("no name of a hidden record in the answer of a change", changes, check);
  });

  it("are in no result of a tool of MCP clients", async () => {
    const { port } = world.service;
    const client = await mcpClient(port, { host: crossed.tenant.host, key: crossed.restricted.key });
    try {
      await expectNoneInTools(client);
    } finally {
      await client.close();
    }
  });

  const expectNoneInTools = async (client: Client) => {
    const { tools } = await client.listTools();
    const wrong: string[] = [];
    const own = tools.filter(
      ({ name, annotations }) => annotations?.readOnlyHint && !["read_tool", "search_tools"].includes(name),
    );
    expect(own).to.not.deep.equal([]);
    for (const { name } of own) wrong.push(...leak(name, textsOf(await client.callTool({ name, arguments: {} })).join("\n")));
    let read = 0;
    for (const operation of reads()) {
      const [, first = {}, ...more] = await crossed.rowsFor(operation);
      for (const rows of [first, ...more.slice(0, 9)]) {
        const args = {
          operation: operationId(operation.declared as unknown as Declaration),
          arguments: { ...rows, ...longestNumbers(operation) },
        };
        const result = await client.callTool({ name: "read_tool", arguments: args });
        if (!result.isError) read += 1;
        wrong.push(...leak(operation.label, textsOf(result).join("\n")));
      }
    }
    expect(wrong.join("\n")).to.equal("");
    expect(read, "results that were no error").to.be.greaterThan(100);
  };
  const longestNumbers = (operation: Operation) =>
    Object.fromEntries(Object.entries(longestPage(operation)).map(([name, value]) => [name, Number(value)]));

  it("are in no event of the inbox's stream and in no mail", async () => {
    const { sql } = world.service;
    const { organisation } = crossed.tenant;
    await sql.query("update notification_deliveries set due_at = now() where organisation_id = $1 and status = 'pending'", [
      organisation.id,
    ]);
    await until(async () => {
      await sql.query("select schedule_due_deliveries()");
      nudgeOutbox();
      const { rows } = await sql.query(
        "select 1 from notification_deliveries where organisation_id = $1 and status in ('pending', 'sending') limit 1",
        [organisation.id],
      );
      return rows.length === 0;
    });
    const mails = world.mailbox.to(crossed.restricted.email);
    const wrong = [
      ...stream.events.flatMap((event) => leak(event.event, JSON.stringify(event))),
      ...mails.flatMap(({ raw, mail }) => leak("mail", `${mail.subject} ${mail.text} ${mail.html} ${raw}`)),
    ];
    expect(wrong.join("\n")).to.equal("");
    expect(stream.events.filter(({ event }) => event === "notification").length, "events of the stream").to.be.greaterThan(1);
    expect(mails.length, "mails").to.be.greaterThan(0);
    expect(answers, "answers that were looked at").to.be.greaterThan(3000);
  });
});
