import { expect } from "chai";
import { fetchSheet } from "../../../support/impex.ts";
import { multipart } from "../../../support/multipart.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";

const MESSAGE = [
  "From: Ann Open <ann@open.example>",
  "To: Hugo Hidden <hugo@hidden.example>",
  "Subject: Together",
  "Date: Mon, 2 Mar 2026 09:00:00 +0000",
  "Message-ID: <together@open.example>",
  "",
  "Hello.",
].join("\r\n");

describe("records of a hidden client that moments, tasks and hours of a visible one refer to (contact moments §3, conventions §5)", () => {
  let service: TestService;
  let tenant: Tenant;
  let restricted: Caller;
  let [open, hidden] = [] as unknown as [{ id: string; name: string }, { id: string; name: string }];
  let [ann, hugo, project, task] = ["", "", "", ""];
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    [open, hidden] = [await tenant.company({ name: "Open" }), await tenant.company({ name: "Hidden" })];
    restricted = await tenant.member("admin");
    await tenant.group("Some", [open.id], [restricted.membershipId]);
    const contact = (first_name: string, last_name: string, client: { id: string }) =>
      made("/contacts", {
        first_name,
        last_name,
        email: `${first_name}@${last_name}.example`.toLowerCase(),
        company_ids: [client.id],
      });
    [ann, hugo] = [await contact("Ann", "Open", open), await contact("Hugo", "Hidden", hidden)];
    project = await made("/projects", { name: "Hidden project", company_id: hidden.id });
    task = await made("/tasks", { title: "Hidden task", company_id: hidden.id });
  });
  after(() => service.stop());

  const made = async (path: string, body: object): Promise<string> => {
    const answer = await tenant.owner.post(path, body);
    if (answer.status !== 201) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return answer.body.id;
  };
  const moment = (contact_ids: string[], values: object = {}) =>
    made("/interactions", { kind: "call", subject: "A call", company_id: open.id, contact_ids, ...values });
  const read = async (id: string, who = restricted) => (await who.get(`/interactions/${id}`)).body;
  const NOTHING = { project_id: null, project_name: null, task_id: null, task_title: null };

  it("leaves project, task and contacts of a moment null or out: in the row, the list, the panel and the answer of a change", async () => {
    const id = await moment([hugo, ann], { project_id: project, task_id: task });
    const shown = { ...NOTHING, company_name: "Open", contact_id: null, contacts: [{ contact_id: ann, name: "Ann Open" }] };
    const panels = (await restricted.get(`/companies/${open.id}/panels`)).body;
    const panel = panels.find(({ key }: { key: string }) => key === "interactions.company").data;
    for (const row of [
      await read(id),
      (await restricted.get("/interactions")).body.items[0],
      panel.items[0],
      (await restricted.patch(`/interactions/${id}`, { subject: "Another call" })).body,
    ])
      expect(row).to.deep.include({ id, ...shown });
    expect(await read(id, tenant.owner)).to.deep.include({
      project_name: "Hidden project",
      task_title: "Hidden task",
      contact_id: hugo,
      contacts: [
        { contact_id: hugo, name: "Hugo Hidden" },
        { contact_id: ann, name: "Ann Open" },
      ],
    });
  });

  it("leaves of a participant the address alone, in a message that was uploaded without a word about contacts", async () => {
    const { body, headers } = multipart([
      { name: "company_id", content: open.id },
      { name: "file", content: MESSAGE, type: "message/rfc822", fileName: "together.eml" },
    ]);
    const uploaded = await tenant.owner.post("/interactions/eml", body, { headers });
    expect([uploaded.status, uploaded.body.contacts.length]).to.deep.equal([201, 2]);
    const { participants, contacts } = await read(uploaded.body.id);
    expect(participants).to.deep.equal([
      { email: "ann@open.example", name: "Ann Open", role: "from", contact_id: ann, user_id: null },
      { email: "hugo@hidden.example", name: null, role: "to", contact_id: null, user_id: null },
    ]);
    expect(contacts).to.deep.equal([{ contact_id: ann, name: "Ann Open" }]);
  });

  it("finds nothing by a filter that names a hidden record, and sorts without its name", async () => {
    const first = await moment([ann]);
    const second = await moment([hugo], { project_id: project, task_id: task });
    for (const filter of [
      `contact_id=${hugo}`,
      `project_id=${project}`,
      `project_id=${project}&include=tasks`,
      `task_id=${task}`,
    ]) {
      expect((await tenant.owner.get(`/interactions?${filter}`)).body.total, filter).to.equal(1);
      expect((await restricted.get(`/interactions?${filter}`)).body, filter).to.include({ total: 0 });
    }
    const sorted = async (who: Caller) =>
      (await who.get("/interactions?sort=-contact")).body.items.map(({ id }: { id: string }) => id);
    expect([await sorted(tenant.owner), await sorted(restricted)]).to.deep.equal([
      [second, first],
      [first, second],
    ]);
  });

  it("keeps a hidden contact when a caller who does not see it changes the contacts of the moment", async () => {
    const id = await moment([hugo, ann]);
    const contacts = async () => (await read(id, tenant.owner)).contacts.map((one: { contact_id: string }) => one.contact_id);
    expect((await restricted.patch(`/interactions/${id}`, { contact_ids: [] })).body.contacts).to.deep.equal([]);
    expect(await contacts()).to.deep.equal([hugo]);
    await restricted.patch(`/interactions/${id}`, { contact_ids: [ann] });
    expect(await contacts()).to.deep.equal([hugo, ann]);
    expect((await restricted.patch(`/interactions/${id}`, { contact_ids: [hugo] })).status).to.equal(200);
    await tenant.owner.patch(`/interactions/${id}`, { contact_ids: [] });
    expect(await contacts()).to.deep.equal([]);
  });

  it("leaves cells of exports of tasks and hours empty", async () => {
    const mine = await made("/tasks", { title: "Open task", company_id: open.id, project_id: project });
    await made("/time/entries", {
      company_id: open.id,
      project_id: project,
      task_id: task,
      started_at: "2026-03-02T09:00:00Z",
      minutes: 30,
    });
    const sheet = async (who: Caller, path: string) =>
      (await fetchSheet(service.port, tenant.host, who.key, path)).toString().trim().split("\r\n");
    for (const [path, shown] of [
      ["/impex/task", "Hidden project"],
      ["/impex/time_entry?all_users=true", "Hidden project"],
      ["/impex/time_entry?all_users=true", task],
    ] as const) {
      expect((await sheet(tenant.owner, path)).join("\n"), path).to.contain(shown);
      const narrow = await sheet(restricted, path);
      expect(narrow.length, path).to.equal(2);
      expect(narrow.join("\n"), path).to.not.contain(shown);
    }
    const [, row = ""] = await sheet(restricted, "/impex/task");
    const [id, title, , named] = row.split(",");
    expect([id, title, named]).to.deep.equal([mine, "Open task", ""]);
  });

  it("keeps the subject of a hidden moment out of the trail of a visible task, by both ways to it", async () => {
    const mine = await made("/tasks", { title: "Open task", company_id: open.id });
    const secret = { kind: "call", subject: "Hidden subject", company_id: hidden.id, task_id: mine };
    const id = await made("/interactions", secret);
    await tenant.owner.patch(`/tasks/${mine}`, { status: "done", closing_interaction_id: id });
    const ofTask = async (who: Caller) => [
      (await who.get(`/tasks/${mine}`)).body.activities,
      (await who.get(`/activity?entity_type=task&entity_id=${mine}`)).body,
    ];
    for (const lines of await ofTask(tenant.owner)) expect(JSON.stringify(lines)).to.contain("Hidden subject");
    for (const lines of await ofTask(restricted)) {
      const payloads = Object.fromEntries(
        lines.map(({ action, payload }: { action: string; payload: object }) => [action, payload]),
      );
      expect(payloads["interaction.logged"]).to.deep.equal({ interaction_id: id, subject: null, kind: "call" });
      expect(payloads["status_changed"]).to.deep.include({ closing_interaction_id: id, closing_subject: null });
    }
    const visible = await moment([], { task_id: mine, subject: "Open subject" });
    for (const lines of await ofTask(restricted))
      expect(JSON.stringify(lines)).to.contain("Open subject").and.to.contain(visible).and.not.to.contain("Hidden subject");
  });
});
