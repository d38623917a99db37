import { expect } from "chai";
import { keepEvents } from "../../../support/jobs.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { eventsOf } from "../../clients/companies/company-records.ts";
import { type Records, recordsOf } from "./interaction-records.ts";

const PATH = "/interactions";
const GRANTS = [
  "interactions.interaction.read",
  "interactions.interaction.write:own",
  "interactions.interaction.delete:own",
  "interactions.interaction.review",
  "activity.read",
  "companies.company.read",
];

describe("the review of messages", () => {
  let service: TestService;
  let tenant: Tenant;
  let reader: Caller;
  let records: Records;
  before(async () => {
    service = await sharedService();
    await keepEvents(service);
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    records = recordsOf(service, tenant);
    reader = await tenant.member("member", { grants: GRANTS });
  });
  after(() => service.stop());

  const act = (what: string, id: string, body: object = {}, by = reader) => by.post(`${PATH}/${id}/${what}`, body);
  const events = async (id: string) => (await eventsOf(service.sql, id)).map(({ event }) => event);
  const refused = ({ status, body }: { status: number; body: { error: { message: string } } }) => [status, body.error.message];

  it("files a message as matched, except for the sent fields", async () => {
    const [matched, other] = [await tenant.company(), await tenant.company()];
    const project = await records.project({ company_id: matched.id });
    const id = await records.message(reader, { company_id: matched.id, project_id: project });
    const { status, body } = await act("approve", id, { company_id: other.id, project_id: null });
    expect(status).to.equal(200);
    expect(body).to.deep.include({ status: "logged", company_id: other.id, project_id: null });
    expect(await events(id)).to.deep.equal(["interaction.approved"]);
    const trail = (await reader.get(`/activity?entity_type=company&entity_id=${other.id}`)).body;
    expect(trail.map(({ action }: { action: string }) => action)).to.include("interaction.logged");
    expect((await tenant.owner.get(`${PATH}/${id}`)).status).to.equal(200);
    expect(refused(await act("approve", id))).to.deep.equal([409, "errors.interactions_not_pending"]);
  });

  it("joins the conversation of the thread", async () => {
    const first = await records.message(reader, { mail_thread_id: "thread" });
    const second = await records.message(reader, { mail_thread_id: "thread", occurred_at: "2026-03-02T09:00:00Z" });
    const stranger = await records.message(reader, { mail_thread_id: "another" });
    await act("approve", first);
    expect((await act("approve", second)).body).to.deep.include({ conversation_id: first, conversation_count: 2 });
    expect((await act("approve", stranger)).body.conversation_count).to.equal(1);
  });

  it("makes one conversation of messages that are approved at once, together or one by one", async () => {
    const thread = (name: string) =>
      Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => records.message(reader, { mail_thread_id: name })));
    const conversationsOf = async (ids: string[]): Promise<number> =>
      (
        await service.sql.query(
          "select count(distinct conversation_id)::int as n from interactions where organisation_id = $1 and status = 'logged' and id = any($2)",
          [tenant.organisation.id, ids],
        )
      ).rows[0].n;
    for (const name of ["a", "b", "c"]) {
      const ids = await thread(name);
      const answers = await Promise.all(ids.map((id) => act("approve", id)));
      expect(answers.map(({ status }) => status)).to.deep.equal(ids.map(() => 200));
      expect(await conversationsOf(ids)).to.equal(1);
    }
    const together = await thread("d");
    expect((await reader.post(`${PATH}/review/approve`, { ids: together })).body).to.deep.equal({ updated: 8 });
    expect(await conversationsOf(together)).to.equal(1);
  });

  it("is the mailbox owner's alone, and of messages alone", async () => {
    const logged = await records.message(reader, { status: "logged" });
    expect(refused(await act("remap", logged, {}, tenant.owner))).to.deep.equal([403, "errors.interactions_owner_only"]);
    expect((await act("approve", await records.message(reader), {}, tenant.owner)).status).to.equal(404);
    const { id } = (await reader.post(PATH, { kind: "note" })).body;
    for (const what of ["approve", "remap", "reject"])
      expect(refused(await act(what, id)), what).to.deep.equal([409, "errors.interactions_manual_no_review"]);
  });

  it("leaves a client and a project that were emptied as they are, unless a task or project is sent", async () => {
    const company = await tenant.company();
    const project = await records.project({ company_id: company.id });
    const task = await records.task({ project_id: project });
    const id = await records.message(reader, { company_id: company.id, project_id: project, task_id: task });
    const filed = ({ body: { company_id, project_id, task_id } }: { body: Record<string, unknown> }) => [
      company_id,
      project_id,
      task_id,
    ];
    expect(filed(await act("remap", id, { company_id: null, project_id: null }))).to.deep.equal([null, null, task]);
    expect(filed(await act("remap", id, { contact_ids: [] }))).to.deep.equal([null, null, task]);
    expect(filed(await act("approve", id))).to.deep.equal([null, null, task]);
    expect(filed(await act("remap", id, { task_id: task }))).to.deep.equal([company.id, project, task]);
  });

  it("moves an already filed message, and keeps omitted fields", async () => {
    const company = await tenant.company();
    const id = await records.message(reader, { status: "logged", company_id: company.id });
    expect((await act("remap", id, {})).body.company_id).to.equal(company.id);
    expect((await act("remap", id, { company_id: null })).body).to.deep.include({ company_id: null, status: "logged" });
  });

  it("refuses a message permanently, with its thread on request", async () => {
    const [one, other] = [
      await records.message(reader, { mail_thread_id: "a", message_id: "<a@x>" }),
      await records.message(reader, { mail_thread_id: "b", message_id: "<b@x>" }),
    ];
    expect((await act("reject", one)).status).to.equal(204);
    expect(await events(one)).to.deep.equal(["interaction.rejected"]);
    expect((await act("reject", other, { suppress_thread: true })).status).to.equal(204);
    const { rows } = await service.sql.query(
      "select kind, value from interaction_suppressions where organisation_id = $1 and owner_account_id = $2 order by kind, value",
      [tenant.organisation.id, reader.accountId],
    );
    expect(rows.map(({ kind, value }) => `${kind} ${value}`)).to.deep.equal(["message <a@x>", "message <b@x>", "thread b"]);
    expect((await reader.get(`${PATH}/${one}`)).status).to.equal(404);
  });

  it("accepts 1 to 200 at once, all or none", async () => {
    const company = await tenant.company();
    const ids = await Promise.all([1, 2, 3].map(() => records.message(reader)));
    const many = (what: string, body: object) => reader.post(`${PATH}/review/${what}`, body);
    expect((await many("approve", { ids: [] })).status).to.equal(422);
    expect((await many("approve", { ids: Array(201).fill(ids[0]) })).status).to.equal(422);
    const note = (await reader.post(PATH, { kind: "note" })).body.id;
    expect((await many("approve", { ids: [...ids, note] })).status).to.equal(409);
    expect((await many("assign", { ids, company_id: company.id })).body).to.deep.equal({ updated: 3 });
    expect((await many("approve", { ids: ids.slice(0, 2) })).body).to.deep.equal({ updated: 2 });
    expect((await many("reject", { ids: ids.slice(2) })).body).to.deep.equal({ updated: 1 });
    const { body } = await tenant.owner.get(`${PATH}?company_id=${company.id}`);
    expect(body.total).to.equal(2);
  });

  it("decides once where two come at once", async () => {
    const id = await records.message(reader);
    const answers = await Promise.all([act("approve", id), act("reject", id), act("approve", id)]);
    expect(answers.filter(({ status }) => status < 300)).to.have.length(1);
    expect((await events(id)).length).to.equal(1);
  });
});
