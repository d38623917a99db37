import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type Body, bodyOf, expectRefusal, linesOf, makeTask } from "../tasks/task-records.ts";

describe("checklists of a task", () => {
  let service: TestService;
  let tenant: Tenant;
  let task: string;
  let path: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    task = (await makeTask(tenant.owner)).id;
    path = `/tasks/${task}/checklists`;
  });
  after(() => service.stop());

  const make = async (title: string, ...items: string[]): Promise<Body> => {
    const list = bodyOf(await tenant.owner.post(path, { title }));
    for (const item of items) bodyOf(await tenant.owner.post(`${path}/${list.id}/items`, { title: item }));
    return list;
  };
  const shown = async (of = task): Promise<Body[]> => bodyOf(await tenant.owner.get(`/tasks/${of}`)).checklists;
  const titles = async () => (await shown()).map(({ title }) => title);
  const itemsOf = async (id: string): Promise<Body[]> => (await shown()).find((list) => list.id === id).items;
  const lines = async () => (await linesOf(service, task)).slice(1);
  const version = async (): Promise<number> =>
    (await service.sql.query("select version from tasks where id = $1", [task])).rows[0].version;

  describe("POST /tasks/{task_id}/checklists", () => {
    it("needs a title or a template", async () => {
      expectRefusal(await tenant.owner.post(path, {}), 422, "validation", { title: "errors.required" });
      expectRefusal(await tenant.owner.post(path, { title: null, template_id: null }), 422, "validation", {
        title: "errors.required",
      });
    });

    it("puts a new list and a new item last behind the highest position", async () => {
      const list = await make("One", "First");
      const [item] = await itemsOf(list.id);
      for (const one of [`${path}/${list.id}`, `${path}/${list.id}/items/${item.id}`])
        bodyOf(await tenant.owner.patch(one, { position: 2_147_483_647 }));
      await make("Two");
      bodyOf(await tenant.owner.post(`${path}/${list.id}/items`, { title: "Second" }));
      expect(await titles()).to.deep.equal(["One", "Two"]);
      expect((await itemsOf(list.id)).map(({ title }) => title)).to.deep.equal(["First", "Second"]);
    });

    it("puts a new list last and answers it with its items", async () => {
      await make("Before");
      const { status, body } = await tenant.owner.post(path, { title: "After", description: "Who <b>signs</b>?" });
      const { id, ...rest } = body;
      expect([status, rest]).to.deep.equal([201, { title: "After", description: "Who signs?", position: 1, items: [] }]);
      expect(await titles()).to.deep.equal(["Before", "After"]);
      expect(await lines()).to.deep.equal([
        ["checklist_created", { title: "Before" }],
        ["checklist_created", { title: "After" }],
      ]);
    });

    it("takes title and items of a template, unticked; a title that is sent wins", async () => {
      const items = [{ title: "Keys", description: "Both *pairs*" }, { title: "Contract" }];
      const template = bodyOf(await tenant.owner.post("/tasks/checklist-templates", { title: "Moving in", items }));
      const first = bodyOf(await tenant.owner.post(path, { template_id: template.id }));
      const second = bodyOf(await tenant.owner.post(path, { template_id: template.id, title: "Ours" }));
      expect([first.title, second.title]).to.deep.equal(["Moving in", "Ours"]);
      for (const list of [first, second])
        expect(list.items.map(({ id, ...item }: Body) => item)).to.deep.equal([
          { title: "Keys", description: "Both *pairs*", done: false, position: 0 },
          { title: "Contract", description: null, done: false, position: 1 },
        ]);
    });

    it("answers 404 to an unknown template and to another organisation's", async () => {
      const foreign = bodyOf(await (await service.tenant()).owner.post("/tasks/checklist-templates", { title: "Theirs" }));
      for (const template_id of [randomUUID(), foreign.id])
        expectRefusal(await tenant.owner.post(path, { template_id }), 404, "not_found");
      expect(await shown()).to.deep.equal([]);
    });

    it("is open to the roster alone with `:own`, and refuses others 403", async () => {
      const member = await tenant.member("member");
      expectRefusal(await member.post(path, { title: "Mine" }), 403, "forbidden");
      const own = (await makeTask(tenant.owner, { assignee_user_id: member.accountId })).id;
      expect((await member.post(`/tasks/${own}/checklists`, { title: "Mine" })).status).to.equal(201);
    });

    it("moves the task's own tag and time of change", async () => {
      const before = await version();
      await make("List");
      expect(await version()).to.equal(before + 1);
    });
  });

  describe("PATCH and DELETE /tasks/{task_id}/checklists/{checklist_id}", () => {
    it("reports a new title; a description and a position are not reported", async () => {
      const { id } = await make("Old");
      const changed = bodyOf(
        await tenant.owner.patch(`${path}/${id}`, { title: "New", description: "<i>Note</i>", position: 7 }),
      );
      expect([changed.title, changed.description, changed.position]).to.deep.equal(["New", "Note", 7]);
      bodyOf(await tenant.owner.patch(`${path}/${id}`, { description: null }));
      expect((await lines()).slice(1)).to.deep.equal([["checklist_renamed", { from: "Old", to: "New" }]]);
    });

    it("writes nothing when nothing changes", async () => {
      const { id } = await make("Same");
      const before = await version();
      const { headers } = await tenant.owner.patch(`${path}/${id}`, { title: "Same" });
      expect([headers.etag, await version(), (await lines()).length]).to.deep.equal(['"1"', before, 1]);
    });

    it("refuses null for what cannot be empty", async () => {
      const { id } = await make("List");
      expectRefusal(await tenant.owner.patch(`${path}/${id}`, { title: null, position: null }), 422, "validation", {
        title: "errors.validation",
        position: "errors.validation",
      });
    });

    it("removes the list with its items and reports its title", async () => {
      const { id } = await make("Gone", "One");
      expect((await tenant.owner.delete(`${path}/${id}`)).status).to.equal(204);
      expect(await shown()).to.deep.equal([]);
      expect((await lines()).at(-1)).to.deep.equal(["checklist_deleted", { title: "Gone" }]);
      const { rows } = await service.sql.query("select 1 from task_checklist_items where checklist_id = $1", [id]);
      expect(rows).to.deep.equal([]);
    });

    it("compares If-Match with the list, whose tag moves with its items", async () => {
      const { id } = await make("List");
      const stale = { headers: { "If-Match": '"1"' } };
      await tenant.owner.post(`${path}/${id}/items`, { title: "One" });
      expectRefusal(await tenant.owner.patch(`${path}/${id}`, { title: "Late" }, stale), 412, "precondition_failed");
      expectRefusal(await tenant.owner.delete(`${path}/${id}`, stale), 412, "precondition_failed");
      const fresh = { headers: { "If-Match": '"2"' } };
      expect((await tenant.owner.patch(`${path}/${id}`, { title: "Now" }, fresh)).status).to.equal(200);
    });
  });

  describe("POST /tasks/{task_id}/checklists/{checklist_id}/duplicate", () => {
    it("is placed directly after its source, with items and descriptions, unticked", async () => {
      const { id } = await make("A");
      await make("B");
      const item = bodyOf(await tenant.owner.post(`${path}/${id}/items`, { title: "One", description: "Why" }));
      await tenant.owner.patch(`${path}/${id}`, { description: "About" });
      await tenant.owner.patch(`${path}/${id}/items/${item.id}`, { done: true });
      const { status, body } = await tenant.owner.post(`${path}/${id}/duplicate`, {});
      expect([status, body.title, body.description, body.position]).to.deep.equal([201, "A", "About", 1]);
      expect(body.items.map(({ id: _, ...rest }: Body) => rest)).to.deep.equal([
        { title: "One", description: "Why", done: false, position: 0 },
      ]);
      expect(await titles()).to.deep.equal(["A", "A", "B"]);
      expect((await shown()).map(({ position }) => position)).to.deep.equal([0, 1, 2]);
      expect((await itemsOf(id))[0].done).to.equal(true);
    });

    it("uses another title, and reports both", async () => {
      const { id } = await make("A");
      bodyOf(await tenant.owner.post(`${path}/${id}/duplicate`, { title: "A again" }));
      expect((await lines()).at(-1)).to.deep.equal(["checklist_duplicated", { from: "A", to: "A again" }]);
      expect((await lines()).map(([action]) => action)).to.deep.equal(["checklist_created", "checklist_duplicated"]);
    });
  });

  describe("the order", () => {
    let lists: string[];
    beforeEach(async () => {
      lists = [];
      for (const title of ["A", "B", "C", "D"]) lists.push((await make(title)).id);
    });
    const order = (checklist_ids: (string | undefined)[]) => tenant.owner.post(`${path}/order`, { checklist_ids });

    it("of lists puts those named first and keeps the rest in their order, from 0", async () => {
      const [a, b, c, d] = lists as [string, string, string, string];
      const { status, body } = await order([d, b]);
      expect([status, body]).to.deep.equal([200, { ids: [d, b, a, c] }]);
      expect((await shown()).map(({ id, position }) => [id, position])).to.deep.equal([
        [d, 0],
        [b, 1],
        [a, 2],
        [c, 3],
      ]);
      expect(await lines()).to.have.length(4);
    });

    it("refuses a repeat, an empty list and another task's", async () => {
      const other = (await makeTask(tenant.owner)).id;
      const foreign = bodyOf(await tenant.owner.post(`/tasks/${other}/checklists`, { title: "Other" })).id;
      expectRefusal(await order([lists[0], lists[0]]), 422, "validation", { order: "errors.duplicate" });
      expect((await order([])).status).to.equal(422);
      expectRefusal(await order([lists[0], foreign]), 404, "not_found");
      expectRefusal(await order([randomUUID()]), 404, "not_found");
      expect(await titles()).to.deep.equal(["A", "B", "C", "D"]);
    });

    it("of two in parallel is that of one or the other, whole", async () => {
      const [a, b, c, d] = lists as [string, string, string, string];
      const answers = await Promise.all([order([d, c, b, a]), order([b, a, d, c])]);
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
      const now = (await shown()).map(({ id, position }) => [id, position]);
      expect(now.map(([, position]) => position)).to.deep.equal([0, 1, 2, 3]);
      expect([String([d, c, b, a]), String([b, a, d, c])]).to.include(String(now.map(([id]) => id)));
    });

    it("of items is that of their list", async () => {
      const { id } = await make("Items", "One", "Two", "Three");
      const [one, two, three] = (await itemsOf(id)).map((item) => item.id);
      const at = `${path}/${id}/items/order`;
      const { status, body } = await tenant.owner.post(at, { item_ids: [three, one] });
      expect([status, body]).to.deep.equal([200, { ids: [three, one, two] }]);
      expect((await itemsOf(id)).map(({ title, position }) => [title, position])).to.deep.equal([
        ["Three", 0],
        ["One", 1],
        ["Two", 2],
      ]);
      expectRefusal(await tenant.owner.post(at, { item_ids: [one, one] }), 422, "validation", { order: "errors.duplicate" });
      expectRefusal(await tenant.owner.post(at, { item_ids: [lists[0]] }), 404, "not_found");
    });
  });

  describe("items", () => {
    let list: string;
    let item: Body;
    beforeEach(async () => {
      list = (await make("List")).id;
      item = bodyOf(await tenant.owner.post(`${path}/${list}/items`, { title: "One", description: "<p>Why</p>" }));
    });

    it("are added last", async () => {
      expect(item).to.deep.equal({ id: item.id, title: "One", description: "Why", done: false, position: 0 });
      const second = await tenant.owner.post(`${path}/${list}/items`, { title: "Two" });
      expect([second.status, second.body.position]).to.deep.equal([201, 1]);
    });

    it("report changes of them, with their title", async () => {
      const at = `${path}/${list}/items/${item.id}`;
      bodyOf(await tenant.owner.patch(at, { done: true }));
      bodyOf(await tenant.owner.patch(at, { done: true }));
      bodyOf(await tenant.owner.patch(at, { done: false, title: "First" }));
      bodyOf(await tenant.owner.patch(at, { description: "Other", position: 4 }));
      expect((await tenant.owner.delete(at)).status).to.equal(204);
      expect((await lines()).slice(1)).to.deep.equal([
        ["checklist_item_added", { title: "One" }],
        ["checklist_item_completed", { title: "One" }],
        ["checklist_item_renamed", { title: "First", from: "One", to: "First" }],
        ["checklist_item_reopened", { title: "First" }],
        ["checklist_item_deleted", { title: "First" }],
      ]);
      expect(await itemsOf(list)).to.deep.equal([]);
    });

    it("refuse null for what cannot be empty", async () => {
      const answer = await tenant.owner.patch(`${path}/${list}/items/${item.id}`, { title: null, done: null, position: null });
      expectRefusal(answer, 422, "validation", {
        title: "errors.validation",
        done: "errors.validation",
        position: "errors.validation",
      });
    });

    it("compare If-Match with the item", async () => {
      const at = `${path}/${list}/items/${item.id}`;
      bodyOf(await tenant.owner.patch(at, { done: true }, { headers: { "If-Match": '"1"' } }));
      const stale = { headers: { "If-Match": '"1"' } };
      expectRefusal(await tenant.owner.patch(at, { done: false }, stale), 412, "precondition_failed");
      expectRefusal(await tenant.owner.delete(at, stale), 412, "precondition_failed");
    });
  });

  it("is 404 under the wrong parent, wherever", async () => {
    const { owner } = tenant;
    const other = (await makeTask(owner)).id;
    const { id: list } = await make("List", "One");
    const { id: sibling } = await make("Sibling");
    const [item] = await itemsOf(list);
    const calls: [keyof Caller & ("post" | "patch" | "delete"), string, object?][] = [
      ["patch", `/tasks/${other}/checklists/${list}`, { title: "X" }],
      ["delete", `/tasks/${other}/checklists/${list}`],
      ["post", `/tasks/${other}/checklists/${list}/duplicate`, {}],
      ["post", `/tasks/${other}/checklists/${list}/items`, { title: "X" }],
      ["post", `/tasks/${other}/checklists/${list}/items/order`, { item_ids: [item.id] }],
      ["patch", `/tasks/${other}/checklists/${list}/items/${item.id}`, { done: true }],
      ["patch", `${path}/${sibling}/items/${item.id}`, { done: true }],
      ["delete", `${path}/${sibling}/items/${item.id}`],
      ["delete", `/tasks/${other}/checklists/${list}/items/${item.id}`],
    ];
    for (const [method, at, body] of calls)
      expectRefusal(await (method === "delete" ? owner.delete(at) : owner[method](at, body)), 404, "not_found");
    expect((await itemsOf(list))[0]).to.deep.include({ title: "One", done: false });
  });
});
