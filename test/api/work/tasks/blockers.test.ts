import { expect } from "chai";
import { eventsAbout } from "../../../support/answers.ts";
import type { Caller, Tenant } from "../../../support/service.ts";
import { rounds } from "../../../support/tier.ts";
import {
  type Body,
  bodyOf,
  expectRefusal,
  idsOf,
  linesOf,
  makeTask,
  sharedTaskService,
  type TaskService,
  titlesOf,
} from "./task-records.ts";

describe("what a task waits for", () => {
  let service: TaskService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedTaskService("2026-09-03");
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const task = async (title: string, body: object = {}): Promise<string> => (await makeTask(tenant.owner, { title, ...body })).id;
  const put = (id: string, ids: readonly string[], caller: Caller = tenant.owner) =>
    caller.put(`/tasks/${id}/blockers`, { task_ids: ids });
  const waits = async (id: string, ids: readonly string[]) => bodyOf(await put(id, ids));
  const finish = async (id: string) => bodyOf(await tenant.owner.patch(`/tasks/${id}`, { status: "done" }));
  const unblocked = async (id: string) =>
    (await eventsAbout(service, id)).filter(({ event }) => event === "task.unblocked").map(({ payload }) => payload);

  it("is set, shown from both ends and in the detail, recorded, and emptied", async () => {
    const [texts, design, build] = [await task("Texts"), await task("Design", { due_date: "2026-09-10" }), await task("Build")];
    const shown = await waits(build, [texts, design, texts.toUpperCase()]);
    const named = [
      { id: design, title: "Design", status: "open", finished: false, due_date: "2026-09-10" },
      { id: texts, title: "Texts", status: "open", finished: false, due_date: null },
    ];
    expect(shown).to.deep.equal({ waits_for: named, holds_up: [] });
    expect(bodyOf(await tenant.owner.get(`/tasks/${build}/blockers`))).to.deep.equal(shown);
    const { waits_for, holds_up } = bodyOf(await tenant.owner.get(`/tasks/${build}`));
    expect({ waits_for, holds_up }).to.deep.equal(shown);
    const other = bodyOf(await tenant.owner.get(`/tasks/${design}/blockers`));
    expect([other.waits_for, idsOf({ body: other.holds_up } as never)]).to.deep.equal([[], [build]]);

    await waits(build, [texts, design]);
    await waits(build, []);
    const changes = (await linesOf(service, build)).filter(([action]) => action === "updated");
    expect(changes).to.deep.equal([
      ["updated", { changed: ["waits_for"] }],
      ["updated", { changed: ["waits_for"] }],
    ]);
  });

  it("is no circle, not the task itself, and at most fifty", async () => {
    const [one, two, three] = [await task("1"), await task("2"), await task("3")];
    await waits(two, [one]);
    await waits(three, [two]);
    expectRefusal(await put(one, [three]), 422, "validation", { task_ids: "errors.task_circle" });
    expectRefusal(await put(one, [one]), 422, "validation", { task_ids: "errors.task_blocks_itself" });
    const many = Array.from({ length: 51 }, () => one);
    expectRefusal(await put(two, many), 422, "validation", { task_ids: "errors.validation" });
    expect(bodyOf(await tenant.owner.get(`/tasks/${one}/blockers`)).waits_for).to.deep.equal([]);
  });

  it("closes no circle when both halves come at once", async () => {
    for (let round = 0; round < rounds(4, 30); round++) {
      const [one, two, three, four] = [await task("1"), await task("2"), await task("3"), await task("4")];
      for (const [id, before] of [
        [two, three],
        [four, one],
      ] as const)
        await waits(id, [before]);
      const answers = await Promise.all([put(one, [two]), put(three, [four])]);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 422]);
    }
  });

  it("filters lists by whether a task waits for an open one", async () => {
    const [texts, build] = [await task("Texts"), await task("Build")];
    await waits(build, [texts]);
    const titles = async (blocked: boolean) => titlesOf(await tenant.owner.get(`/tasks?blocked=${blocked}`));
    expect([await titles(true), await titles(false)]).to.deep.equal([["Build"], ["Texts"]]);
    await finish(texts);
    expect(await titles(true)).to.deep.equal([]);
  });

  it("tells the roster when the last of them is finished or deleted, once", async () => {
    const anna = await tenant.member("member");
    const [texts, design] = [await task("Texts"), await task("Design")];
    const build = await task("Build", { assignee_user_id: anna.accountId });
    const done = await finish(await task("Done"));
    await waits(build, [texts, design, done.id]);
    await finish(texts);
    expect(await unblocked(build)).to.deep.equal([]);
    await finish(design);
    const payload = { task_id: build, title: "Build", company_id: null, project_id: null, recipients: [anna.accountId] };
    expect(await unblocked(build)).to.deep.equal([payload]);

    const last = await task("Last");
    await waits(build, [last]);
    expect((await tenant.owner.delete(`/tasks/${last}`)).status).to.equal(204);
    expect(await unblocked(build)).to.deep.equal([payload, payload]);
    await finish(build);
    await waits(build, [await task("Late")]);
    await finish(bodyOf(await tenant.owner.get(`/tasks/${build}/blockers`)).waits_for[0].id);
    expect(await unblocked(build)).to.have.length(2);
  });

  it("tells it once when both are finished at the same moment", async () => {
    for (let round = 0; round < rounds(4, 30); round++) {
      const [texts, design, build] = [await task("Texts"), await task("Design"), await task("Build")];
      await waits(build, [texts, design]);
      await Promise.all([finish(texts), finish(design)]);
      expect(await unblocked(build)).to.have.length(1);
    }
  });

  it("names only tasks that the caller sees, and keeps the others", async () => {
    const [ours, theirs] = [await tenant.company(), await tenant.company()];
    const [hidden, open, build] = [
      await task("Hidden", { company_id: theirs.id }),
      await task("Open", { company_id: ours.id }),
      await task("Build", { company_id: ours.id }),
    ];
    const admin = await tenant.member("admin");
    await tenant.group("Ours", [ours.id], [admin.membershipId]);
    await waits(build, [hidden, open]);
    const shown = (answer: Body) => answer.waits_for.map(({ title }: Body) => title);
    expect(shown(bodyOf(await admin.get(`/tasks/${build}/blockers`)))).to.deep.equal(["Open"]);
    expect(shown(bodyOf(await admin.get(`/tasks/${build}`)))).to.deep.equal(["Open"]);
    expect(shown(bodyOf(await put(build, [], admin)))).to.deep.equal([]);
    expect(shown(bodyOf(await tenant.owner.get(`/tasks/${build}/blockers`)))).to.deep.equal(["Hidden"]);
    expectRefusal(await put(build, [hidden], admin), 404, "not_found");
    expectRefusal(
      await put(build, [
        await (await service.tenant()).owner
          .post("/tasks", { title: "x" })
          .then(bodyOf)
          .then(({ id }) => id),
      ]),
      404,
      "not_found",
    );
  });
});
