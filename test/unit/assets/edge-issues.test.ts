import { expect } from "chai";
import { hostsWithoutOrigin, isDelegated, newestOf, originOf } from "../../../integrations/edge/redirects/routing.ts";
import { ISSUES, issuesOf, type Situation } from "../../../integrations/edge/status/issues.ts";

const FINE: Situation = {
  candidates: 1,
  zone: { status: "active", paused: false },
  isDelegated: true,
  redirect: null,
  origin: null,
  conflicts: [],
  pagesLinks: [],
  domainStatus: "active",
  unavailable: [],
};
const ours = { last_status: "active", include_subdomains: true };
const REDIRECTING: Situation = {
  ...FINE,
  redirect: ours,
  domainStatus: "redirect",
  origin: { apex_proxied: true, www_proxied: true },
};
const [wide, partial] = [{ domain_wide: true }, { domain_wide: false }];

describe("issues of a domain at the edge (assets §8.3)", () => {
  const cases: [what: string, situation: Partial<Situation>, issues: string[]][] = [
    ["nothing wrong", {}, []],
    ["two zones of its name", { candidates: 2 }, ["duplicate_zone"]],
    ["no zone", { zone: null, isDelegated: false, candidates: 0 }, ["not_connected"]],
    ["a zone that is gone", { zone: { status: "gone", paused: true }, isDelegated: false }, ["not_connected"]],
    ["a zone that is pending", { zone: { status: "pending", paused: false } }, ["zone_pending"]],
    ["a zone that moved away", { zone: { status: "moved", paused: null } }, ["zone_pending"]],
    ["a zone that is paused", { zone: { status: "active", paused: true } }, ["zone_paused"]],
    ["other name servers", { isDelegated: false }, ["nameservers_not_delegated"]],
    ["name servers nobody knows", { isDelegated: null }, []],
    ["a link without its host", { pagesLinks: [{ status: "active", missing_at: "2026-01-01T00:00:00Z" }] }, ["pages_missing"]],
    ["a link that waits", { pagesLinks: [{ status: "pending", missing_at: null }] }, ["pages_pending"]],
    ["a link without any report", { pagesLinks: [{ status: null, missing_at: null }] }, []],
    ["a domain that says redirect alone", { domainStatus: "redirect", conflicts: [partial] }, ["domain_says_redirect"]],
    ["a foreign rule that takes it", { conflicts: [wide] }, ["edge_says_redirect"]],
    ["a foreign rule that takes it, as it says", { conflicts: [wide], domainStatus: "redirect" }, []],
    ["a probe that failed", { unavailable: ["dns"] }, ["token_error"]],
    ["no origin and no redirect of ours", { origin: { apex_proxied: false, www_proxied: false } }, []],
  ];
  for (const [what, change, issues] of cases)
    it(`of ${what}: ${issues.join(", ") || "none"}`, () => expect(issuesOf({ ...FINE, ...change })).to.deep.equal(issues));

  const redirecting: [what: string, change: Partial<Situation>, issues: string[]][] = [
    ["nothing wrong", {}, []],
    ["nothing sent yet", { redirect: { ...ours, last_status: "pending" } }, ["redirect_not_pushed"]],
    ["sending that failed", { redirect: { ...ours, last_status: "error" } }, ["redirect_not_pushed"]],
    ["the rule gone", { redirect: { ...ours, last_status: "missing" } }, ["redirect_missing"]],
    ["the rule changed", { redirect: { ...ours, last_status: "drift" } }, ["redirect_drift"]],
    ["nothing proxied", { origin: { apex_proxied: false, www_proxied: false } }, ["origin_missing", "origin_www_missing"]],
    [
      "nothing proxied, for the domain alone",
      { origin: { apex_proxied: false, www_proxied: false }, redirect: { ...ours, include_subdomains: false } },
      ["origin_missing"],
    ],
    ["records that were not read", { origin: null }, []],
    ["another redirect", { conflicts: [partial] }, ["redirect_conflict"]],
    ["a domain that says something else", { domainStatus: "active" }, ["edge_says_redirect"]],
  ];
  for (const [what, change, issues] of redirecting)
    it(`of a redirect with ${what}: ${issues.join(", ") || "none"}`, () =>
      expect(issuesOf({ ...REDIRECTING, ...change })).to.deep.equal(issues));

  it("lists them in their order", () => {
    const everything = issuesOf({
      candidates: 3,
      zone: { status: "pending", paused: true },
      isDelegated: false,
      redirect: { ...ours, last_status: "drift" },
      origin: { apex_proxied: false, www_proxied: false },
      conflicts: [wide],
      pagesLinks: [{ status: "blocked", missing_at: "2026-01-01T00:00:00Z" }],
      domainStatus: "parked",
      unavailable: ["pages"],
    });
    const impossible = ["not_connected", "redirect_not_pushed", "redirect_missing", "domain_says_redirect"];
    expect(everything).to.deep.equal(ISSUES.filter((issue) => !impossible.includes(issue)));
  });
});

describe("the origin of a redirect (assets §8.2)", () => {
  const record = (type: string, name: string, proxied: boolean | null = true) => ({ type, name, proxied });
  const cases: [what: string, records: ReturnType<typeof record>[], apex: boolean, www: boolean][] = [
    ["no record", [], false, false],
    ["an address of the domain", [record("A", "a.example")], true, false],
    ["addresses of both", [record("AAAA", "A.example."), record("CNAME", "www.a.example")], true, true],
    ["addresses past the edge", [record("A", "a.example", false), record("A", "www.a.example", null)], false, false],
    ["a record of another type", [record("MX", "a.example")], false, false],
    ["an address of a neighbour", [record("A", "b.example")], false, false],
  ];
  for (const [what, records, apex, www] of cases)
    it(`is read from ${what}`, () => {
      expect(originOf(records, "a.example")).to.deep.equal({
        apex_proxied: apex,
        www_proxied: www,
        has_records: records.length > 0,
      });
      const lacking = [...(apex ? [] : ["a.example"]), ...(www ? [] : ["www.a.example"])];
      expect(hostsWithoutOrigin(records, "a.example", true)).to.deep.equal(lacking);
      expect(hostsWithoutOrigin(records, "a.example", false)).to.deep.equal(apex ? [] : ["a.example"]);
    });
});

describe("delegation and age (assets §8.3)", () => {
  const cases: [expected: string[], observed: string[], delegated: boolean | null][] = [
    [[], [], null],
    [["ns1.edge.example"], [], null],
    [[], ["ns1.edge.example"], null],
    [["ns1.edge.example", "ns2.edge.example"], ["NS2.edge.example.", "old.example"], true],
    [["ns1.edge.example"], ["old.example"], false],
  ];
  for (const [expected, observed, delegated] of cases)
    it(`finds ${observed.join(", ") || "none"} against ${expected.join(", ") || "none"}: ${delegated}`, () =>
      expect(isDelegated(expected, observed)).to.equal(delegated));

  it("is as old as the last read part", () => {
    expect(newestOf([null, undefined])).to.equal(null);
    expect(newestOf(["2026-01-02T00:00:00+01:00", null, "2026-01-01T23:30:00Z"])).to.equal("2026-01-01T23:30:00Z");
  });
});
