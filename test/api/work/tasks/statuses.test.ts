import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { statementsDuring } from "../../../support/statement-log.ts";
import { bodyOf, expectRefusal, makeStatus, makeTask } from "./task-records.ts";

const SEEDED = [
  { key: "open", name: "Open", color: "sky", position: 0, is_terminal: false, is_default: true, requires_interaction: false },
  {
    key: "in_progress",
    name: "In behandeling",
    color: "amber",
    position: 1,
    is_terminal: false,
    is_default: false,
    requires_interaction: false,
  },
  { key: "done", name: "Klaar", color: "green", position: 2, is_terminal: true, is_default: false, requires_interaction: false },
];

describe("statuses of tasks", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const statuses = async (): Promise<Record<string, unknown>[]> => bodyOf(await tenant.owner.get("/tasks/statuses"));
  const keys = async () => (await statuses()).map(({ key }) => key);
  const idOf = async (wanted: string) => (await statuses()).find(({ key }) => key === wanted)?.["id"];
  const defaults = async () => (await statuses()).filter(({ is_default }) => is_default).map(({ key }) => key);

  describe("GET /tasks/statuses", () => {
    it("makes the three an organisation starts with, once, and shows them in order", async () => {
      const first = await statuses();
      expect(first.map(({ id, ...status }) => status)).to.deep.equal(SEEDED);
      expect(await statuses()).to.deep.equal(first);
    });

    it("makes them once for readers who come at the same moment", async () => {
      const answers = await Promise.all(Array.from({ length: 6 }, () => tenant.owner.get("/tasks/statuses")));
      const ids = answers.map((answer) => bodyOf(answer).map(({ id }: { id: string }) => id));
      expect(new Set(ids.map(String)).size).to.equal(1);
      expect(ids[0]).to.have.length(3);
    });

    it("makes them for the first reader, a client login too", async () => {
      const client = await tenant.member("client");
      expect(bodyOf(await client.get("/tasks/statuses"))).to.have.length(3);
    });

    it("orders by position, then key", async () => {
      await makeStatus(tenant, { key: "b", position: 1 });
      await makeStatus(tenant, { key: "a", position: 1 });
      expect(await keys()).to.deep.equal(["open", "a", "b", "in_progress", "done"]);
    });
  });

  for (const [what, need] of [
    ["a task", () => makeTask(tenant.owner)],
    ["a status of one's own", () => makeStatus(tenant, { key: "waiting", position: 9 })],
  ] as const)
    it(`are created on first use, ${what} included`, async () => {
      await need();
      const { rows } = await service.sql.query(
        "select key from task_statuses where organisation_id = $1 order by position, key",
        [tenant.organisation.id],
      );
      expect(rows.map(({ key }) => key).slice(0, 3)).to.deep.equal(["open", "in_progress", "done"]);
    });

  it("are made once when tasks are created at the same moment", async () => {
    const tasks = await Promise.all([1, 2, 3, 4].map(() => makeTask(tenant.owner)));
    expect(tasks.map(({ status }) => status)).to.deep.equal(["open", "open", "open", "open"]);
    expect(await keys()).to.have.length(3);
  });

  it("decide about the next task after each change, and are read once between changes", async () => {
    const read = "select key, position, is_terminal, is_default, requires_interaction from task_statuses";
    await makeTask(tenant.owner);
    const made = await makeStatus(tenant, { key: "review", is_default: true, position: 9 });
    expect(await makeTask(tenant.owner)).to.include({ status: "review", completed_at: null });
    const sent = await statementsDuring(service.sql, async () => {
      for (const _ of [1, 2, 3]) await makeTask(tenant.owner);
    });
    expect(sent.filter((text) => text.startsWith(read))).to.deep.equal([]);
    const path = `/tasks/statuses/${made["id"]}`;
    expect((await tenant.owner.patch(path, { is_terminal: true, is_default: false })).status).to.equal(200);
    expect(await makeTask(tenant.owner)).to.include({ status: "open" });
    expect((await makeTask(tenant.owner, { status: "review" }))["completed_at"]).to.be.a("string");
    await makeStatus(tenant, { key: "unused", position: 10 });
    const unused = `/tasks/statuses/${await idOf("unused")}`;
    await makeTask(tenant.owner, { status: "unused" }).then(({ id }) => tenant.owner.delete(`/tasks/${id}`));
    expect((await tenant.owner.delete(unused)).status).to.equal(204);
    const refused = await tenant.owner.post("/tasks", { title: "Too late", status: "unused" });
    expectRefusal(refused, 422, "validation", { status: "errors.validation" });
  });

  describe("POST /tasks/statuses", () => {
    it("adds one, and refuses an existing key", async () => {
      const made = await makeStatus(tenant, { requires_interaction: true });
      expect(made).to.deep.include({
        key: "review",
        position: 0,
        is_terminal: false,
        is_default: false,
        requires_interaction: true,
      });
      expectRefusal(await tenant.owner.post("/tasks/statuses", { name: "Again", color: "red", key: "review" }), 409, "conflict", {
        key: "errors.conflict",
      });
      expectRefusal(await tenant.owner.post("/tasks/statuses", { name: "Open", color: "red", key: "open" }), 409, "conflict", {
        key: "errors.conflict",
      });
    });

    it("refuses a key of other characters, an empty one and one of more than 50", async () => {
      for (const key of ["", "Review", "a-b", "x".repeat(51)])
        expectRefusal(await tenant.owner.post("/tasks/statuses", { name: "Review", color: "red", key }), 422, "validation", {
          key: "errors.validation",
        });
    });

    it("takes the mark of the default from the others", async () => {
      await makeStatus(tenant, { is_default: true });
      expect(await defaults()).to.deep.equal(["review"]);
    });
  });

  describe("PATCH /tasks/statuses/{status_id}", () => {
    it("changes the sent fields and never the key", async () => {
      const id = await idOf("open");
      const { body } = await tenant.owner.patch(`/tasks/statuses/${id}`, { name: "Nieuw", key: "other" });
      expect(body).to.deep.include({ ...SEEDED[0], name: "Nieuw" });
    });

    it("refuses null for what cannot be empty", async () => {
      const id = await idOf("open");
      for (const field of ["name", "color", "position", "is_terminal", "is_default", "requires_interaction"])
        expectRefusal(await tenant.owner.patch(`/tasks/statuses/${id}`, { [field]: null }), 422, "validation", {
          [field]: "errors.validation",
        });
    });

    it("takes the mark of the default from the others, also from several who give it at once", async () => {
      const ids = await Promise.all(["in_progress", "done", "open"].map(idOf));
      const answers = await Promise.all(ids.map((id) => tenant.owner.patch(`/tasks/statuses/${id}`, { is_default: true })));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200]);
      expect(await defaults()).to.have.length(1);
    });

    it("uses the first in order as the default if none is marked", async () => {
      await tenant.owner.patch(`/tasks/statuses/${await idOf("open")}`, { is_default: false, position: 5 });
      expect(await makeTask(tenant.owner)).to.include({ status: "in_progress" });
    });
  });

  describe("DELETE /tasks/statuses/{status_id}", () => {
    const remove = async (key: string) => tenant.owner.delete(`/tasks/statuses/${await idOf(key)}`);

    it("deletes one that no task is in", async () => {
      expect((await remove("in_progress")).status).to.equal(204);
      expect(await keys()).to.deep.equal(["open", "done"]);
    });

    it("refuses one that tasks are in", async () => {
      await makeTask(tenant.owner);
      const refused = await remove("open");
      expect([refused.status, refused.body.error.code, refused.body.error.message]).to.deep.equal([
        409,
        "conflict",
        "errors.status_in_use",
      ]);
    });

    it("refuses the last one, and leaves one of several that go at once", async () => {
      const ids = await Promise.all(["open", "in_progress", "done"].map(idOf));
      const answers = await Promise.all(ids.map((id) => tenant.owner.delete(`/tasks/statuses/${id}`)));
      expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([204, 204, 409]);
      expect(answers.find(({ status }) => status === 409)?.body.error.message).to.equal("errors.status_last");
      expect(await keys()).to.have.length(1);
    });

    it("never takes the status from under a task that is made in it", async () => {
      const [made, gone] = await Promise.all([
        tenant.owner.post("/tasks", { title: "Now", status: "in_progress" }),
        remove("in_progress"),
      ]);
      const left = await keys();
      if (gone.status === 204) {
        expect(left).to.not.include("in_progress");
        expectRefusal(made, 422, "validation", { status: "errors.validation" });
      } else {
        expect([gone.status, made.status]).to.deep.equal([409, 201]);
        expect(left).to.include("in_progress");
      }
    });
  });

  it("are written by holders of tasks.status.write alone, and read by all who read tasks", async () => {
    const member = await tenant.member("member");
    expect((await member.get("/tasks/statuses")).status).to.equal(200);
    expect((await member.post("/tasks/statuses", { name: "X", color: "red", key: "x" })).status).to.equal(403);
  });
});
