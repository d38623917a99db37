import { expect } from "chai";
import { sendSheet } from "../../support/impex.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("dates with slashes in a file (conventions §22)", () => {
  let service: TestService;
  let tenant: Tenant;

  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const OPEN = "Titel;Deadline\nEen;03/04/2026\nTwee;2026-05-01\n";
  const deadlines = async () =>
    (await tenant.owner.get("/tasks?sort=title")).body.items.map(({ due_date: date }: { due_date: string }) => date);

  it("are named by a dry run where nothing decides their order, and need one to be imported", async () => {
    const rehearsed = await sendSheet(tenant.owner, "task", OPEN);
    expect(rehearsed.body).to.deep.include({
      ambiguous: [{ column: "Deadline", example: "03/04/2026", as: "2026-04-03" }],
      errors: [],
    });
    const refused = await sendSheet(tenant.owner, "task", OPEN, "?dry_run=false");
    expect([refused.status, refused.body.error.fields]).to.deep.equal([422, { date_order: "impex.errors.ambiguous_dates" }]);
    expect(await deadlines()).to.deep.equal([]);
    const wrong = await sendSheet(tenant.owner, "task", OPEN, "?date_order=ymd");
    expect([wrong.status, Object.keys(wrong.body.error.fields)]).to.deep.equal([422, ["date_order"]]);
    const taken = await sendSheet(tenant.owner, "task", OPEN, "?dry_run=false&date_order=mdy");
    expect(taken.body).to.deep.include({ created: 2, ambiguous: [], taken_as: [] });
    expect(await deadlines()).to.deep.equal(["2026-03-04", "2026-05-01"]);
  });

  it("follow the rows of their column, and then the rest of the file", async () => {
    const decided = await sendSheet(tenant.owner, "task", "Titel;Deadline\nEen;03/04/2026\nTwee;03/14/2026\n", "?dry_run=false");
    expect(decided.body).to.deep.include({ created: 2, ambiguous: [], taken_as: [] });
    expect(await deadlines()).to.deep.equal(["2026-03-04", "2026-03-14"]);
    const american = await sendSheet(tenant.owner, "task", 'Titel,Deadline,Budget\nDrie,03/04/2026,"$1,200"\n', "?dry_run=false");
    expect(american.body).to.deep.include({ created: 1, taken_as: [{ column: "Deadline", as: "mdy" }] });
    expect((await tenant.owner.get("/tasks?q=drie")).body.items[0].due_date).to.equal("2026-03-04");
  });

  it("in hours have one order for days and clocks", async () => {
    const file = 'Description,Start,End\nWerk,"03/04/2026, 09:00:00 AM","03/04/2026, 01:30:00 PM"\n';
    const taken = await sendSheet(tenant.owner, "time_entry", file, "?dry_run=false");
    expect(taken.body, taken.text).to.deep.include({ created: 1, errors: [] });
    expect(taken.body.taken_as).to.deep.include.members([
      { column: "Start", as: "mdy" },
      { column: "End", as: "mdy" },
    ]);
    const [entry] = (await tenant.owner.get("/time/entries?date_from=2026-03-01&date_to=2026-03-31")).body.items;
    expect([entry.started_at, entry.minutes]).to.deep.equal(["2026-03-04T08:00:00+00:00", 270]);
  });
}).timeout(60_000);
