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
    expect(await events(id)).to.deep.equal(["interaction.approved", "interaction.logged"]);
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
    expect((await reader.post(`${PATH}/review/approve`, { ids: together })).body).to.deep.equal({ succeeded: 8, failed: [] });
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

  it("accepts 1 to 200 at once, each on its own", async () => {
    const company = await tenant.company();
    const ids = await Promise.all([1, 2, 3].map(() => records.message(reader)));
    const many = (what: string, body: object) => reader.post(`${PATH}/review/${what}`, body);
    expect((await many("approve", { ids: [] })).status).to.equal(422);
    expect((await many("approve", { ids: Array(201).fill(ids[0]) })).status).to.equal(422);
    const note = (await reader.post(PATH, { kind: "note" })).body.id;
    const unknown = crypto.randomUUID();
    const logged = await records.message(reader, { status: "logged" });
    const refusals = [
      { id: unknown, error: "errors.not_found" },
      { id: note, error: "errors.interactions_manual_no_review" },
    ];
    const assigned = await many("assign", { ids: [ids[0], note, ids[1], unknown, ids[2], ids[1]], company_id: company.id });
    expect([assigned.status, assigned.body]).to.deep.equal([200, { succeeded: 3, failed: refusals }]);
    expect((await many("assign", { ids, company_id: unknown })).status).to.equal(404);
    const theirs = await records.message(tenant.owner);
    expect((await many("approve", { ids: [theirs, unknown] })).body).to.deep.equal({
      succeeded: 0,
      failed: [theirs, unknown].map((id) => ({ id, error: "errors.not_found" })),
    });
    const pending = { id: logged, error: "errors.interactions_not_pending" };
    expect((await many("approve", { ids: [note, logged, ...ids.slice(0, 2), unknown] })).body).to.deep.equal({
      succeeded: 2,
      failed: [...refusals, pending],
    });
    expect((await many("reject", { ids: [logged, ...ids.slice(2)] })).body).to.deep.equal({ succeeded: 1, failed: [pending] });
    const { body } = await tenant.owner.get(`${PATH}?company_id=${company.id}`);
    expect(body.total).to.equal(2);
  });

  describe("a message that was logged elsewhere while it was waiting", () => {
    const copies = async (values: Record<string, unknown> = {}) => {
      const other = await tenant.member("member");
      const company = await tenant.company();
      const logged = await records.message(other, { status: "logged", message_id: "<Copy@x.example>", ...values });
      const id = await records.message(reader, { message_id: "Copy@X.example", company_id: company.id });
      return { logged, id, companyId: company.id };
    };

    it("gives way to the logged one, which is the answer", async () => {
      const { logged, id } = await copies();
      const { status, body } = await act("approve", id);
      expect([status, body.id, body.status]).to.deep.equal([200, logged, "logged"]);
      expect((await reader.get(`${PATH}/${id}`)).status).to.equal(404);
      expect((await reader.get(`${PATH}?status=pending`)).body.total).to.equal(0);
      expect(await events(id)).to.deep.equal([]);
    });

    it("does so in a batch as well, and the second of two own copies gives way to the first", async () => {
      const { id } = await copies();
      const [one, two, three] = [
        await records.message(reader, { message_id: "<twice@x.example>" }),
        await records.message(reader, { message_id: "<twice@x.example>" }),
        await records.message(reader, { message_id: "<once@x.example>" }),
      ];
      const { body } = await reader.post(`${PATH}/review/approve`, { ids: [id, one, two, three] });
      expect(body).to.deep.equal({ succeeded: 4, failed: [] });
      expect((await reader.get(`${PATH}/${one}`)).body.status).to.equal("logged");
      expect((await reader.get(`${PATH}/${two}`)).status).to.equal(404);
    });

    it("joins its conversation if its owner does not see the logged one", async () => {
      const hidden = await tenant.company();
      const mine = await tenant.company();
      const { logged, id, companyId } = await copies({ company_id: hidden.id });
      await tenant.group("Mine", [mine.id, companyId], [reader.membershipId]);
      const { status, body } = await act("approve", id, { company_id: mine.id });
      expect([status, body.id, body.conversation_id, body.conversation_count]).to.deep.equal([200, id, logged, 1]);
    });
  });

  it("decides once where two come at once", async () => {
    const id = await records.message(reader);
    const answers = await Promise.all([act("approve", id), act("reject", id), act("approve", id)]);
    expect(answers.filter(({ status }) => status < 300)).to.have.length(1);
    expect((await events(id)).filter((name) => name !== "interaction.logged")).to.have.length(1);
  });
});
