import { expect } from "chai";
import { GoogleCalendar } from "../../simulators/google/calendar.ts";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import { until } from "../../support/jobs.ts";
import type { Tenant } from "../../support/service.ts";
import { type CalendarWorld, type Colleague, startCalendars } from "./calendar-world.ts";

const WEBHOOK = "/workspace/calendar/webhook";

describe("A push whose pull finds the sync token expired (workspace §2.3)", () => {
  let world: CalendarWorld;
  let tenant: Tenant;
  before(async () => {
    world = await startCalendars({ SERVICE_PUBLIC_SCHEME: "https" });
    ({ tenant } = await world.organisation({ timezone: "Europe/Amsterdam" }));
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const ids = async ({ caller }: Colleague) => (await world.feed(caller, day(0), day(9))).map(({ id }) => id).sort();
  const stateOf = async ({ caller }: Colleague) =>
    (
      await world.service.sql.query(
        `select k.last_error from workspace_calendars k
          join workspace_connections c on c.id = k.connection_id where c.account_id = $1`,
        [caller.accountId],
      )
    ).rows[0] as { last_error: string | null };
  const event = (id: string) => ({ id, summary: id, start: { date: day(1) }, end: { date: day(2) } });

  it("refills once; if the refill is 410 too, the old events stay until the next push refills", async () => {
    const ann = await world.colleague(tenant, (calendar) => {
      for (const id of ["stays0", "goes00"]) calendar.put(event(id));
    });
    const push = () =>
      world.service.call("POST", WEBHOOK, {
        headers: GoogleCalendar.message(ann.calendar.channels[0] as never, "exists"),
        host: tenant.host,
      });
    ann.calendar.events.delete("goes00");
    world.google.calendar.expireSyncTokens();
    const refill = ({ query }: { query: URLSearchParams }) => query.has("timeMin");
    const end = world.google.failWhen(refill, GoogleSimulator.refusing(410, "fullSyncRequired"));
    world.google.received.length = 0;
    expect((await push()).status).to.equal(200);
    await until(async () => (await stateOf(ann)).last_error !== null);
    expect(await ids(ann)).to.deep.equal(["goes00", "stays0"]);
    end();
    expect((await push()).status).to.equal(200);
    await world.settle();
    expect(await ids(ann)).to.deep.equal(["stays0"]);
    const reads = world.asked().filter((call) => call.startsWith("GET"));
    expect(reads.filter((call) => call.includes("timeMin")).length, "refills").to.be.within(2, 3);
    expect((await stateOf(ann)).last_error).to.equal(null);
  });
});
