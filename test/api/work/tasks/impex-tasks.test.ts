import { expect } from "chai";
import { errorsOf, fetchSheet, importSheet, sendSheet } from "../../../support/impex.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { type Body, bodyOf, linesOf, makeProject, makeTask, rosterOf } from "./task-records.ts";

describe("tasks as a spreadsheet", () => {
  let service: TestService;
  let tenant: Tenant;
  let anna: Caller;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    anna = await tenant.member("member", { name: "Anna Bos" });
  });
  after(() => service.stop());

  const run = (content: string, caller = tenant.owner) => importSheet(caller, "task", content);
  const tried = async (content: string, caller = tenant.owner) => errorsOf((await sendSheet(caller, "task", content)).body);
  const tasks = async (of = tenant): Promise<Body[]> => bodyOf(await of.owner.get("/tasks?sort=title&limit=200")).items;
  const exported = async (query = "", of = tenant, caller = of.owner) =>
    (await fetchSheet(service.port, of.host, caller.key, `/impex/task${query}`)).toString().replace(/^\ufeff/, "");

  it("import with Dutch headers and words, and change nothing the second time", async () => {
    const { id: company_id } = await tenant.company({ name: "Bakker", client_number: "K-1" });
    const project_id = await makeProject(tenant.owner, { name: "Site", company_id });
    const label = bodyOf(await tenant.owner.post("/tasks/labels", { name: "Urgent", color: "red" }));
    const file = [
      "Taak;Klantnummer;Project;Status;Prioriteit;Deadline;Toegewezen aan;Team;Geschatte uren;Labels;Omschrijving;Contactmoment vereist;Zichtbaar voor klant",
      `Bellen;K-1;site;In behandeling;hoog;1-3-2026;${anna.email};anna bos;"1,5";urgent;"*Snel* <b>bellen</b>";ja;ja`,
      "Klaar werk;;;voltooid;;;;;;;;;",
      "Nieuw werk;;;to do;;;;;;;;;",
      "",
    ].join("\n");
    expect(await run(file)).to.deep.include({ rows: 3, created: 3, errors: [], ignored_columns: [] });
    const [call, done, fresh] = await tasks();
    expect(call).to.deep.include({
      title: "Bellen",
      company_id,
      project_id,
      status: "in_progress",
      priority: "high",
      due_date: "2026-03-01",
      assignees: rosterOf(anna),
      allocated_minutes: 90,
      labels: [label],
      description: "*Snel* bellen",
      requires_interaction: true,
      visible_to_client: true,
    });
    expect([done.status, fresh.status]).to.deep.equal(["done", "open"]);
    expect(done.completed_at).to.not.equal(null);
    const before = await tasks();
    expect(await run(file)).to.include({ created: 0, updated: 0, unchanged: 3 });
    expect(await tasks()).to.deep.equal(before);
  });

  it("import as other tools write them: client by name, ticked off, other program's ids", async () => {
    const { id: company_id } = await tenant.company({ name: "Bakker" });
    const file = "ID,Task Name,Client,Completed,Due On,Tags\n117,Call,bakker,yes,2026-03-01,\n118,Write,,no,,\n";
    expect(await run(file)).to.deep.include({ rows: 2, created: 2, errors: [] });
    const [call, write] = await tasks();
    expect(call).to.include({ company_id, status: "done", due_date: "2026-03-01" });
    expect(write).to.include({ company_id: null, status: "open" });
  });

  it("keep fields that the file omits, and change the others by every rule of PATCH", async () => {
    const task = await makeTask(tenant.owner, { title: "Call", due_date: "2026-03-01", assignee_user_id: anna.accountId });
    expect(await run(`id,title,priority\n${task.id},Call,high\n`)).to.include({ updated: 1 });
    const [changed] = await tasks();
    expect(changed).to.deep.include({ priority: "high", due_date: "2026-03-01", assignees: rosterOf(anna) });
    expect((await linesOf(service, task.id)).at(-1)).to.deep.equal(["updated", { changed: ["priority"] }]);

    const later = (more: string) => `id,title,due_date,due_change_reason\n${task.id},Call,2026-03-02,${more}\n`;
    expect(await tried(later(""))).to.deep.equal(["2 due_change_reason errors.due_reason_required"]);
    expect(await run(later("The client is away"))).to.include({ updated: 1 });
    bodyOf(await tenant.owner.patch(`/tasks/${task.id}`, { requires_interaction: true }));
    expect(await tried(`id,title,status\n${task.id},Call,done\n`)).to.deep.equal([
      "2 status errors.tasks_closing_interaction_required",
    ]);
  });

  it("make the next occurrence when a row finishes a recurring task", async () => {
    const { id } = await makeTask(tenant.owner, { title: "Call", recurrence: { freq: "weekly" } });
    expect(await run(`id,title,status\n${id},Call,done\n`)).to.include({ updated: 1 });
    const all = await tasks();
    expect(all.map(({ status, recurrence }) => [status, recurrence !== null]).toSorted()).to.deep.equal([
      ["done", false],
      ["open", true],
    ]);
  });

  it("name unreadable values, each cell of them, and then write nothing", async () => {
    const file = [
      "title,company,project,status,priority,due_date,responsible,assignees,allocated_minutes,labels,requires_interaction",
      "Call,K-9,Nowhere,golf,soonish,tomorrow,nobody@x.test,who,many,blue,perhaps",
      "Fine,,,,,,,,,,",
      "",
    ].join("\n");
    const { body } = await sendSheet(tenant.owner, "task", file, "?dry_run=false");
    expect(errorsOf(body).toSorted()).to.deep.equal([
      "2 allocated_minutes impex.errors.invalid_number",
      "2 due_date impex.errors.invalid_date",
      "2 priority impex.errors.invalid_option",
      "2 requires_interaction impex.errors.invalid_bool",
    ]);
    const readable = "title,company,project,status,responsible,labels\nCall,K-9,Nowhere,golf,nobody@x.test,blue\n";
    expect((await tried(readable)).toSorted()).to.deep.equal([
      "2 company impex.errors.unresolved_reference",
      "2 labels impex.errors.unresolved_reference",
      "2 project impex.errors.unresolved_reference",
      "2 responsible impex.errors.unresolved_reference",
      "2 status impex.errors.invalid_option",
    ]);
    expect(await tasks()).to.deep.equal([]);
  });

  it("distinguish two of one title by client, project and due date, and import a repeated row once", async () => {
    const rows = "title,due_date\nCall,2026-03-01\nCall,2026-03-02\n";
    expect(await run(rows)).to.include({ created: 2 });
    expect(await run(rows)).to.include({ unchanged: 2 });
    expect(await run("title,due_date\nWrite,2026-03-01\nWrite,2026-03-01\n")).to.include({ created: 1, unchanged: 1 });
  });

  it("export everything they import, here and into another organisation", async () => {
    const other = await service.tenant();
    for (const here of [tenant, other]) {
      const { id: company_id } = await here.company({ name: "Slager", client_number: "K-2" });
      await makeProject(here.owner, { name: "Site", company_id });
      bodyOf(await here.owner.post("/tasks/labels", { name: "today", color: "red" }));
    }
    const label = bodyOf(await tenant.owner.get("/tasks/labels")).find(({ name }: Body) => name === "today");
    const [project] = bodyOf(await tenant.owner.get("/projects")).items;
    await makeTask(tenant.owner, {
      title: "=Call",
      company_id: project.company_id,
      project_id: project.id,
      status: "done",
      priority: "low",
      due_date: "2026-03-01",
      allocated_minutes: 45,
      description: "two\nlines",
      label_ids: [label.id],
      visible_to_client: true,
    });
    await makeTask(tenant.owner, { title: "Bare" });
    const file = await exported();
    expect(await run(file)).to.deep.include({ rows: 2, unchanged: 2, errors: [], ignored_columns: [] });
    expect(await importSheet(other.owner, "task", file)).to.deep.include({ created: 2, errors: [] });
    expect(await importSheet(other.owner, "task", file)).to.include({ unchanged: 2 });
    const plain = ({ title, status, priority, due_date, allocated_minutes, description, visible_to_client }: Body) => [
      title,
      status,
      priority,
      due_date,
      allocated_minutes,
      description,
      visible_to_client,
    ];
    expect((await tasks(other)).map(plain)).to.deep.equal((await tasks()).map(plain));
  });

  it("carry the list's filters and the caller's selection", async () => {
    const [seen, hidden] = [await tenant.company({ name: "Seen" }), await tenant.company({ name: "Hidden" })];
    await makeTask(tenant.owner, { title: "one", company_id: seen.id });
    await makeTask(tenant.owner, { title: "two", company_id: seen.id, status: "done" });
    await makeTask(tenant.owner, { title: "three", company_id: hidden.id });
    const titles = (text: string) =>
      text
        .trim()
        .split(/\r?\n/)
        .slice(1)
        .map((line) => line.split(",")[1]);
    expect(titles(await exported("?status=done"))).to.deep.equal(["two"]);
    const admin = await tenant.member("admin");
    await tenant.group("Seen", [seen.id], [admin.membershipId]);
    const file = await exported("", tenant, admin);
    expect(titles(file)).to.deep.equal(["one", "two"]);
    expect(file).to.not.include("Hidden");
    const [, , three] = await tasks();
    expect(await tried(`id,title,company_name\n${three.id},three,Hidden\n`, admin)).to.deep.equal([
      "2 company_name impex.errors.unresolved_reference",
    ]);
  });

  it("need the rights to create and to change, row by row", async () => {
    const grants = ["tasks.task.read", "tasks.task.create", "tasks.task.write:own", "impex.import"];
    const own = await tenant.member("member", { grants });
    const mine = await makeTask(tenant.owner, { title: "mine", assignee_user_id: own.accountId });
    const theirs = await makeTask(tenant.owner, { title: "theirs" });
    expect(await run(`id,title,priority\n${mine.id},mine,high\n`, own)).to.include({ updated: 1 });
    expect((await sendSheet(own, "task", `id,title,priority\n${theirs.id},theirs,high\n`)).status).to.equal(403);
    const reader = await tenant.member("member", { grants: grants.filter((grant) => grant !== "tasks.task.create") });
    expect((await sendSheet(reader, "task", "title\nx\n")).status).to.equal(403);
  });

  it("take no more statements for looking up many rows than for a few", async () => {
    const rows = (count: number) => `title,company_name\n${Array.from({ length: count }, (_, n) => `T${n},Bakker\n`).join("")}`;
    await tenant.company({ name: "Bakker" });
    await run(rows(40));
    const few = (await sendSheet(tenant.owner, "task", rows(5))).statements;
    const many = (await sendSheet(tenant.owner, "task", rows(40))).statements;
    expect(many).to.equal(few);
  });
});
