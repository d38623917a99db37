import { expect } from "chai";
import { registrationIn } from "../../../integrations/edge/provider/reading.ts";

describe("the expiry of a registration at the edge (assets §6, Sync 5)", () => {
  for (const [reported, read] of [
    ["2027-03-01T10:20:30Z", "2027-03-01T10:20:30Z"],
    ["2027-03-01T10:20:30.123456Z", "2027-03-01T10:20:30.123456Z"],
    ["2027-03-01T00:30:00+02:00", "2027-02-28T22:30:00Z"],
    ["2027-03-01", "2027-03-01T00:00:00Z"],
    ["2027-03-01T10:20:30", "2027-03-01T10:20:30Z"],
    ["2027-02-29T00:00:00Z", null],
    ["2027-02-30", null],
    ["0000-01-01T00:00:00Z", null],
    ["0000-00-00", null],
    ["soon", null],
    ["", null],
    [20270301, null],
  ] as const)
    it(`is ${read} of ${JSON.stringify(reported)}, whatever the zone of the node`, () => {
      const zone = process.env["TZ"];
      process.env["TZ"] = "America/New_York";
      try {
        const at = registrationIn({ name: "a.example", expires_at: reported })?.expires_at ?? null;
        expect(at && new Date(at).getTime()).to.equal(read && new Date(read).getTime());
      } finally {
        if (zone === undefined) delete process.env["TZ"];
        else process.env["TZ"] = zone;
      }
    });
});
