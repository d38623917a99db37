import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type Body, bodyOf, expectRefusal, idsOf, linesOf, makeTask } from "./task-records.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

describe("labels of tasks", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const label = async (name: string, position = 0): Promise<Body> =>
    bodyOf(await tenant.owner.post("/tasks/labels", { name, color: "red", position }));
  const put = (taskId: string, ...ids: string[]) => tenant.owner.put(`/tasks/${taskId}/labels`, { label_ids: ids });

  it("are listed by position, then name, without regard to case", async () => {
    const made = [await label("beta", 1), await label("Alpha", 1), await label("zulu")];
    const [beta, alpha, zulu] = made.map(({ id }) => id);
    expect(idsOf(await tenant.owner.get("/tasks/labels"))).to.deep.equal([zulu, alpha, beta]);
  });

  it("have one name each, in POST and in PATCH", async () => {
    await label("urgent");
    const other = await label("later");
    const taken = [409, "conflict", { name: "errors.conflict" }];
    expectRefusal(await tenant.owner.post("/tasks/labels", { name: "urgent", color: "red" }), ...taken);
    expectRefusal(await tenant.owner.patch(`/tasks/labels/${other.id}`, { name: "urgent" }), ...taken);
    await label("Überfällig");
    for (const name of ["URGENT", "Urgent", "überfällig"]) {
      expectRefusal(await tenant.owner.post("/tasks/labels", { name, color: "red" }), ...taken);
      expectRefusal(await tenant.owner.patch(`/tasks/labels/${other.id}`, { name }), ...taken);
    }
    expect(bodyOf(await tenant.owner.patch(`/tasks/labels/${other.id}`, { name: "soon" }))).to.deep.equal({
      ...other,
      name: "soon",
    });
  });

  it("come off tasks when they are deleted, which changes those tasks", async () => {
    const urgent = await label("urgent");
    const task = await makeTask(tenant.owner, { label_ids: [urgent.id] });
    const before = bodyOf(await tenant.owner.get(`/tasks/${task.id}`));
    expect(before.labels).to.deep.equal([urgent]);
    expect((await tenant.owner.delete(`/tasks/labels/${urgent.id}`)).status).to.equal(204);
    const after = bodyOf(await tenant.owner.get(`/tasks/${task.id}`));
    expect(after.labels).to.deep.equal([]);
    expect(after.updated_at > before.updated_at).to.equal(true);
  });

  describe("PUT /tasks/{task_id}/labels", () => {
    it("sets exactly these, answers them in order and records them on the trail", async () => {
      const [one, two, three] = [await label("one", 2), await label("two", 1), await label("three")];
      const { id } = await makeTask(tenant.owner, { label_ids: [three.id] });
      expect(bodyOf(await put(id, one.id, two.id, one.id))).to.deep.equal([two, one]);
      expect(bodyOf(await tenant.owner.get(`/tasks/${id}`)).labels).to.deep.equal([two, one]);
      expect(await linesOf(service, id)).to.deep.equal([
        ["created", {}],
        ["updated", { changed: ["labels"] }],
      ]);
    });

    it("leaves no trace when the set is the same", async () => {
      const one = await label("one");
      const { id, updated_at } = await makeTask(tenant.owner, { label_ids: [one.id] });
      await put(id, one.id);
      expect(await linesOf(service, id)).to.have.length(1);
      expect(bodyOf(await tenant.owner.get(`/tasks/${id}`)).updated_at).to.equal(updated_at);
    });

    it("answers 404 for an unknown label and another organisation's, and changes nothing", async () => {
      const one = await label("one");
      const { id } = await makeTask(tenant.owner, { label_ids: [one.id] });
      const foreign = bodyOf(await (await service.tenant()).owner.post("/tasks/labels", { name: "theirs", color: "red" }));
      for (const other of [UNKNOWN, foreign.id]) expectRefusal(await put(id, other), 404, "not_found");
      expect(bodyOf(await tenant.owner.get(`/tasks/${id}`)).labels).to.deep.equal([one]);
    });

    it("is for those who may change the task", async () => {
      const { id } = await makeTask(tenant.owner);
      const member = await tenant.member("member");
      expectRefusal(await member.put(`/tasks/${id}/labels`, { label_ids: [] }), 403, "forbidden");
    });
  });
});
