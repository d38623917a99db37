import { expect } from "chai";
import { fillPeople } from "../../../../services/people/demo/demo-people.ts";
import { fillWork } from "../../../../services/work/demo/demo-work.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";

describe("work of the demo organisation", () => {
  let service: TestService;
  let tenant: Tenant;
  const fill = () => fillWork({ organisation: tenant.organisation, owner: tenant.owner.email });
  const count = async (from: string): Promise<number> =>
    (await service.sql.query(`select count(*)::int as n from ${from}`, [tenant.organisation.id])).rows[0].n;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    for (let n = 0; n < 4; n++) await tenant.member("member");
    await fillPeople({ client: service.sql, organisation: tenant.organisation, owner: tenant.owner.email });
    for (let n = 0; n < 16; n++) {
      const { id } = await tenant.company();
      await tenant.owner.post("/contacts", { first_name: "Carla", email: `carla${n}@client.example`, company_ids: [id] });
    }
    await fill();
  });
  after(() => service.stop());

  it("are 14 projects in every state, for different clients", async () => {
    expect(await count("projects where organisation_id = $1")).to.equal(14);
    expect(await count("(select distinct status from projects where organisation_id = $1) s")).to.equal(4);
    expect(await count("(select distinct company_id from projects where organisation_id = $1) c")).to.equal(14);
  });

  it("are about 120 tasks with rosters, labels, comments, checklists and planned blocks", async () => {
    expect(await count("tasks where organisation_id = $1")).to.be.within(110, 130);
    for (const table of ["task_comments", "task_checklists", "task_label_links", "task_schedules", "task_blockers"])
      expect(await count(`${table} where organisation_id = $1`), table).to.be.greaterThan(5);
    expect(
      await count(`tasks t where organisation_id = $1 and not exists (
        select 1 from task_assignees a where a.organisation_id = t.organisation_id and a.task_id = t.id and a.is_primary)`),
    ).to.equal(0);
  });

  it("are six months of hours of 12 people, with days that were forgotten", async () => {
    expect(await count("(select distinct user_id from time_entries where organisation_id = $1) u")).to.equal(12);
    const days = await count("(select distinct user_id, started_at::date from time_entries where organisation_id = $1) d");
    expect(days).to.be.within(12 * 110, 12 * 130);
    expect(
      await count(`time_entries a join time_entries b using (organisation_id, user_id)
        where organisation_id = $1 and a.id < b.id and a.started_at < b.ended_at and b.started_at < a.ended_at`),
      "two at the same time",
    ).to.equal(0);
  });

  it("are messages of the owner's mailbox: a conversation, one more, and one that waits for the owner alone", async () => {
    const mail = async (caller = tenant.owner) => (await caller.get("/interactions?kind=email&sort=occurred_at")).body.items;
    const [conversation, single, waiting] = await mail();
    expect(conversation).to.deep.include({ source: "mail", conversation_count: 2, direction: "outbound", status: "logged" });
    expect(single).to.deep.include({ conversation_count: 1, direction: "inbound", status: "logged" });
    expect(waiting).to.deep.include({ status: "pending", owner_user_id: tenant.owner.accountId, body_text: null });
    expect(waiting.contacts).to.have.length(1);
    expect(await mail(await tenant.member("admin"))).to.have.length(2);
  });

  it("come once", async () => {
    const before = await count("time_entries where organisation_id = $1");
    await fill();
    expect(await count("time_entries where organisation_id = $1")).to.equal(before);
  });
});
