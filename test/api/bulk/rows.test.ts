import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { eventsAbout } from "../../support/answers.ts";
import type { Caller, Tenant, TestService } from "../../support/service.ts";
import { type Body, behind, bodyOf, makeStatus } from "../work/tasks/task-records.ts";
import { bulkService, expectDone, expectRefused, Records, remove, update } from "./bulk-records.ts";

describe("POST /bulk/<entity>/update and /delete: rows", () => {
  let service: TestService;
  let tenant: Tenant;
  let records: Records;
  before(async () => {
    service = await bulkService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    records = new Records(service, tenant);
  });
  after(() => service.stop());

  const tasks = (count: number, values: Record<string, unknown> = {}) => records.ids("task", count, values);
  const fieldOf = async (id: string, field: string) => (await records.read("task", id))[field];
  const eventsOf = async (id: string) => (await eventsAbout(service, id)).map(({ event }) => event);

  it("does the worked example of platform §10", async () => {
    const member = await tenant.member("member");
    const [mine, mineToo] = await tasks(2, { assignee_user_id: member.accountId });
    const [colleagues] = await tasks(1);
    const missing = randomUUID();
    const ids = [mine, colleagues, mine, missing, mineToo] as string[];
    expectDone(await update(member, "task", ids, { priority: "low" }), 2, [
      [missing, "errors.not_found"],
      [colleagues as string, "errors.forbidden"],
    ]);
    expect(await Promise.all([mine, mineToo, colleagues].map((id) => fieldOf(id as string, "priority")))).to.deep.equal([
      "low",
      "low",
      "normal",
    ]);
    expectRefused(await update(member, "task", ids, { priority: "urgent" }), { priority: "impex.errors.invalid_option" });
    expect(await fieldOf(mine as string, "priority")).to.equal("low");
  });

  it("counts an id once, however it is written, and names failures as they were sent", async () => {
    const [id] = (await tasks(1)) as [string];
    const missing = randomUUID().toUpperCase();
    const answer = await update(tenant.owner, "task", [missing, id.toUpperCase(), id, missing.toLowerCase()], {
      priority: "high",
    });
    expectDone(answer, 1, [[missing, "errors.not_found"]]);
    expect(await records.trail("task", id)).to.deep.equal(["created", "updated"]);
  });

  it("lists ids that are not there first, then refused rows, each in the order sent", async () => {
    const late = await tasks(2, { due_date: "2026-01-10" });
    const [missing, other] = [randomUUID(), randomUUID()];
    const [fine] = await tasks(1);
    const sent = [late[1], missing, fine, late[0], other] as string[];
    expectDone(await update(tenant.owner, "task", sent, { due_date: "2026-02-10" }), 1, [
      [missing, "errors.not_found"],
      [other, "errors.not_found"],
      [late[1] as string, "errors.due_reason_required"],
      [late[0] as string, "errors.due_reason_required"],
    ]);
  });

  it("answers 200 when everything failed", async () => {
    const ids = [randomUUID(), randomUUID()];
    expectDone(
      await remove(tenant.owner, "task", ids),
      0,
      ids.map((id) => [id, "errors.not_found"]),
    );
  });

  it("refuses each row, not the call, for a status the organisation does not have", async () => {
    const ids = await tasks(2);
    const failed = ids.map((id): [string, string] => [id, "errors.validation"]);
    expectDone(await update(tenant.owner, "task", ids, { status: "no_such" }), 0, failed);
    expectDone(await update(tenant.owner, "task", ids, { status: "x".repeat(300) }), 0, failed);
  });

  it("reports the key of the field: a status that wants a closing moment", async () => {
    await makeStatus(tenant, { requires_interaction: true });
    const ids = await tasks(2);
    const failed = ids.map((id): [string, string] => [id, "errors.tasks_closing_interaction_required"]);
    expectDone(await update(tenant.owner, "task", ids, { status: "review" }), 0, failed);
  });

  it("keeps nothing of a refused row: no change, no line, no event; its neighbours stay", async () => {
    const [before, late, after] = [...(await tasks(1)), ...(await tasks(1, { due_date: "2026-01-10" })), ...(await tasks(1))] as [
      string,
      string,
      string,
    ];
    const values = { status: "done", due_date: "2026-02-10" };
    expectDone(await update(tenant.owner, "task", [before, late, after], values), 2, [[late, "errors.due_reason_required"]]);
    for (const id of [before, after]) {
      expect(await records.trail("task", id)).to.deep.equal(["created", "status_changed", "updated"]);
      expect(await eventsOf(id)).to.include("task.status_changed");
    }
    expect(await records.trail("task", late)).to.deep.equal(["created"]);
    expect(await eventsOf(late)).to.not.include("task.status_changed");
    expect(await records.read("task", late)).to.include({ status: "open", due_date: "2026-01-10" });
  });

  it("undoes a row's earlier writes when its last write fails, and reports each row's own reason", async () => {
    const [first, second, third] = (await records.ids("company", 3)) as [string, string, string];
    // The database's refusal shows only when the row's writes are sent.
    await service.sql.query(
      `create or replace function refuse_company() returns trigger language plpgsql as $$ begin
         if new.id = '${first}' then raise unique_violation using constraint = 'companies_taken'; end if;
         if new.id = '${second}' then raise foreign_key_violation using constraint = 'tasks_company_fkey'; end if;
         return null; end $$;
       create or replace trigger refuses after update on companies for each row execute function refuse_company()`,
    );
    try {
      expectDone(await update(tenant.owner, "company", [first, third, second], { status: "archived" }), 1, [
        [first, "errors.conflict"],
        [second, "errors.not_found"],
      ]);
    } finally {
      await service.sql.query("drop trigger refuses on companies; drop function refuse_company()");
    }
    const statuses = await Promise.all([first, second, third].map(async (id) => (await records.read("company", id)).status));
    expect(statuses).to.deep.equal(["active", "active", "archived"]);
    for (const id of [first, second])
      expect([await records.trail("company", id), await eventsOf(id)]).to.deep.equal([["created"], ["company.created"]]);
  });

  it("fires each event once per real change, and none if the value is unchanged", async () => {
    const ids = await tasks(2);
    expectDone(await update(tenant.owner, "task", ids, { status: "in_progress" }), 2);
    expectDone(await update(tenant.owner, "task", ids, { status: "in_progress" }), 2);
    for (const id of ids) {
      expect((await eventsOf(id)).filter((event) => event === "task.status_changed")).to.have.length(1);
      expect((await records.trail("task", id)).filter((action) => action === "status_changed")).to.have.length(1);
    }
  });

  it("finishes recurring tasks as one update does: each makes its next occurrence", async () => {
    const recurrence = { freq: "weekly", mode: "after_completion" };
    const ids = await tasks(2, { recurrence, due_date: "2026-01-05", title: "Water the plants" });
    expectDone(await update(tenant.owner, "task", ids, { status: "done" }), 2);
    const { items } = bodyOf(await tenant.owner.get("/tasks?status=open&limit=200"));
    expect(items.map(({ title }: Body) => title)).to.deep.equal(["Water the plants", "Water the plants"]);
  });

  it("activates agreements for the first time with what follows from it, once", async () => {
    const ids = await records.ids("subscription", 2, { status: "draft" });
    expectDone(await update(tenant.owner, "subscription", ids, { status: "active" }), 2);
    expectDone(await update(tenant.owner, "subscription", ids, { status: "paused" }), 2);
    expectDone(await update(tenant.owner, "subscription", ids, { status: "active" }), 2);
    for (const id of ids) {
      expect((await eventsOf(id)).filter((event) => event === "subscription.activated")).to.have.length(1);
      expect((await records.read("subscription", id)).next_invoice_date).to.match(/^\d{4}-/);
    }
  });

  it("deletes for good, row by row", async () => {
    const ids = await records.ids("project", 2);
    const missing = randomUUID();
    expectDone(await remove(tenant.owner, "project", [missing, ...ids]), 2, [[missing, "errors.not_found"]]);
    for (const id of ids) expect(await records.isThere("project", id)).to.equal(false);
  });

  it("deletes drafts of invoices alone", async () => {
    const money = await records.money();
    const [draft, issued] = [await money.draft(), await money.issued()];
    expectDone(await remove(tenant.owner, "invoice", [issued.id, draft.id]), 1, [[issued.id, "errors.invoicing.not_draft"]]);
    expect([await records.isThere("invoice", draft.id), await records.isThere("invoice", issued.id)]).to.deep.equal([
      false,
      true,
    ]);
  });

  it("keeps a client with an issued invoice, and deletes the others", async () => {
    const money = await records.money();
    await money.issued();
    const other = (await records.company()).id;
    expectDone(await remove(tenant.owner, "company", [money.company, other]), 1, [
      [money.company, "errors.companies.has_issued_invoices"],
    ]);
    expect([await records.isThere("company", money.company), await records.isThere("company", other)]).to.deep.equal([
      true,
      false,
    ]);
  });

  describe("contact moments", () => {
    /** Contact moments that are one conversation. */
    async function conversation(count: number, owner: Caller = tenant.owner): Promise<string[]> {
      const ids: string[] = [];
      for (let n = 0; n < count; n++)
        ids.push(bodyOf(await owner.post("/interactions", { kind: "call", subject: `Message ${n}` })).id);
      await service.sql.query("update interactions set conversation_id = $1 where id = any($2::uuid[])", [ids[0], ids]);
      return ids;
    }

    it("go with their conversation, which counts once; a second message of it is gone already", async () => {
      const [first, second, third] = (await conversation(3)) as [string, string, string];
      const [alone] = (await conversation(1)) as [string];
      expectDone(await remove(tenant.owner, "interaction", [second, alone]), 2);
      for (const id of [first, second, third, alone]) expect(await records.isThere("interaction", id)).to.equal(false);
      const [one, two] = (await conversation(2)) as [string, string];
      expectDone(await remove(tenant.owner, "interaction", [two, one]), 1, [[one, "errors.not_found"]]);
    });

    it("of a colleague stay, and so does a conversation with one of them, for `:own`", async () => {
      const member = await tenant.member("member");
      const [theirs] = (await conversation(1)) as [string];
      const [mine, ours] = (await conversation(2, member)) as [string, string];
      await service.sql.query("update interactions set owner_account_id = $1 where id = $2", [tenant.owner.accountId, ours]);
      const [own] = (await conversation(1, member)) as [string];
      expectDone(await remove(member, "interaction", [theirs, mine, own]), 1, [
        [theirs, "errors.not_found"],
        [mine, "errors.not_found"],
      ]);
      for (const id of [theirs, mine, ours]) expect(await records.isThere("interaction", id)).to.equal(true);
    });
  });

  describe("Idempotency-Key", () => {
    const keyed = (key: string) => ({ "Idempotency-Key": key });

    it("answers a repeated delete as the first one, and does nothing again", async () => {
      const ids = [...(await tasks(2)), randomUUID()];
      const key = keyed(randomUUID());
      const [first, again] = [await remove(tenant.owner, "task", ids, key), await remove(tenant.owner, "task", ids, key)];
      expectDone(first, 2, [[ids[2] as string, "errors.not_found"]]);
      expect([again.text, again.headers["idempotent-replayed"]]).to.deep.equal([first.text, "true"]);
      const other = await remove(tenant.owner, "task", ids.slice(1), key);
      expect([other.status, other.body.error.code]).to.deep.equal([409, "idempotency_conflict"]);
    });

    it("has twins at one time do the rows once", async () => {
      const ids = await tasks(5);
      const key = keyed(randomUUID());
      const answers = await Promise.all([1, 2, 3].map(() => remove(tenant.owner, "task", ids, key)));
      for (const answer of answers) expectDone(answer, 5);
    });

    it("leaves nothing behind of a call that broke down half-way, so that a repeat does all of it", async () => {
      const ids = await tasks(4);
      const key = keyed(randomUUID());
      await service.sql.query(
        `create or replace function break_down() returns trigger language plpgsql as
           $$ begin if old.id = '${ids[2]}' then raise exception 'disk' using errcode = '58030'; end if; return old; end $$;
         create or replace trigger breaks before delete on tasks for each row execute function break_down()`,
      );
      try {
        expect((await remove(tenant.owner, "task", ids, key)).status).to.equal(500);
      } finally {
        await service.sql.query("drop trigger breaks on tasks; drop function break_down()");
      }
      for (const id of ids) expect(await records.isThere("task", id)).to.equal(true);
      expectDone(await remove(tenant.owner, "task", ids, key), 4);
    });
  });

  it("starts again when a status is deleted while the rows are written, and then reports that there is none", async () => {
    const ids = await tasks(2);
    const going: [string, unknown[]] = [
      "delete from task_statuses where organisation_id = $1 and key = 'in_progress'",
      [tenant.organisation.id],
    ];
    const answer = await behind(service, [going], () => update(tenant.owner, "task", ids, { status: "in_progress" }));
    expectDone(
      answer,
      0,
      ids.map((id) => [id, "errors.validation"]),
    );
  });

  it("does two calls about the same rows in opposite orders one after the other", async () => {
    const ids = await tasks(20);
    const answers = await Promise.all(
      [ids, ids.toReversed(), ids].map((sent, n) =>
        update(tenant.owner, "task", sent, { priority: ["low", "normal", "high"][n], due_date: `2026-0${n + 1}-01` }),
      ),
    );
    for (const { status } of answers) expect(status).to.equal(200);
    const found = new Set<string>();
    for (const id of ids) found.add(`${await fieldOf(id, "priority")} ${await fieldOf(id, "due_date")}`);
    expect([...found]).to.have.length(1);
  });

  it("costs a number of statements that a row's share bounds", async () => {
    const cost = async (count: number, values: object): Promise<number> => {
      const ids = await tasks(count);
      const { status, statements } = await update(tenant.owner, "task", ids, values);
      expect(status).to.equal(200);
      return statements;
    };
    for (const [values, each] of [
      [{ priority: "high" }, 7],
      [{ status: "in_progress", company: (await records.company()).name, project: (await records.make("project")).id }, 11],
    ] as const) {
      const [two, twelve] = [await cost(2, values), await cost(12, values)];
      expect(twelve - two, JSON.stringify(values)).to.be.at.most(10 * each);
    }
  });
});
