import { expect } from "chai";
import { keepEvents } from "../../support/jobs.ts";
import { eventsOf } from "../clients/companies/company-records.ts";
import { recordsOf } from "../work/interactions/interaction-records.ts";
import { CLIENT, type MailPerson, type MailWorld, startMail } from "./mail-world.ts";

describe("How messages of a mailbox are filed (workspace §2.5)", () => {
  let world: MailWorld;
  let ann: MailPerson;
  let company: string;
  before(async () => {
    world = await startMail();
    await keepEvents(world.service);
  });
  beforeEach(async () => {
    await world.begin();
    company = (await world.tenant.company()).id;
    await world.contact(CLIENT, [company]);
    ann = await world.colleague();
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const polled = async (logged = 1) => {
    expect((await world.poll(ann)).body).to.deep.include({ status: "polled", logged });
    return (await world.moments(ann.caller))[0] as Record<string, unknown> & { id: string };
  };
  const events = async (id: string) => (await eventsOf(world.service.sql, id)).map(({ event }) => event);
  const named = (moment: Record<string, unknown>) =>
    (moment["contacts"] as { contact_id: string }[]).map(({ contact_id }) => contact_id);

  it("ranks outsiders before insiders and From and To before Cc, and takes the oldest link of the first (S14)", async () => {
    const agency = (await world.tenant.company({ name: "Agency" })).id;
    const insider = await world.contact(ann.caller.email, [agency]);
    const [older, newer] = [(await world.tenant.company()).id, (await world.tenant.company()).id];
    const copied = await world.contact("copied@client.example", [company]);
    const dora = await world.contact("dora@other.example", [older]);
    await world.tenant.owner.patch(`/contacts/${dora}`, { company_ids: [newer, older] });
    world.deliver(ann, { from: ann.google.email, to: "dora@other.example", cc: "copied@client.example", labels: ["SENT"] });
    const moment = await polled();
    expect(named(moment)).to.deep.equal([dora, copied, insider]);
    expect(moment).to.deep.include({ company_id: older, contact_id: dora, direction: "outbound" });
  });

  it("files an outsider without a client to none, and never to the agency", async () => {
    const agency = (await world.tenant.company({ name: "Agency" })).id;
    await world.contact(ann.caller.email, [agency]);
    await world.contact("prospect@new.example");
    world.deliver(ann, { from: "prospect@new.example" });
    expect((await polled())["company_id"]).to.equal(null);
  });

  it("is outbound where a colleague wrote it from another mailbox", async () => {
    const other = await world.tenant.member("member");
    world.deliver(ann, { from: other.email, to: `${CLIENT}, ${ann.google.email}` });
    expect((await polled())["direction"]).to.equal("outbound");
  });

  it("copies the references of the newest logged message of its thread", async () => {
    const other = (await world.tenant.company()).id;
    const project = await recordsOf(world.service, world.tenant).project({ company_id: other });
    const first = world.deliver(ann, { from: CLIENT, at: Date.now() - 60_000 });
    const { id } = await polled();
    await ann.caller.post(`/interactions/${id}/approve`, { company_id: other, project_id: project });
    world.deliver(ann, { from: CLIENT, threadId: first.threadId });
    const [follow] = (await polled()) && (await world.moments(ann.caller, "&status=pending"));
    expect(follow).to.deep.include({ company_id: other, project_id: project, conversation_count: 1 });
    // Approved, it joins the conversation.
    const { body } = await ann.caller.post(`/interactions/${follow?.["id"]}/approve`, {});
    expect(body).to.deep.include({ conversation_id: id, conversation_count: 2, company_id: other });
    expect(await events(body.id)).to.include.members(["interactions.email_pending", "interaction.approved"]);
  });

  it("logs what follows in a logged thread at once where the organisation says so", async () => {
    const first = world.deliver(ann, { from: CLIENT });
    const { id } = await polled();
    await ann.caller.post(`/interactions/${id}/approve`, {});
    await world.workspace.configure({ mail_thread_followup: "inherit_approve" });
    world.deliver(ann, { from: CLIENT, threadId: first.threadId });
    world.deliver(ann, { from: CLIENT });
    await polled(2);
    expect((await world.rows()).map((row) => row["status"])).to.deep.equal(["logged", "logged", "pending"]);
    expect((await world.tenant.owner.get(`/interactions/${id}`)).body.conversation_count).to.equal(2);
  });

  it("logs every message at once where the organisation approves all, with its line on the client and no notification", async () => {
    await world.workspace.configure({ mail_approval_mode: "auto_approve" });
    world.deliver(ann, { from: CLIENT });
    const { id } = await polled();
    expect((await world.tenant.owner.get(`/interactions/${id}`)).body).to.deep.include({ status: "logged", company_id: company });
    const lines = (await world.tenant.owner.get(`/activity?entity_type=company&entity_id=${company}`)).body;
    expect(lines.map(({ action }: { action: string }) => action)).to.include("interaction.logged");
    // For rules and webhooks; no one is notified of it.
    expect(await events(id)).to.deep.equal(["interaction.logged"]);
  });

  it("files out of no sight: the owner of the mailbox sees all messages to review", async () => {
    const mine = (await world.tenant.company()).id;
    await world.tenant.group("few", [mine], [ann.caller.membershipId]);
    world.deliver(ann, { from: CLIENT });
    expect(await polled()).to.deep.include({ status: "pending", company_id: null });
  });
});
