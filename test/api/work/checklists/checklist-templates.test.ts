import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type Body, bodyOf, expectRefusal, titlesOf } from "../tasks/task-records.ts";

const PATH = "/tasks/checklist-templates";

describe("checklist templates", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const make = async (title: string, items: object[] = []): Promise<Body> =>
    bodyOf(await tenant.owner.post(PATH, { title, items }));

  it("are listed by title, ignoring case", async () => {
    for (const title of ["beta", "Alpha", "Gamma"]) await make(title);
    expect(titlesOf(await tenant.owner.get(PATH))).to.deep.equal(["Alpha", "beta", "Gamma"]);
  });

  it("keep their items in the order sent, without HTML", async () => {
    const items = [{ title: "Two", description: "<b>b</b>" }, { title: "One" }];
    const { id, ...made } = await make("List", items);
    expect(made).to.deep.equal({
      title: "List",
      items: [
        { title: "Two", description: "b" },
        { title: "One", description: null },
      ],
    });
    expect(bodyOf(await tenant.owner.get(PATH))).to.deep.equal([{ id, ...made }]);
  });

  it("have their items replaced whole by those that are sent, and else left alone", async () => {
    const { id, items } = await make("List", [{ title: "One" }, { title: "Two" }]);
    expect(bodyOf(await tenant.owner.patch(`${PATH}/${id}`, { title: "Other" })).items).to.deep.equal(items);
    expect(bodyOf(await tenant.owner.patch(`${PATH}/${id}`, { items: [{ title: "Three" }] }))).to.deep.equal({
      id,
      title: "Other",
      items: [{ title: "Three", description: null }],
    });
    expectRefusal(await tenant.owner.patch(`${PATH}/${id}`, { title: null, items: null }), 422, "validation", {
      title: "errors.validation",
      items: "errors.validation",
    });
  });

  it("hold at most 100 items of at most 512 characters", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => ({ title: `Item ${n}` }));
    expect((await make("Most", many(100))).items).to.have.length(100);
    expectRefusal(await tenant.owner.post(PATH, { title: "More", items: many(101) }), 422, "validation", {
      items: "errors.validation",
    });
    expectRefusal(await tenant.owner.post(PATH, { title: "Long", items: [{ title: "x".repeat(513) }] }), 422, "validation", {
      title: "errors.validation",
    });
  });

  it("are gone once deleted, and checklists made from them stay", async () => {
    const { id } = await make("List", [{ title: "One" }]);
    const task = bodyOf(await tenant.owner.post("/tasks", { title: "Task" })).id;
    bodyOf(await tenant.owner.post(`/tasks/${task}/checklists`, { template_id: id }));
    expect((await tenant.owner.delete(`${PATH}/${id}`)).status).to.equal(204);
    expectRefusal(await tenant.owner.delete(`${PATH}/${id}`), 404, "not_found");
    expect(bodyOf(await tenant.owner.get(`/tasks/${task}`)).checklists[0].items).to.have.length(1);
  });

  it("are read by who may write a task at any scope, and not by a client", async () => {
    await make("List");
    expect(titlesOf(await (await tenant.member("member")).get(PATH))).to.deep.equal(["List"]);
    expectRefusal(await (await tenant.member("client")).get(PATH), 403, "forbidden");
    expectRefusal(await (await tenant.member("member")).post(PATH, { title: "Mine" }), 403, "forbidden");
  });
});
