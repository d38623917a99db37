import { expect } from "chai";
import { addDays } from "../../../../core/calendar/dates.ts";
import { dateIn } from "../../../../core/calendar/zones.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "../../clients/companies/company-records.ts";
import { type Records, recordsOf } from "./interaction-records.ts";

const PATH = "/interactions";
const EVERYTHING = [
  "interactions.interaction.read",
  "interactions.interaction.write:own",
  "interactions.interaction.delete:own",
  "interactions.interaction.review",
];

describe("contact moments", () => {
  let service: TestService;
  let tenant: Tenant;
  let records: Records;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    records = recordsOf(service, tenant);
  });
  after(() => service.stop());

  const create = (body: object) => tenant.owner.post(PATH, body);
  const made = async (body: object) => (await create(body)).body;
  const subjects = async (query = "", by = tenant.owner): Promise<string[]> =>
    (await by.get(`${PATH}${query}`)).body.items.map(({ subject }: { subject: string }) => subject);
  const contact = async (values: object = {}) => (await tenant.owner.post("/contacts", { first_name: "Ann", ...values })).body.id;
  const trailOf = async (kind: string, id: string) =>
    (await tenant.owner.get(`/activity?entity_type=${kind}&entity_id=${id}`)).body.map(
      ({ action }: { action: string }) => action,
    );

  it("are stored with all known fields", async () => {
    const company = await tenant.company();
    const { status, body } = await create({
      kind: "call",
      subject: " About the site ",
      body_markdown: "**Agreed** <script>x</script>on [prices](https://x.example)",
      direction: "outbound",
      occurred_at: "2026-01-15T10:30:00+02:00",
      company_id: company.id,
    });
    expect(status).to.equal(201);
    expect(body).to.deep.include({
      org_id: tenant.organisation.id,
      kind: "call",
      status: "logged",
      source: "manual",
      direction: "outbound",
      snippet: "Agreed on prices",
      body_text: "Agreed on prices",
      body_markdown: "**Agreed** on [prices](https://x.example)",
      company_id: company.id,
      company_name: company.name,
      project_id: null,
      task_id: null,
      contact_id: null,
      contacts: [],
      closes_task: false,
      owner_user_id: tenant.owner.accountId,
      participants: [],
      mail_thread_id: null,
      conversation_id: body.id,
      conversation_count: 1,
      deep_link: null,
    });
    expect(Date.parse(body.occurred_at)).to.equal(Date.parse("2026-01-15T08:30:00Z"));
    expect((await tenant.owner.get(`${PATH}/${body.id}`)).body).to.deep.equal(body);
  });

  it("happen on the organisation's clock where no offset is sent", async () => {
    const { occurred_at: winter } = await made({ kind: "call", occurred_at: "2026-01-15T10:30:00" });
    const { occurred_at: summer } = await made({ kind: "call", occurred_at: "2026-07-15T10:30" });
    expect([winter, summer].map((at: string) => new Date(at).toISOString())).to.deep.equal([
      "2026-01-15T09:30:00.000Z",
      "2026-07-15T08:30:00.000Z",
    ]);
  });

  it("have no subject where it is blank", async () => {
    expect((await made({ kind: "note", subject: "  " })).subject).to.equal(null);
  });

  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const refused: [what: string, body: object, fields: Record<string, string>][] = [
    ["no kind", {}, { kind: "errors.required" }],
    ["an unknown kind", { kind: "smoke" }, { kind: "errors.validation" }],
    ["the kind of messages", { kind: "email" }, { kind: "errors.interactions_kind_not_manual" }],
    ["a subject over 500 characters", { kind: "call", subject: "x".repeat(501) }, { subject: "errors.validation" }],
    ["a subject of two lines", { kind: "call", subject: "a\nb" }, { subject: "errors.validation" }],
    ["a day that is none", { kind: "call", occurred_at: "2026-02-30T10:00:00" }, { occurred_at: "errors.validation" }],
    ["a time more than two days ahead", { kind: "call", occurred_at: inDays(2.01) }, { occurred_at: "errors.validation" }],
    ["a direction that is none", { kind: "call", direction: "up" }, { direction: "errors.validation" }],
  ];
  for (const [what, body, fields] of refused)
    it(`refuse ${what}`, async () => {
      expect(refusalOf(await create(body))).to.deep.equal(invalidOn(fields));
    });

  it("find their client by task and project if none is named", async () => {
    const [own, other] = [await tenant.company(), await tenant.company()];
    const project = await records.project({ company_id: own.id });
    const task = await records.task({ project_id: project });
    const ofOther = await records.task({ project_id: project, company_id: other.id });
    expect((await made({ kind: "call", project_id: project })).company_id).to.equal(own.id);
    expect((await made({ kind: "call", task_id: task })).company_id).to.equal(own.id);
    expect((await made({ kind: "call", task_id: ofOther })).company_id).to.equal(other.id);
    expect((await made({ kind: "call", task_id: task, company_id: other.id })).company_id).to.equal(other.id);
  });

  it("take the project of their task, on create and with another task, unless one is sent", async () => {
    const company = await tenant.company();
    const [one, two] = [await records.project({ company_id: company.id }), await records.project({ company_id: company.id })];
    const task = async (project_id: string) => (await tenant.owner.post("/tasks", { title: "T", project_id })).body.id;
    const [first, second] = [await task(one), await task(two)];
    const moment = await made({ kind: "call", task_id: first });
    expect([moment.project_id, moment.company_id]).to.deep.equal([one, company.id]);
    const filed = async (body: object) => (await tenant.owner.patch(`${PATH}/${moment.id}`, body)).body.project_id;
    expect(await filed({ task_id: second })).to.equal(two);
    expect(await filed({ task_id: first, project_id: two })).to.equal(two);
    expect(await filed({ task_id: second, project_id: null })).to.equal(null);
  });

  it("keep no client and no project once emptied, until a task or project is sent", async () => {
    const company = await tenant.company();
    const project = await records.project({ company_id: company.id });
    const task = await records.task({ project_id: project });
    const { id } = await made({ kind: "call", task_id: task });
    const filed = async (values: object) => {
      const { body } = await tenant.owner.patch(`${PATH}/${id}`, values);
      return [body.company_id, body.project_id];
    };
    expect(await filed({ company_id: null, project_id: null })).to.deep.equal([null, null]);
    expect(await filed({ subject: "Later" })).to.deep.equal([null, null]);
    expect(await filed({ project_id: project })).to.deep.equal([company.id, project]);
    expect(await filed({ company_id: null })).to.deep.equal([null, project]);
    expect(await filed({ body_markdown: "Words" })).to.deep.equal([null, project]);
  });

  it("are not found with a reference that is not there, another organisation's included", async () => {
    const stranger = await service.tenant();
    const { id: foreign } = await stranger.company();
    const nothing = "00000000-0000-4000-8000-000000000000";
    for (const reference of [{ company_id: foreign }, { project_id: nothing }, { task_id: nothing }, { contact_ids: [nothing] }])
      expect((await create({ kind: "call", ...reference })).status, JSON.stringify(reference)).to.equal(404);
  });

  it("keep participants in order: `contact_ids` overrides `contact_id`, [] empties, omitted fields stay", async () => {
    const [ann, bob, cas] = [await contact(), await contact({ first_name: "Bob" }), await contact({ first_name: "Cas" })];
    const { id } = await made({ kind: "call", contact_id: cas, contact_ids: [bob, ann, bob] });
    const people = async (body: object) => {
      const { body: answer } = await tenant.owner.patch(`${PATH}/${id}`, body);
      return [answer.contact_id, answer.contacts.map(({ contact_id }: { contact_id: string }) => contact_id)];
    };
    expect(await people({ subject: "Same" })).to.deep.equal([bob, [bob, ann]]);
    expect(await people({ contact_id: ann })).to.deep.equal([ann, [ann, bob]]);
    expect(await people({ contact_id: cas })).to.deep.equal([cas, [cas, ann, bob]]);
    expect(await people({ contact_ids: [] })).to.deep.equal([null, []]);
  });

  it("leave a line with the records they are about, and one of their own", async () => {
    const company = await tenant.company();
    const project = await records.project({ company_id: company.id });
    const { id } = await made({ kind: "call", project_id: project, subject: "Start" });
    expect(await trailOf("company", company.id)).to.include("interaction.logged");
    await tenant.owner.patch(`${PATH}/${id}`, { subject: "Start", direction: "none" });
    expect(await trailOf("interaction", id)).to.deep.equal(["created"]);
    await tenant.owner.patch(`${PATH}/${id}`, { subject: "Begin" });
    expect(await trailOf("interaction", id)).to.deep.equal(["updated", "created"]);
  });

  it("are changed and deleted by their owner, by another only with `:any`", async () => {
    const [writer, colleague] = [
      await tenant.member("member", { grants: EVERYTHING }),
      await tenant.member("member", { grants: EVERYTHING }),
    ];
    const { id } = (await writer.post(PATH, { kind: "note", subject: "Mine" })).body;
    expect((await colleague.get(`${PATH}/${id}`)).status).to.equal(200);
    expect((await colleague.patch(`${PATH}/${id}`, { subject: "Ours" })).status).to.equal(403);
    expect((await colleague.delete(`${PATH}/${id}`)).status).to.equal(404);
    expect((await writer.patch(`${PATH}/${id}`, { subject: "Still mine" })).status).to.equal(200);
    expect((await tenant.owner.patch(`${PATH}/${id}`, { subject: "Everyone's" })).status).to.equal(200);
    expect((await writer.delete(`${PATH}/${id}`)).status).to.equal(204);
  });

  it("of a mailbox are not changed by hand", async () => {
    const id = await records.message(tenant.owner, { status: "logged" });
    const { status, body } = await tenant.owner.patch(`${PATH}/${id}`, { subject: "Other" });
    expect([status, body.error.code, body.error.message]).to.deep.equal([
      409,
      "invalid_state",
      "errors.interactions_mail_readonly",
    ]);
  });

  it("that wait are their mailbox owner's alone, regardless of others' permissions", async () => {
    const reader = await tenant.member("member", { grants: EVERYTHING });
    const id = await records.message(reader, { subject: "Private" });
    for (const refusal of [
      await tenant.owner.get(`${PATH}/${id}`),
      await tenant.owner.patch(`${PATH}/${id}`, {}),
      await tenant.owner.delete(`${PATH}/${id}`),
    ])
      expect(refusal.status).to.equal(404);
    expect(await subjects()).to.deep.equal([]);
    expect(await subjects(`?owner_user_id=${reader.accountId}`)).to.deep.equal([]);
    expect(await subjects("", reader)).to.deep.equal(["Private"]);
    expect((await reader.get(`${PATH}/${id}`)).status).to.equal(200);
  });

  it("of another owner can be requested only with permission to read all", async () => {
    const reader = await tenant.member("member", { grants: EVERYTHING });
    await made({ kind: "note", subject: "The owner's" });
    expect((await reader.get(`${PATH}?owner_user_id=${tenant.owner.accountId}`)).status).to.equal(403);
    expect(await subjects(`?owner_user_id=${reader.accountId}`, reader)).to.deep.equal([]);
    expect(await subjects("?mine=true", reader)).to.deep.equal([]);
    expect(await subjects("", reader)).to.deep.equal(["The owner's"]);
    expect(await subjects(`?owner_user_id=${tenant.owner.accountId}`)).to.deep.equal(["The owner's"]);
  });

  describe("in a list", () => {
    it("come newest first, by any key, and are filtered by all they are about", async () => {
      const [one, other] = [await tenant.company(), await tenant.company()];
      const project = await records.project({ company_id: one.id });
      const task = await records.task({ project_id: project });
      const ann = await contact();
      await made({
        kind: "call",
        subject: "a",
        company_id: one.id,
        occurred_at: "2026-01-01T10:00:00Z",
        contact_ids: [await contact(), ann],
      });
      await made({ kind: "note", subject: "b", project_id: project, occurred_at: "2026-01-03T10:00:00Z" });
      const { id: c } = await made({ kind: "note", subject: "c", task_id: task, occurred_at: "2026-01-02T22:59:00Z" });
      expect((await tenant.owner.patch(`${PATH}/${c}`, { project_id: null })).body.project_id).to.equal(null);
      await made({
        kind: "call",
        subject: "d",
        company_id: other.id,
        occurred_at: "2026-01-02T23:00:00Z",
        body_markdown: "Needle",
      });
      expect(await subjects()).to.deep.equal(["b", "d", "c", "a"]);
      expect(await subjects("?sort=-subject")).to.deep.equal(["d", "c", "b", "a"]);
      expect(await subjects("?sort=contact")).to.deep.equal(["a", "b", "d", "c"]);
      expect(await subjects(`?company_id=${one.id}`)).to.deep.equal(["b", "c", "a"]);
      expect(await subjects(`?project_id=${project}`)).to.deep.equal(["b"]);
      expect(await subjects(`?project_id=${project}&include=tasks`)).to.deep.equal(["b", "c"]);
      expect(await subjects(`?task_id=${task}`)).to.deep.equal(["c"]);
      expect(await subjects(`?contact_id=${ann}`)).to.deep.equal(["a"]);
      expect(await subjects("?kind=note")).to.deep.equal(["b", "c"]);
      expect(await subjects("?q=needLE")).to.deep.equal(["d"]);
      // Local days of Amsterdam: 22:59 UTC is still the second, 23:00 is the third.
      expect(await subjects("?date_from=2026-01-02&date_to=2026-01-02")).to.deep.equal(["c"]);
      expect((await tenant.owner.get(`${PATH}?sort=colour`)).body.error.code).to.equal("invalid_sort");
      const { body } = await tenant.owner.get(`${PATH}?limit=1&offset=1`);
      expect([body.items[0].subject, body.total, body.limit, body.offset]).to.deep.equal(["d", 4, 1, 1]);
      expect((await tenant.owner.get(`${PATH}?limit=2&count=false`)).body.total).to.equal(2);
    });

    it("omit the body unless requested", async () => {
      await made({ kind: "note", subject: "a", body_markdown: "Words" });
      const bodies = async (query: string) => (await tenant.owner.get(`${PATH}${query}`)).body.items[0].body_text;
      expect([await bodies(""), await bodies("?with_body=true")]).to.deep.equal([null, "Words"]);
    });

    it("fold to the newest remaining message of each conversation", async () => {
      const company = await tenant.company();
      const first = await records.message(tenant.owner, { status: "logged", subject: "first", company_id: company.id });
      const later = { status: "logged", conversation_id: first, company_id: company.id };
      await records.message(tenant.owner, { ...later, subject: "Re: first, with a needle", occurred_at: "2026-03-02T09:00:00Z" });
      await records.message(tenant.owner, { ...later, subject: "Re: Re: first", occurred_at: "2026-03-03T09:00:00Z" });
      await made({ kind: "call", subject: "alone", occurred_at: "2026-03-02T12:00:00Z" });
      const { body } = await tenant.owner.get(PATH);
      expect(body.total).to.equal(2);
      expect(
        body.items.map((item: { subject: string; conversation_count: number }) => [item.subject, item.conversation_count]),
      ).to.deep.equal([
        ["Re: Re: first", 3],
        ["alone", 1],
      ]);
      expect(await subjects("?q=needle")).to.deep.equal(["Re: first, with a needle"]);
      expect(await subjects(`?company_id=${company.id}`)).to.deep.equal(["Re: Re: first"]);
      const [narrowed] = (await tenant.owner.get(`${PATH}?q=needle`)).body.items;
      expect(narrowed.conversation_count, "the whole thread, whatever is asked for").to.equal(3);
    });

    it("are filtered by state, twenty a page by default", async () => {
      await records.message(tenant.owner, { subject: "waits" });
      for (let n = 0; n < 20; n++) await made({ kind: "note", subject: `note ${n}` });
      expect(await subjects("?status=pending")).to.deep.equal(["waits"]);
      expect(await subjects("?status=logged&limit=200"))
        .to.have.length(20)
        .and.not.include("waits");
      const { items, total, limit } = (await tenant.owner.get(PATH)).body;
      expect([items.length, total, limit]).to.deep.equal([20, 21, 20]);
    });

    it("cost as many statements for many rows as for few", async () => {
      const cost = async () => (await tenant.owner.get(`${PATH}?limit=100`)).headers["x-statements"];
      await made({ kind: "note" });
      const few = await cost();
      const someone = await contact();
      for (let n = 0; n < 12; n++) await made({ kind: "note", contact_ids: [someone] });
      expect(await cost()).to.equal(few);
    });
  });

  it("of a conversation are deleted together, or not at all", async () => {
    const writer = await tenant.member("member", { grants: EVERYTHING });
    const first = await records.message(writer, { status: "logged" });
    const second = await records.message(tenant.owner, { status: "logged", conversation_id: first });
    const waiting = await records.message(writer, { conversation_id: first });
    expect((await writer.delete(`${PATH}/${first}`)).status).to.equal(404);
    expect((await writer.delete(`${PATH}/${waiting}`)).status).to.equal(204);
    expect((await tenant.owner.delete(`${PATH}/${second}`)).status).to.equal(204);
    expect((await tenant.owner.get(`${PATH}/${first}`)).status).to.equal(404);
    const { rows } = await service.sql.query("select 1 from interaction_suppressions where organisation_id = $1", [
      tenant.organisation.id,
    ]);
    expect(rows).to.deep.equal([]);
  });

  it("of a conversation that reaches a hidden client are not deleted by a caller who cannot see it", async () => {
    const [seen, hidden] = [await tenant.company(), await tenant.company()];
    const restricted = await tenant.member("admin");
    await tenant.group("Seen", [seen.id], [restricted.membershipId]);
    const first = await records.message(tenant.owner, { status: "logged", company_id: seen.id });
    const second = await records.message(tenant.owner, { status: "logged", company_id: hidden.id, conversation_id: first });
    expect((await restricted.delete(`${PATH}/${first}`)).status).to.equal(404);
    const bulk = await restricted.post("/bulk/interaction/delete", { ids: [first] });
    expect(bulk.body).to.deep.equal({ succeeded: 0, failed: [{ id: first, error: "errors.not_found" }] });
    for (const id of [first, second]) expect((await tenant.owner.get(`${PATH}/${id}`)).status).to.equal(200);
    expect((await tenant.owner.delete(`${PATH}/${first}`)).status).to.equal(204);
  });

  it("report the last contact with a company", async () => {
    const company = await tenant.company();
    const tile = async () =>
      (await tenant.owner.get(`/companies/${company.id}/summary`)).body.find(
        ({ key }: { key: string }) => key === "interactions.last",
      );
    expect(await tile()).to.equal(undefined);
    // At noon: late in the evening so many times 24 hours ago is another day where the clock was put back since.
    const today = dateIn("Europe/Amsterdam", new Date().toISOString());
    const ago = (days: number) => `${addDays(today, -days)}T12:00:00Z`;
    for (const [days, tone] of [
      [100, "bad"],
      [60, "warn"],
      [3, "neutral"],
    ] as const) {
      await made({ kind: "call", company_id: company.id, occurred_at: ago(days) });
      expect(await tile(), tone).to.deep.include({ format: "date", tone, hint_params: { days } });
    }
    const panels = (await tenant.owner.get(`/companies/${company.id}/panels`)).body;
    expect(panels.find(({ key }: { key: string }) => key === "interactions.company").data.items).to.have.length(3);
  });

  it("are hidden with their client from callers who cannot see it", async () => {
    const [seen, hidden] = [await tenant.company(), await tenant.company()];
    const narrow = await tenant.member("member", { grants: EVERYTHING });
    await tenant.group("Some", [seen.id], [narrow.membershipId]);
    await made({ kind: "note", subject: "seen", company_id: seen.id });
    await made({ kind: "note", subject: "nobody's" });
    const { id } = await made({ kind: "note", subject: "hidden", project_id: await records.project({ company_id: hidden.id }) });
    expect((await subjects("", narrow)).sort()).to.deep.equal(["nobody's", "seen"]);
    expect((await narrow.get(`${PATH}/${id}`)).status).to.equal(404);
    expect((await narrow.get(PATH)).body.total).to.equal(2);
  });

  it("are hidden with the client that their task has come to", async () => {
    const [seen, hidden] = [await tenant.company(), await tenant.company()];
    const narrow = await tenant.member("member", { grants: EVERYTHING });
    await tenant.group("Some", [seen.id], [narrow.membershipId]);
    const task_id = await records.task();
    const { id } = await made({ kind: "note", subject: "on a task", task_id });
    expect(await subjects("", narrow)).to.deep.equal(["on a task"]);
    await tenant.owner.patch(`/tasks/${task_id}`, { company_id: hidden.id });
    expect(await subjects("", narrow)).to.deep.equal([]);
    for (const refused of [await narrow.get(`${PATH}/${id}`), await narrow.patch(`${PATH}/${id}`, { subject: "Mine" })])
      expect(refused.status).to.equal(404);
    await tenant.owner.patch(`/tasks/${task_id}`, {
      company_id: null,
      project_id: await records.project({ company_id: seen.id }),
    });
    expect(await subjects("", narrow)).to.deep.equal(["on a task"]);
  });

  describe("mentions in their notes", () => {
    const marker = (id: string) => `@[Name](mention:${id})`;
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers
    const heard = async (caller: Pick<Tenant["owner"], "get">): Promise<any[]> =>
      (await caller.get("/notifications?count=false")).body.items.filter(
        ({ event_type }: { event_type: string }) => event_type === "interactions.mentioned",
      );

    it("notify each member named, once and at once, and no one else", async () => {
      const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
      const stranger = await service.tenant();
      const client = await tenant.member("client");
      const others = [stranger.owner.accountId, client.accountId, tenant.owner.accountId].map(marker).join(" ");
      const notes = `Call back **soon** ${marker(anna.accountId)} ${marker(anna.accountId)} ${others}`;
      const moment = await made({ kind: "note", subject: "Renewal", body_markdown: notes });
      const [row, ...more] = await heard(anna);
      expect(more).to.deep.equal([]);
      expect(row).to.deep.include({ entity_type: "interaction", entity_id: moment.id, read_at: null });
      expect(row.payload).to.deep.include({ interaction_id: moment.id, title: "Renewal" });
      expect(row.payload.excerpt)
        .to.be.a("string")
        .and.match(/^Call back soon @Name/);
      for (const caller of [bob, client, tenant.owner, stranger.owner]) expect(await heard(caller)).to.deep.equal([]);
    });

    it("never cut the title through a character of two UTF-16 units", async () => {
      const anna = await tenant.member("member");
      const notes = `${"n".repeat(238)}\u{1f600} and more ${marker(anna.accountId)}`;
      const answer = await create({ kind: "note", body_markdown: notes });
      expect([answer.status, answer.body.snippet]).to.deep.equal([201, `${"n".repeat(238)}…`]);
      expect((await heard(anna)).map(({ payload }) => payload.title)).to.deep.equal([`${"n".repeat(238)}…`]);
    });

    it("notify newly named members of a change, with the beginning of the notes if there is no subject", async () => {
      const [anna, bob] = [await tenant.member("member"), await tenant.member("member")];
      const moment = await made({ kind: "note", body_markdown: `First ${marker(anna.accountId)}` });
      const change = async (body: object) =>
        expect((await tenant.owner.patch(`${PATH}/${moment.id}`, body)).status).to.equal(200);
      await anna.post("/notifications/mark-all-read");
      await change({ body_markdown: `Second ${marker(anna.accountId)} and ${marker(bob.accountId)}` });
      await change({ subject: "Named now" });
      expect((await heard(anna)).map(({ payload }) => payload.title)).to.deep.equal(["First @Name"]);
      expect((await heard(bob)).map(({ payload }) => payload.title)).to.deep.equal(["Second @Name and @Name"]);
    });

    it("notify no one who does not see the client", async () => {
      const [seen, hidden] = [await tenant.company(), await tenant.company()];
      const anna = await tenant.member("member");
      await tenant.group("Ours", [seen.id], [anna.membershipId]);
      for (const company of [hidden, seen])
        await made({ kind: "note", company_id: company.id, subject: company.id, body_markdown: marker(anna.accountId) });
      expect((await heard(anna)).map(({ payload }) => payload.title)).to.deep.equal([seen.id]);
    });
  });
});
