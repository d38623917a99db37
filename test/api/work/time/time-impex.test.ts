import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { cellsOf, errorsOf, fetchSheet, importSheet, sendSheet, workbookOf } from "../../../support/impex.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { trailOf } from "../../clients/companies/company-records.ts";
import { type EntryBody, Hours, ok } from "./hours.ts";

describe("spreadsheets of hours", () => {
  let service: TestService;
  let tenant: Tenant;
  let hours: Hours;
  let member: Caller;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    hours = new Hours(service, tenant);
    member = await tenant.member("member", { name: "Noor Smit" });
  });
  after(() => service.stop());

  const csv = (...rows: string[]) => rows.map((row) => `${row}\r\n`).join("");
  const send = (content: string | Buffer, caller = tenant.owner, query = "") =>
    importSheet(caller, "time_entry", content).catch((error: Error) => {
      throw new Error(`${error.message} ${query}`);
    });
  const dry = async (content: string | Buffer, caller = tenant.owner, query = "") =>
    ok(sendSheet(caller, "time_entry", content, `?dry_run=true${query}`));
  const download = (caller: Caller, query = "") => fetchSheet(service.port, tenant.host, caller.key, `/impex/time_entry${query}`);
  const entries = async (): Promise<EntryBody[]> => (await ok(tenant.owner.get("/time/entries?all_users=true&sort=date"))).items;
  const counts = ({ created, updated, unchanged, errors }: Record<string, unknown[]>) => [
    created,
    updated,
    unchanged,
    errors?.length,
  ];

  it("name the person in the column employee, and the importer in the trail", async () => {
    const admin = await tenant.member("admin");
    const report = await send(
      csv(
        "employee,date,start_time,end_time,description",
        `${member.email.toUpperCase()},2026-05-04,09:00,10:30,By mail`,
        "Noor smit,5-5-2026,13:00,14:00,By name",
      ),
      admin,
    );
    expect(counts(report)).to.deep.equal([2, 0, 0, 0]);
    const found = await entries();
    expect(found.map(({ user_id, minutes, started_at }) => [user_id, minutes, started_at])).to.deep.equal([
      [member.accountId, 90, "2026-05-04T07:00:00+00:00"],
      [member.accountId, 60, "2026-05-05T11:00:00+00:00"],
    ]);
    const [line] = await trailOf(service.sql, "time_entry", found[0]?.id as string);
    expect(line).to.include({ action: "created", actor_account_id: admin.accountId });
  });

  it("let who writes own hours bring only those", async () => {
    const own = await tenant.member("member", {
      grants: ["impex.import", "impex.export", "time.entry.write:own", "time.entry.read:own"],
    });
    const rows = ["employee,date,hours", `${own.email},2026-05-04,1`, `${member.email},2026-05-04,1`, ",2026-05-05,1"];
    expect(errorsOf(await dry(csv(...rows), own))).to.deep.equal(["3 employee errors.forbidden"]);
    expect(counts(await send(csv(...rows.toSpliced(2, 1)), own))).to.deep.equal([2, 0, 0, 0]);
    expect(new Set((await entries()).map(({ user_id }) => user_id))).to.deep.equal(new Set([own.accountId]));
    const account = await tenant.serviceAccount(["impex.import", "time.entry.write:any"]);
    expect(errorsOf(await dry(csv("date,hours", "2026-05-04,1"), account))).to.deep.equal(["2 employee errors.required"]);
    expect(counts(await dry(csv("employee,date,hours", `${own.email},2026-05-04,1`), account))).to.deep.equal([1, 0, 0, 0]);
    expect((await sendSheet(member, "time_entry", "date,hours")).status).to.equal(403);
  });

  it("find clients, projects, tasks and types by name", async () => {
    const [acme, other] = [
      await tenant.company({ name: "Acme", client_number: "1001" }),
      await tenant.company({ name: "Other" }),
    ];
    const [site, twin] = [
      await hours.project({ name: "Site", company_id: acme.id }),
      await hours.project({ name: "Site", company_id: other.id }),
    ];
    const task = await hours.task({ title: "Design", project_id: site });
    await hours.task({ title: "Design", project_id: twin });
    const rows = [
      "Klant,Project,Taak,Urensoort,Declarabel,Datum,Uren",
      "Acme,Site,design,Werk,nee,2026-05-04,1",
      "Other,site,,e-mail,ja,2026-05-05,1",
      ",,,,,2026-05-06,1",
    ];
    await send(csv(...rows));
    expect(
      (await entries()).map(({ company_id, project_id, task_id, entry_type_key, billable }) => [
        ...[company_id, project_id, task_id, entry_type_key, billable],
      ]),
    ).to.deep.equal([
      [acme.id, site, task, "work", false],
      [other.id, twin, null, "email", true],
      [null, null, null, null, true],
    ]);
    const wrong = await dry(
      csv(
        "company,project,task,type,date,hours,employee",
        "Nobody,Site,Design,play,2026-05-04,1,nobody@x.test",
        "1001,Shop,,,2026-13-40,x,",
      ),
    );
    expect(errorsOf(wrong).toSorted()).to.deep.equal([
      "2 company impex.errors.unresolved_reference",
      "2 employee impex.errors.unresolved_reference",
      "2 entry_type_key errors.time_entry_type_unknown",
      "2 project impex.errors.ambiguous_match",
      "2 task impex.errors.ambiguous_match",
      "3 date impex.errors.invalid_date",
      "3 duration errors.validation",
      "3 project impex.errors.unresolved_reference",
    ]);
    const { words } = wrong.errors.find(({ column }: { column: string }) => column === "entry_type_key");
    expect(words).to.include.members(["work", "Werk", "email"]);
  });

  it("write the names of tasks that are not there into the description when asked to", async () => {
    const sheet = csv("date,hours,task,notes", "2026-05-04,1,Meeting,With Acme", "2026-05-05,1,Meeting,");
    expect(errorsOf(await dry(sheet))).to.deep.equal([
      "2 task impex.errors.unresolved_reference",
      "3 task impex.errors.unresolved_reference",
    ]);
    const query = "?dry_run=false&describe_unknown_tasks=true";
    expect(counts(await ok(sendSheet(tenant.owner, "time_entry", sheet, query)))).to.deep.equal([2, 0, 0, 0]);
    expect((await entries()).map(({ description }) => description)).to.deep.equal(["Meeting: With Acme", "Meeting"]);
    expect(counts(await ok(sendSheet(tenant.owner, "time_entry", sheet, query)))).to.deep.equal([0, 0, 2, 0]);
  });

  it("obey the rules of the body: types, billable of the project, HTML, drafts of others", async () => {
    const project = await hours.project({ name: "Fixed", billable_default: false });
    await ok(member.put("/time/drafts/2026-05-04", { start: "9:00" }));
    const [work] = await ok(tenant.owner.get("/time/entry-types"));
    await ok(tenant.owner.patch(`/time/entry-types/${work.id}`, { active: false }));
    const rows = ["employee,date,hours,project,description,type", `${member.email},2026-05-04,1,Fixed,a <b>b</b>,email`];
    await send(csv(...rows));
    expect((await entries())[0]).to.include({
      project_id: project,
      billable: false,
      description: "a b",
      entry_type_key: "email",
    });
    expect((await ok(member.get("/time/day?date=2026-05-04"))).draft).to.not.equal(null);
    expect(errorsOf(await dry(csv("date,hours,type", "2026-05-04,1,work")))).to.deep.equal([
      "2 entry_type_key errors.time_entry_type_unknown",
    ]);
    expect(errorsOf(await dry(csv("started_at,ended_at", "0001-01-01T00:00:00Z,9999-12-31T00:00:00Z")))).to.deep.equal([
      "2 ended_at errors.validation",
    ]);
  });

  it("make nothing twice: equal rows are as many entries, and a second import finds each", async () => {
    const sheet = csv("date,hours,description", ...Array(3).fill("2026-05-04,1,Overleg"), "2026-05-04,2,Overleg");
    expect(counts(await send(sheet))).to.deep.equal([4, 0, 0, 0]);
    expect(counts(await send(sheet))).to.deep.equal([0, 0, 4, 0]);
    expect(counts(await send(`${sheet}2026-05-04,1,Overleg\r\n`))).to.deep.equal([1, 0, 4, 0]);
    const other = csv("date,hours,description,billable", "2026-05-04,2,Overleg,no");
    expect(counts(await send(other))).to.deep.equal([0, 1, 0, 0]);
    expect(counts(await send(other))).to.deep.equal([0, 0, 1, 0]);
    expect(await entries()).to.have.length(5);
  });

  describe("as exports", () => {
    /** Entries of two people, in every shape there is. */
    async function fill(): Promise<string[]> {
      const company = await tenant.company({ name: 'Acme, "Inc"' });
      const project_id = await hours.project({ name: "Site", company_id: company.id });
      await hours.project({ name: "Twin" });
      const twin = await hours.project({ name: "Twin" });
      const task_id = await hours.task({ title: "Design", project_id });
      const loose = await hours.task({ title: "Loose" });
      const made = [
        await hours.log(member, { company_id: company.id, project_id, task_id, description: "a\nb", entry_type_key: "work" }),
        await hours.log(member, { started_at: "2026-05-05T09:00:00Z", minutes: 0 }),
        await hours.log(member, { started_at: "2026-05-06T22:15:00.250Z", ended_at: "2026-05-07T01:05:00Z", break_minutes: 20 }),
        await hours.log(tenant.owner, { started_at: "2026-05-08T09:00:00Z", project_id: twin, task_id: loose, billable: false }),
      ];
      await ok(member.post("/time/timer/start", {}));
      return made.map(({ id }) => id);
    }

    it("hold everyone's finished entries for who may read them, else the caller's own, with the filters of the list", async () => {
      const ids = await fill();
      const idsIn = async (caller: Caller, query: string) =>
        (await cellsOf(await download(caller, `?format=xlsx${query}`))).slice(1).map(([id]) => id);
      expect(await idsIn(tenant.owner, "&all_users=true")).to.deep.equal(ids);
      expect(await idsIn(tenant.owner, "")).to.deep.equal([ids[3]]);
      expect(await idsIn(tenant.owner, `&user_id=${member.accountId}&date_from=2026-05-05`)).to.deep.equal(ids.slice(1, 3));
      const reader = await tenant.member("member", { grants: ["impex.export", "time.entry.read:own"] });
      expect(await idsIn(reader, "")).to.deep.equal([]);
      expect((await reader.get("/impex/time_entry?all_users=true")).status).to.equal(403);
      expect((await member.get("/impex/time_entry")).status).to.equal(403);
    });

    it("name what entries are about, and come back as they are, in both formats", async () => {
      await fill();
      const text = (await download(tenant.owner, "?all_users=true")).toString();
      const [header, first] = text.replace("\ufeff", "").split("\r\n");
      expect(header).to.equal(
        "id,employee,company,project,task,description,entry_type_key,started_at,ended_at,minutes,break_minutes,billable",
      );
      expect(first).to.include(
        `,${member.email},0001,Site,Design,"a\nb",work,2026-05-04T09:00:00Z,2026-05-04T10:00:00Z,60,0,yes`,
      );
      const before = await entries();
      for (const format of ["csv", "xlsx"]) {
        const file = await download(tenant.owner, `?all_users=true&format=${format}`);
        expect(counts(await send(format === "csv" ? file.toString() : file)), format).to.deep.equal([0, 0, 4, 0]);
      }
      expect(await entries()).to.deep.equal(before);
    });

    it("import elsewhere as new entries, and find those again", async () => {
      await fill();
      const file = (await download(tenant.owner, "?all_users=true")).toString();
      const place = await service.tenant();
      const own = new Hours(service, place);
      for (const { email } of [member, tenant.owner]) {
        const person = await place.member("member");
        await service.sql.query("update accounts set email = $2 where id = $1", [person.accountId, `other-${email}`]);
      }
      const company = await place.company({ name: 'Acme, "Inc"' });
      const project_id = await own.project({ name: "Site", company_id: company.id });
      await own.task({ title: "Design", project_id });
      const rows = file.replaceAll(member.email, `other-${member.email}`).split("\r\n");
      // The last names a project and a task by ids of the other organisation.
      const sheet = rows.filter((row) => !row.includes(tenant.owner.email)).join("\r\n");
      expect(counts(await importSheet(place.owner, "time_entry", sheet))).to.deep.equal([3, 0, 0, 0]);
      expect(counts(await importSheet(place.owner, "time_entry", sheet))).to.deep.equal([0, 0, 3, 0]);
      const found = (await ok(place.owner.get("/time/entries?all_users=true&sort=date"))).items;
      expect(found.map(({ minutes, started_at }: EntryBody) => [minutes, started_at])).to.deep.equal(
        (await entries()).slice(0, 3).map(({ minutes, started_at }) => [minutes, started_at]),
      );
      const wrong = await ok(sendSheet(place.owner, "time_entry", rows.join("\r\n"), "?dry_run=true"));
      expect(errorsOf(wrong).map((error) => error.split(" ")[1])).to.have.members(["employee", "project", "task"]);
    });

    it("change entries by the rules of a PATCH", async () => {
      const [first, , , last] = await fill();
      await hours.approve(last as string);
      const change = (id: string | undefined, column: string, value: string, caller = tenant.owner) =>
        sendSheet(caller, "time_entry", csv(`id,${column}`, `${id},${value}`), "?dry_run=false").then(ok);
      expect(counts(await change(first, "minutes", "30"))).to.deep.equal([0, 1, 0, 0]);
      const { body } = await member.get(`/time/entries/${first}`);
      expect([body.minutes, body.ended_at, body.description]).to.deep.equal([30, "2026-05-04T09:30:00+00:00", "a\nb"]);
      expect(counts(await change(first, "ended_at", "2026-05-04T10:30:00Z"))).to.deep.equal([0, 1, 0, 0]);
      expect((await member.get(`/time/entries/${first}`)).body.minutes).to.equal(90);
      expect(errorsOf(await change(first, "employee", tenant.owner.email))).to.deep.equal(["2 employee errors.validation"]);
      const grants = ["impex.import", "time.entry.write:any", "time.entry.read:any"];
      const writer = await tenant.member("member", { grants });
      expect(errorsOf(await change(last, "minutes", "5", writer))).to.deep.equal(["2 _ errors.approved_locked"]);
      expect(counts(await change(last, "billable", "no", writer))).to.deep.equal([0, 0, 1, 0]);
      const reader = await tenant.member("member", { grants: ["impex.import", "time.entry.write:own", "time.entry.read:any"] });
      expect(errorsOf(await change(first, "minutes", "5", reader))).to.deep.equal(["2 _ errors.forbidden"]);
    });

    it("keep the minutes of a row that moves the start, or changes the break, and has no end", async () => {
      const { id } = await hours.log(tenant.owner, { minutes: 60, description: "Design" });
      const moved = async (columns: string, cells: string) => {
        const report = await send(csv(`id,${columns}`, `${id},${cells}`));
        const { minutes, break_minutes, started_at, ended_at } = await ok(tenant.owner.get(`/time/entries/${id}`));
        return [report.updated, minutes, break_minutes, (Date.parse(ended_at) - Date.parse(started_at)) / 60_000];
      };
      expect(await moved("date,start_time,duration", "2026-05-06,13:00,1:00")).to.deep.equal([1, 60, 0, 60]);
      expect(await moved("date,start_time,duration,break", "2026-05-06,13:00,1:00,15")).to.deep.equal([1, 60, 15, 75]);
      expect(await moved("date,start_time,duration", "2026-05-06,13:00,0:45")).to.deep.equal([1, 45, 15, 60]);
      expect(await moved("date,start_time,duration", "2026-05-06,13:00,0:45")).to.deep.equal([0, 45, 15, 60]);
    });

    it("refuse an id twice, and make no way to entries out of sight", async () => {
      const [mine, hidden] = [await tenant.company(), await tenant.company()];
      const entry = await hours.log(member, { company_id: hidden.id });
      const restricted = await hours.restricted("admin", [mine.id]);
      const row = `${entry.id},2026-05-04,1,${member.email}`;
      expect(errorsOf(await dry(csv("id,date,hours,employee", row, row)))).to.deep.equal([
        "2 id errors.duplicate",
        "3 id errors.duplicate",
      ]);
      // An id that is not seen is one of elsewhere.
      expect(counts(await dry(csv("id,date,hours,employee", row), restricted))).to.deep.equal([1, 0, 0, 0]);
      const byName = csv("date,hours,employee,company", `2026-05-04,1,${member.email},${hidden.name}`);
      expect(errorsOf(await dry(byName, restricted))).to.deep.equal(["2 company impex.errors.unresolved_reference"]);
      expect((await download(restricted, "?all_users=true")).toString()).to.not.include(entry.id);
    });
  });

  it("come as workbooks, with days and clocks that are cells of their own", async () => {
    const sheet = await workbookOf([
      ["Datum", "Van", "Tot", "Pauze"],
      [new Date("2026-05-04T00:00:00Z"), new Date("1899-12-30T09:00:00Z"), new Date("1899-12-30T12:30:00Z"), 30],
    ]);
    expect(counts(await send(sheet))).to.deep.equal([1, 0, 0, 0]);
    expect((await entries())[0]).to.include({ started_at: "2026-05-04T07:00:00+00:00", minutes: 180, break_minutes: 30 });
  });

  it("take 2,000 rows in a call, and more as a job", async () => {
    const rows = (count: number) => csv("id,date,hours", ...Array.from({ length: count }, () => `${randomUUID()},2026-05-04,1`));
    expect(counts(await send(rows(2000)))).to.deep.equal([2000, 0, 0, 0]);
    const { status, body } = await sendSheet(tenant.owner, "time_entry", rows(2001), "?dry_run=true");
    expect([status, Object.keys(body)]).to.deep.equal([202, ["job_id"]]);
    expect((await tenant.owner.get(`/impex/jobs/${body.job_id}`)).body).to.include({ entity: "time_entry", rows_total: 2001 });
  });
});
