import type { Client } from "@modelcontextprotocol/client";
import { expect } from "chai";
import { jobsOf } from "../../../mixins/jobs.ts";
import { holdSchedules } from "../../support/jobs.ts";
import { mcpClient } from "../../support/mcp.ts";
import type { Caller } from "../../support/service.ts";
import { openStream } from "../../support/streams/stream.ts";
import { CLIENT, type MailPerson, type MailWorld, startMail } from "./mail-world.ts";

const MARKER = "zwaluwstaart";

interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  schema: { enum?: string[]; format?: string; type?: string };
}

describe("A message that waits is its owner's alone (contact moments §3, Privacy)", () => {
  let world: MailWorld;
  let ann: MailPerson;
  let company: string;
  let contact: string;
  let pending: string;
  let task: string;
  /** Every role that might see more, by its kind. */
  let others: Record<string, Caller>;
  before(async function () {
    this.timeout(180_000);
    world = await startMail();
    await jobsOf(world.service.node.broker).ready();
    await holdSchedules(world.service, "workspace.%");
    await world.begin();
    const { tenant, service } = world;
    company = (await tenant.company()).id;
    contact = await world.contact(CLIENT, [company]);
    ann = await world.colleague();
    const client = await tenant.member("client");
    await service.sql.query("update contacts set account_id = $2 where id = $1", [contact, client.accountId]);
    const key = await tenant.serviceAccount(["interactions.interaction.read", "interactions.interaction.read_all"]);
    others = {
      owner: tenant.owner,
      admin: await tenant.member("admin"),
      "a colleague": await tenant.member("member"),
      "a colleague who reads the moments of all": await tenant.member("member", {
        grants: ["interactions.interaction.read", "interactions.interaction.read_all", "interactions.interaction.review"],
      }),
      "the client's login": client,
      "a service account": key,
    };
    world.deliver(ann, { from: CLIENT, subject: `Offer ${MARKER}`, snippet: `first words ${MARKER}` });
    expect((await world.poll(ann)).body.logged).to.equal(1);
    pending = (await world.moments(ann.caller))[0]?.["id"] as string;
    task = (await tenant.owner.post("/tasks", { title: "A task", company_id: company })).body.id;
    // Filed to a task, so that every view of a task's or client's records would show it.
    const { status } = await ann.caller.post(`/interactions/${pending}/remap`, { task_id: task });
    expect(status).to.equal(200);
  });
  after(() => world.stop());

  const names = (text: string) => text.includes(MARKER) || text.includes(pending);
  const values: Record<string, () => string> = {
    interaction_id: () => pending,
    company_id: () => company,
    contact_id: () => contact,
    task_id: () => task,
    entity_id: () => pending,
    owner_user_id: () => ann.caller.accountId,
    user_id: () => ann.caller.accountId,
    q: () => MARKER,
    entity_type: () => "interaction",
    entity: () => "companies",
    date_from: () => "2026-01-01",
    date_to: () => "2026-12-31",
  };
  const textFor = ({ name, schema }: Parameter): string =>
    values[name]?.() ?? schema.enum?.[0] ?? (schema.format === "uuid" ? pending : schema.type === "integer" ? "1" : MARKER);

  /** Every GET of the document, with the parameters that it must have, and with each it may have by which something could be found. */
  async function reads(): Promise<string[]> {
    const { tenant, service } = world;
    const { body } = await service.call("GET", "//api/openapi.json", { host: tenant.host, key: tenant.owner.key });
    return Object.entries(body.paths as Record<string, { get?: { parameters?: Parameter[]; responses: object } }>).flatMap(
      ([path, { get }]) => {
        if (!get || path.includes("stream")) return [];
        const all = get.parameters ?? [];
        const target = all
          .filter((one) => one.in === "path")
          .reduce((made, one) => made.replace(`{${one.name}}`, textFor(one)), path)
          .replace(/^\/api\/v1/, "");
        const query = (chosen: Parameter[]) =>
          new URLSearchParams(chosen.map((one): [string, string] => [one.name, textFor(one)])).toString();
        const needed = all.filter((one) => one.in === "query" && one.required);
        const finding = all.filter(
          ({ name, in: where }) => where === "query" && !needed.some((one) => one.name === name) && name in values,
        );
        return [needed, ...finding.map((one) => [...needed, one])].map((chosen) =>
          chosen.length === 0 ? target : `${target}?${query(chosen)}`,
        );
      },
    );
  }

  it("in every read there is, asked for by every role", async function () {
    this.timeout(300_000);
    const targets = await reads();
    expect(targets.length).to.be.greaterThan(300);
    expect(targets.filter((target) => target.startsWith("/interactions")).length).to.be.greaterThan(8);
    const seen: string[] = [];
    let answered = 0;
    for (const [who, caller] of Object.entries(others))
      for (const target of targets) {
        const { status, text, headers } = await caller.get(target);
        if (status === 200) answered += 1;
        // A 422 or an echo repeats the request; only found records reveal anything.
        if (status < 300 && names(text.replaceAll(target, "")) && !/^\/(activity|files|notifications)/.test(target))
          seen.push(`${who}: ${target}`);
        if (status < 300 && /^\/(activity|files|notifications)/.test(target) && names(text)) seen.push(`${who}: ${target}`);
        if (names(`${headers["link"] ?? ""}`)) seen.push(`${who}: Link of ${target}`);
      }
    expect(seen).to.deep.equal([]);
    expect(answered).to.be.greaterThan(300);
  });

  it("is found by its owner in the same reads", async () => {
    const found: string[] = [];
    for (const target of await reads()) {
      const { status, text } = await ann.caller.get(target);
      if (status === 200 && names(text)) found.push(target.split("?")[0] as string);
    }
    expect([...new Set(found)]).to.include.members(["/interactions", `/interactions/${pending}`, "/notifications"]);
  });

  it("in writes: nobody else can change, decide on, delete or attach to it, or learn that it exists", async () => {
    for (const [who, caller] of Object.entries(others)) {
      const unknown = crypto.randomUUID();
      const asked = async (id: string) => [
        ...(await Promise.all([
          caller.patch(`/interactions/${id}`, { subject: "x" }),
          caller.delete(`/interactions/${id}`),
          caller.post(`/interactions/${id}/approve`, {}),
          caller.post(`/interactions/${id}/remap`, {}),
          caller.post(`/interactions/${id}/reject`, {}),
          caller.post("/interactions/review/approve", { ids: [id] }),
          caller.post("/bulk/interaction/delete", { ids: [id] }),
          caller.patch(`/tasks/${task}`, { closing_interaction_id: id }),
        ])),
      ];
      const reported = (answers: { status: number; text: string }[], id: string) =>
        answers.map(({ status, text }) => [status, text.replaceAll(id, "").replaceAll(/"request_id":"[^"]*"/g, "")]);
      expect(reported(await asked(pending), pending), who).to.deep.equal(reported(await asked(unknown), unknown));
    }
    expect((await ann.caller.get(`/interactions/${pending}`)).body.status).to.equal("pending");
  });

  it("in tools of assistants (MCP)", async () => {
    const clients: Client[] = [];
    try {
      for (const caller of [world.tenant.owner, others["a colleague"] as Caller]) {
        const client = await mcpClient(world.service.port, { host: world.tenant.host, key: caller.key });
        clients.push(client);
        for (const args of [
          { q: MARKER },
          { company_id: company },
          { status: "pending" },
          { owner_user_id: ann.caller.accountId },
        ]) {
          const given = await client.callTool({
            name: "read_tool",
            arguments: { operation: "interactionsList", arguments: args },
          });
          expect(JSON.stringify(given.structuredContent ?? given.content)).not.to.contain(pending);
        }
      }
    } finally {
      for (const client of clients) await client.close();
    }
  });

  it("in the stream of notifications, which notifies its owner alone", async () => {
    const open = ({ key }: Caller) =>
      openStream(world.service.port, "GET", "/notifications/stream", { host: world.tenant.host, key });
    const [hers, theirs] = [await open(ann.caller), await open(others["a colleague"] as Caller)];
    try {
      await Promise.all([hers.upTo(1), theirs.upTo(1)]);
      world.deliver(ann, { from: CLIENT, subject: `Second ${MARKER}` });
      await world.poll(ann);
      await hers.upTo(3);
      expect(JSON.stringify(hers.events)).to.contain(`Second ${MARKER}`);
      expect(JSON.stringify(theirs.events)).not.to.contain(MARKER);
    } finally {
      hers.close();
      theirs.close();
    }
  });

  it("in events: no webhook can choose it or its refusal, and nothing of it is recorded for one", async () => {
    const { owner } = world.tenant;
    const { body } = await owner.get("/webhooks/events");
    const known = body.map(({ name }: { name: string }) => name);
    expect(known).to.include("interaction.approved");
    for (const event of ["interactions.email_pending", "interaction.rejected"]) {
      expect(known).not.to.include(event);
      const refused = await owner.post("/webhooks/endpoints", { name: "x", url: "https://1.1.1.1/", events: [event] });
      expect([event, refused.status, refused.body.error.fields]).to.deep.equal([
        event,
        422,
        { events: "errors.webhook_unknown_event" },
      ]);
    }
    // A member who had chosen them before they were withheld.
    await world.service.sql.query(
      `insert into webhook_endpoints (id, organisation_id, name, url, secret, events)
       select gen_random_uuid(), $1, 'old', 'https://example.com/', coalesce((select secret from webhook_endpoints limit 1), 'v1.00000000.x'),
              '{interactions.email_pending,interaction.rejected}'`,
      [world.tenant.organisation.id],
    );
    world.deliver(ann, { from: CLIENT, subject: `Third ${MARKER}` });
    await world.poll(ann);
    const third = (await world.moments(ann.caller, `&q=third`))[0] as { id: string };
    expect((await ann.caller.post(`/interactions/${third.id}/reject`, {})).status).to.equal(204);
    const { rows } = await world.service.sql.query("select event from webhook_deliveries where organisation_id = $1", [
      world.tenant.organisation.id,
    ]);
    expect(rows).to.deep.equal([]);
  });

  it("leaves no line in any trail, not even when its owner deletes it", async () => {
    world.deliver(ann, { from: CLIENT, subject: `Fourth ${MARKER}` });
    await world.poll(ann);
    const fourth = (await world.moments(ann.caller, `&q=fourth`))[0] as { id: string };
    expect((await ann.caller.delete(`/interactions/${fourth.id}`)).status).to.equal(204);
    const { rows } = await world.service.sql.query("select action from activity where entity_id = $1 or payload::text like $2", [
      fourth.id,
      `%${MARKER}%`,
    ]);
    expect(rows).to.deep.equal([]);
  });

  it("reveals nothing of the waiting message to a colleague with the same message", async () => {
    const bob = await world.colleague();
    const messageId = "<both@client.example>";
    world.deliver(ann, { from: CLIENT, to: "list@lists.example", messageId, subject: `Fifth ${MARKER}` });
    await world.poll(ann);
    const his = world.deliver(bob, { from: CLIENT, to: "list@lists.example", messageId });
    const look = async () =>
      (await bob.caller.get(`/workspace/mail/lookup?reference=${his.id}`)).body.messages[0] as Record<string, unknown>;
    expect(await look()).to.deep.include({ logged: false, interaction_id: null, skip_reason: null, never_offered: true });
    // What he logs himself makes the waiting one a second one, which gives way to it.
    const imported = await bob.caller.post("/workspace/mail/import", { message_id: his.id });
    expect(imported.status).to.equal(201);
    const hers = (await world.moments(ann.caller, `&status=pending&q=fifth`))[0] as { id: string };
    const { status, body } = await ann.caller.post(`/interactions/${hers.id}/approve`, {});
    expect([status, body.id]).to.deep.equal([200, imported.body.interaction_id]);
    expect((await ann.caller.get(`/interactions/${hers.id}`)).status).to.equal(404);
  });
});
