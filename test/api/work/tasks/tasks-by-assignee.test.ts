import { expect } from "chai";
import { taskListing } from "../../../../services/work/tasks/task.list.ts";
import { nodesOf, type Plan } from "../../../support/lists/large.ts";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";

/** Enough tasks that the people below have more than a page fetches by their ids (core/database/lists/first.ts). */
const TASKS = 1_500;
const LIMIT = 5;

describe("GET /tasks?sort=assignee", () => {
  let service: TestService;
  let tenant: Tenant;
  let people: string[];
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
    people = [];
    for (const name of ["Bob", "Same", "SAME", "Zoë"]) {
      const { accountId } = await tenant.member("admin");
      await service.sql.query("update accounts set full_name = $2 where id = $1", [accountId, name]);
      people.push(accountId);
    }
    const [bob, same, alike, zoe] = people;
    // The first use of the statuses makes them.
    await tenant.owner.get("/tasks/statuses");
    await service.sql.query(
      `insert into tasks (id, organisation_id, title, status, position)
       select gen_random_uuid(), $1, 'Task ' || n, 'open', n from generate_series(1, ${TASKS}) n`,
      [tenant.organisation.id],
    );
    // Bob's are spread, Zoë's are the last ones, and the tasks of the two of one name alternate.
    await service.sql.query(
      `insert into task_assignees (organisation_id, task_id, account_id, is_primary)
       select t.organisation_id, t.id, a.id, a.id is distinct from $4 or t.position < 1000 from tasks t cross join lateral (select case
           when t.position <= 800 then case when t.position::int % 2 = 0 then $2::uuid end
           when t.position <= 820 then case t.position::int % 3 when 0 then $3::uuid when 1 then $4::uuid end
           when t.position > ${TASKS - 250} then $5::uuid
           when t.position > 1000 and t.position::int % 50 = 0 then $4::uuid end as id) a
        where t.organisation_id = $1 and a.id is not null`,
      [tenant.organisation.id, bob, same, alike, zoe],
    );
  });
  after(() => service.stop());

  for (const sort of ["assignee", "-assignee"])
    for (const offset of [0, 240, 248, 390, 398, 408, 650, TASKS - 3])
      it(`shows the tasks from ${offset} on by ${sort}: by name in any case, then in the board's order, those without one last`, async () => {
        const { rows } = await service.sql.query(
          `select t.id from tasks t left join task_assignees r on r.task_id = t.id and r.is_primary left join accounts a on a.id = r.account_id
            where t.organisation_id = $1
            order by a.full_name collate kantoor_text ${sort.startsWith("-") ? "desc" : ""} nulls last, t.position limit ${LIMIT} offset ${offset}`,
          [tenant.organisation.id],
        );
        const { status, body, text } = await tenant.owner.get(`/tasks?sort=${sort}&limit=${LIMIT}&offset=${offset}`);
        expect(status, text).to.equal(200);
        expect(body.items.map(({ id }: { id: string }) => id)).to.deep.equal(rows.map(({ id }) => id));
        expect(body.total).to.equal(TASKS);
      });

  it("reads some of a person's many tasks, and a page of the board's order", async () => {
    const wanted = { limit: 1, offset: 0, count: false, selection: null, sort: "assignee" };
    const [{ text }, values] = taskListing.page(tenant.organisation.id, wanted).bound;
    await service.sql.query("analyze tasks, task_assignees");
    await service.sql.query("begin");
    await service.sql.query("select set_config('app.organisation_id', $1, true), set_config('enable_seqscan', 'off', true)", [
      tenant.organisation.id,
    ]);
    const { rows } = await service.sql.query(`explain (analyze, format json) ${text}`, values);
    await service.sql.query("rollback");
    const read = nodesOf(rows[0]["QUERY PLAN"][0].Plan as Plan)
      .filter((node) => ["tasks", "task_assignees"].includes(node["Relation Name"] ?? ""))
      .reduce((sum, node) => sum + Number(node["Actual Rows"]) * Number(node["Actual Loops"]), 0);
    // Bob has 400: the root of 3.4 × 2 × 1,500 tells that they are too many to fetch.
    expect(read).to.be.within(101, 200);
  });
});
