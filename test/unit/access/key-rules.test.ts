import { expect } from "chai";
import { areScopes, coversScopes, expiryOf } from "../../../services/access/keys/key-rules.ts";

const NOW = new Date("2026-03-02T12:00:00.000Z");
const PAST = { refused: "errors.apikey_expiry_past" };
const TOO_FAR = { refused: "errors.apikey_expiry_too_far" };

describe("expiryOf", () => {
  const cases: [name: string, asked: string | null | undefined, parent: string | null, expected: unknown][] = [
    ["absent: never", undefined, null, { at: null }],
    ["null: never", null, null, { at: null }],
    ["absent below a key that ends: with it", undefined, "2026-04-01T00:00:00Z", { at: "2026-04-01T00:00:00Z" }],
    ["null below a key that ends: with it", null, "2026-04-01T00:00:00Z", { at: "2026-04-01T00:00:00Z" }],
    ["now", "2026-03-02T12:00:00Z", null, PAST],
    ["a millisecond ago", "2026-03-02T11:59:59.999Z", null, PAST],
    ["a millisecond ahead", "2026-03-02T12:00:00.001Z", null, { at: "2026-03-02T12:00:00.001Z" }],
    ["now, written in another zone", "2026-03-02T13:00:00+01:00", null, PAST],
    ["366 days ahead to the millisecond", "2027-03-03T12:00:00Z", null, { at: "2027-03-03T12:00:00.000Z" }],
    ["a millisecond more than 366 days", "2027-03-03T12:00:00.001Z", null, TOO_FAR],
    ["as long as the creating key", "2026-04-01T00:00:00Z", "2026-04-01T00:00:00Z", { at: "2026-04-01T00:00:00.000Z" }],
    ["longer than the creating key", "2026-04-01T00:00:00.001Z", "2026-04-01T00:00:00Z", TOO_FAR],
    ["past, and the creating key ends too", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z", PAST],
  ];
  for (const [name, asked, parent, expected] of cases)
    it(name, () => expect(expiryOf(asked, NOW, parent)).to.deep.equal(expected));
});

describe("areScopes", () => {
  it("takes catalogue permissions in stored form", () => {
    expect(areScopes(["companies.company.read", "time.entry.read:own", "time.entry.read:any"])).to.equal(true);
  });

  for (const scope of [
    "*",
    "time.entry.read",
    "companies.company.read:any",
    "no.such.key",
    "",
    "time.entry.read:all",
    "mcp:full",
  ])
    it(`refuses '${scope}'`, () => expect(areScopes(["companies.company.read", scope])).to.equal(false));
});

describe("coversScopes", () => {
  const cases: [grants: string[], scopes: string[], expected: boolean][] = [
    [["*"], ["settings.roles.manage", "time.entry.read:any"], true],
    [["time.entry.read:any"], ["time.entry.read:own"], true],
    [["time.entry.read:own"], ["time.entry.read:any"], false],
    [["time.entry.read:own"], ["time.entry.read:own"], true],
    [["companies.company.read"], ["companies.company.read", "companies.company.write"], false],
    [[], ["companies.company.read"], false],
  ];
  for (const [grants, scopes, expected] of cases)
    it(`${grants.join() || "nothing"} ${expected ? "covers" : "does not cover"} ${scopes.join()}`, () =>
      expect(coversScopes(grants, scopes)).to.equal(expected));
});
