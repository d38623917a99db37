import { expect } from "chai";
import { addDays, dateIn, isoWeekday } from "../../../core/calendar/calendar.ts";
import { fillCalendars } from "../../../integrations/workspace/demo/demo-calendars.ts";
import { fire } from "../../support/jobs.ts";
import type { Caller } from "../../support/service.ts";
import { type CalendarWorld, startCalendars } from "./calendar-world.ts";

describe("the demo of calendars", () => {
  let world: CalendarWorld;
  before(async () => {
    // Even with an OAuth client of the installation, the demo makes no call.
    world = await startCalendars({ SERVICE_WORKSPACE_CLIENT_ID: "instance", SERVICE_WORKSPACE_CLIENT_SECRET: "secret" });
  });
  after(() => world.stop());

  it("has the owner and a colleague connected with events of this week, once, without a call", async () => {
    const tenant = await world.service.tenant();
    const colleague = await tenant.member("member", { name: "Bo" });
    const demo = {
      client: world.service.sql,
      organisation: tenant.organisation,
      owner: tenant.owner.email,
      colleagues: [{ id: colleague.accountId, name: "Bo" }],
    };
    await fillCalendars(demo);
    await fillCalendars(demo);
    const today = dateIn("Europe/Amsterdam", Date.now());
    const monday = addDays(today, 1 - isoWeekday(today));
    const week = (caller: Caller) => world.feed(caller, monday, addDays(monday, 6));
    const titles = (await week(tenant.owner)).map(({ title }) => title);
    expect(titles).to.deep.equal([
      "09:00 Weekstart",
      "13:30 Kennismaking nieuwe klant",
      "10:00 Schetsen bespreken",
      "Beurs Webwinkel",
      "16:00 Tandarts",
      "15:30 Vrijdagmiddagborrel",
    ]);
    expect(await week(colleague)).to.have.length(6);
    for (const name of ["poll", "renew", "sweep"]) await fire(world.service, `workspace.calendar.${name}`);
    expect(world.google.received).to.deep.equal([]);
    expect((await tenant.owner.get("/workspace/connections/me")).body.connection.status).to.equal("active");
  });
});
