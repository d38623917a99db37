import { expect } from "chai";
import pg from "pg";
import { clockAround } from "../../../services/notifications/slots/clock.ts";
import { clockTable, clockValues, slot } from "../../../services/notifications/slots/slots.ts";
import { cloneDatabase, type TestDatabase } from "../../support/database.ts";

interface Rule {
  digest: string;
  delay?: number;
  time?: string;
  weekday?: number;
  quiet?: [start: string, end: string];
  zone?: string;
}

const RULE = { digest: "r.digest", delay: "r.delay", time: "r.time", weekday: "r.weekday" };
const asked = (isPushed: boolean) => `with ${clockTable(["$1", "$2", "$3"], "$4::timestamptz")}
  select s.at from (select $5::text as digest, $6::int as delay, $7::time as time, $8::int as weekday, $9::time as start, $10::time as finish) r
    cross join lateral ${slot(isPushed ? { ...RULE, quiet: { start: "r.start", end: "r.finish" } } : RULE)} s`;

describe("the time of a notification", () => {
  let database: TestDatabase;
  let client: pg.Client;
  before(async () => {
    database = await cloneDatabase();
    client = new pg.Client({ connectionString: database.application });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });

  const due = async (now: string, { digest, delay = 0, time, weekday, quiet, zone = "Europe/Madrid" }: Rule, isPushed = true) => {
    const values = [digest, delay, time ?? null, weekday ?? null, quiet?.[0] ?? null, quiet?.[1] ?? null];
    const { rows } = await client.query<{ at: Date | string }>(asked(isPushed), [
      ...clockValues(clockAround(zone, now)),
      now,
      ...values,
    ]);
    return new Date(rows[0]?.at as string).toISOString();
  };

  const NIGHT: [string, string] = ["21:30", "06:45"];
  const cases: [what: string, now: string, rule: Rule, expected: string][] = [
    // The table of platform chapter §10, in its order.
    ["at once in the night waits for its end", "2026-05-14T21:10:00Z", { digest: "immediate", quiet: NIGHT }, "2026-05-15T04:45"],
    ["at once after midnight does too", "2026-05-15T00:00:00Z", { digest: "immediate", quiet: NIGHT }, "2026-05-15T04:45"],
    ["at once at the end of the night leaves", "2026-05-15T04:45:00Z", { digest: "immediate", quiet: NIGHT }, "2026-05-15T04:45"],
    [
      "a delay may lead into the night",
      "2026-05-14T19:20:00Z",
      { digest: "immediate", delay: 15, quiet: NIGHT },
      "2026-05-15T04:45",
    ],
    ["so may the next hour", "2026-05-14T19:40:00Z", { digest: "hourly", quiet: NIGHT }, "2026-05-15T04:45"],
    ["a daily time in the night", "2026-05-14T10:00:00Z", { digest: "daily", time: "06:00", quiet: NIGHT }, "2026-05-15T04:45"],
    ["the night the clock goes forward", "2026-03-28T22:30:00Z", { digest: "immediate", quiet: NIGHT }, "2026-03-29T04:45"],
    ["the night the clock goes back", "2026-10-24T20:00:00Z", { digest: "immediate", quiet: NIGHT }, "2026-10-25T05:45"],
    [
      "a weekly time is strictly later",
      "2026-05-14T15:15:00Z",
      { digest: "weekly", weekday: 3, time: "17:15", quiet: NIGHT },
      "2026-05-21T15:15",
    ],
    // Its last paragraph.
    ["daily 08:00 when the clock goes forward", "2026-03-28T20:00:00Z", { digest: "daily" }, "2026-03-29T06:00"],
    ["daily 08:00 when the clock goes back", "2026-10-24T20:00:00Z", { digest: "daily" }, "2026-10-25T07:00"],
    ["a window within a day", "2026-05-14T10:30:00Z", { digest: "immediate", quiet: ["12:00", "13:15"] }, "2026-05-14T11:15"],
    // The additional rules.
    ["just before the window", "2026-05-14T09:59:00Z", { digest: "immediate", quiet: ["12:00", "13:15"] }, "2026-05-14T09:59"],
    ["at its start", "2026-05-14T10:00:00Z", { digest: "immediate", quiet: ["12:00", "13:15"] }, "2026-05-14T11:15"],
    ["at its end", "2026-05-14T11:15:00Z", { digest: "immediate", quiet: ["12:00", "13:15"] }, "2026-05-14T11:15"],
    ["equal ends are no window", "2026-05-14T10:00:00Z", { digest: "immediate", quiet: ["12:00", "12:00"] }, "2026-05-14T10:00"],
    ["a delay is minutes", "2026-05-14T10:00:00Z", { digest: "immediate", delay: 1440 }, "2026-05-15T10:00"],
    ["a delay is of immediate alone", "2026-05-14T10:10:00Z", { digest: "hourly", delay: 90 }, "2026-05-14T11:00"],
    ["the next hour on the hour", "2026-05-14T10:00:00Z", { digest: "hourly" }, "2026-05-14T11:00"],
    ["the full hour of the zone", "2026-05-14T10:10:00Z", { digest: "hourly", zone: "Asia/Kolkata" }, "2026-05-14T10:30"],
    ["the hour the clock skips", "2026-03-29T00:30:00Z", { digest: "hourly" }, "2026-03-29T01:00"],
    ["the hour it shows twice", "2026-10-25T00:30:00Z", { digest: "hourly" }, "2026-10-25T01:00"],
    ["daily later the same day", "2026-05-14T05:59:00Z", { digest: "daily" }, "2026-05-14T06:00"],
    ["daily at the very time is tomorrow", "2026-05-14T06:00:00Z", { digest: "daily" }, "2026-05-15T06:00"],
    ["daily at a time the clock skips", "2026-03-28T22:00:00Z", { digest: "daily", time: "02:30" }, "2026-03-29T01:30"],
    [
      "daily at a time it shows twice is the first",
      "2026-10-24T22:00:00Z",
      { digest: "daily", time: "02:30" },
      "2026-10-25T00:30",
    ],
    ["between the two it is tomorrow", "2026-10-25T01:00:00Z", { digest: "daily", time: "02:30" }, "2026-10-26T01:30"],
    ["weekly is Monday 08:00", "2026-05-14T10:00:00Z", { digest: "weekly" }, "2026-05-18T06:00"],
    ["weekly on Sunday", "2026-05-14T10:00:00Z", { digest: "weekly", weekday: 6 }, "2026-05-17T06:00"],
    ["weekly later today", "2026-05-14T10:00:00Z", { digest: "weekly", weekday: 3, time: "12:01" }, "2026-05-14T10:01"],
    ["weekly over a clock change", "2026-03-25T07:00:00Z", { digest: "weekly", weekday: 2 }, "2026-04-01T06:00"],
    [
      "a night that ends in the hour shown twice is not moved back",
      "2026-10-25T01:40:00Z",
      { digest: "immediate", quiet: ["22:00", "02:45"] },
      "2026-10-25T01:40",
    ],
    ["the date is the zone's", "2026-05-14T23:30:00Z", { digest: "daily", zone: "Pacific/Auckland" }, "2026-05-15T20:00"],
    ["a zone behind", "2026-05-14T02:00:00Z", { digest: "daily", zone: "America/St_Johns" }, "2026-05-14T10:30"],
    ["a zone without changes", "2026-05-14T10:00:00Z", { digest: "daily", zone: "UTC" }, "2026-05-15T08:00"],
  ];
  for (const [what, now, rule, expected] of cases)
    it(`${what}: ${now}`, async () => {
      expect((await due(now, rule)).slice(0, 16)).to.equal(expected);
    });

  it("never holds the inbox back", async () => {
    expect(await due("2026-05-14T21:10:00Z", { digest: "immediate", quiet: NIGHT }, false)).to.equal("2026-05-14T21:10:00.000Z");
    expect(await due("2026-05-14T10:00:00Z", { digest: "daily", time: "06:00", quiet: NIGHT }, false)).to.equal(
      "2026-05-15T04:00:00.000Z",
    );
  });
});
