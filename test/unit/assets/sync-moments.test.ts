import { createHash } from "node:crypto";
import { expect } from "chai";
import { syncMoment } from "../../../mixins/account-sync/sync-moments.ts";

const HOUR = 3_600_000;
const MIDNIGHT = "a0000000-0000-4000-8000-000000000000";
/** Its moment is 06:00 UTC of a period of a day. */
const SIX = "a0000000-0000-4000-8000-000001499700";
const at = (text: string) => Date.parse(`2026-06-${text}Z`);
/** An id as accounts have it, the same for the same number. */
const idOf = (number: number): string => createHash("sha256").update(String(number)).digest("hex").slice(0, 32);

describe("the moment of an account's sync by the clock (assets §5.12)", () => {
  for (const [what, id, hours, asked, now, wanted] of [
    ["switched off", SIX, 0, "01T00:00:00", "10T05:30:00", null],
    ["the next look comes first", SIX, 24, "09T07:00:00", "10T05:00:00", null],
    ["due before the next look", SIX, 24, "09T07:00:00", "10T05:00:01", "10T06:00:00"],
    ["asked for in this period", SIX, 24, "10T06:00:00", "10T07:00:00", null],
    ["asked for just before its moment", SIX, 24, "10T05:59:59", "10T05:59:59", "10T06:00:00"],
    ["passed over", MIDNIGHT, 24, "07T00:00:00", "10T13:00:00", "10T13:00:00"],
    ["passed over, spread over ten minutes", SIX, 24, "07T00:00:00", "10T13:00:00", "10T13:00:00"],
    ["a period of an hour", SIX, 1, "10T12:00:00", "10T12:00:00.001", "10T13:00:00"],
    ["two days", MIDNIGHT, 48, "10T00:00:00", "11T23:30:00", "12T00:00:00"],
    ["two days, in the middle", MIDNIGHT, 48, "10T00:00:00", "10T23:30:00", null],
  ] as const)
    it(`${what}: ${wanted}`, () => {
      const moment = syncMoment(id, hours, `2026-06-${asked}Z`, at(now));
      expect(moment?.toISOString() ?? null).to.equal(wanted === null ? null : new Date(at(wanted)).toISOString());
    });

  it("of missed runs is within ten minutes, each at its own", () => {
    const now = at("10T13:00:00");
    const moments = Array.from({ length: 200 }, (_, n) => syncMoment(idOf(n), 24, "2026-01-01T00:00:00Z", now)?.getTime() ?? 0);
    expect(Math.min(...moments)).to.be.at.least(now);
    expect(Math.max(...moments)).to.be.lessThan(now + 600_000);
    expect(new Set(moments).size).to.equal(200);
  });

  it("spreads accounts over the hours of a day", () => {
    const perHour = new Map<number, number>();
    for (let n = 0; n < 2_400; n++) {
      const looks = Array.from({ length: 24 }, (_, hour) => at("10T00:00:00") + hour * HOUR);
      const found = looks.flatMap((now) => syncMoment(idOf(n), 24, new Date(now).toISOString(), now) ?? []);
      expect(found, idOf(n)).to.have.length(1);
      const hour = (found[0] as Date).getUTCHours();
      perHour.set(hour, (perHour.get(hour) ?? 0) + 1);
    }
    expect(perHour.size).to.equal(24);
    for (const [hour, count] of perHour) expect(count, `at ${hour}`).to.be.within(60, 150);
  });

  for (const hours of [1, 6, 24, 36])
    it(`comes every ${hours} h, once, however the looks fall`, () => {
      for (let n = 0; n < 40; n++) {
        const first = at("01T00:00:00") + n * 60_000;
        const moments: number[] = [];
        for (let look = 0, last = first; look < hours * 20; look++) {
          const moment = syncMoment(idOf(n), hours, new Date(last).toISOString(), first + look * HOUR)?.getTime();
          if (moment === undefined || moment === moments.at(-1)) continue;
          moments.push(moment);
          last = moment;
        }
        expect(moments.length, idOf(n)).to.be.within(19, 20);
        for (const [index, moment] of moments.entries())
          if (index > 0) expect(moment - (moments[index - 1] as number), idOf(n)).to.equal(hours * HOUR);
      }
    });
});
