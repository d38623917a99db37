import { expect } from "chai";
import { conflictOf, pageRuleConflicts, type RedirectConflict } from "../../../integrations/edge/redirects/rules/conflicts.ts";
import { concatenated, normalised, reachOf } from "../../../integrations/edge/redirects/rules/expression.ts";
import { type DomainSays, followed, targetsOf } from "../../../integrations/edge/redirects/rules/following.ts";
import { type HeldRule, ruleOf } from "../../../integrations/edge/redirects/rules/rule.ts";

const APEX = "a.example";
const FORM = 'http.host eq "a.example"';
const BELOW = `${FORM} or ends_with(http.host, ".a.example")`;

describe("reading an expression (assets §8.3)", () => {
  const reaches: [expression: unknown, includeSubdomains: boolean | null, isDomainWide: boolean][] = [
    [`(${FORM})`, false, true],
    [FORM, false, true],
    [`((  ( ${FORM} )  ))`, false, true],
    [`(lower(http.host)\n\teq "a.example")`, false, true],
    [`lower( http.host ) eq "a.example"`, false, true],
    [`(${BELOW})`, true, true],
    [`((http.host eq "a.example") or ends_with(http.host, ".a.example"))`, null, false],
    [`(lower(http.host) eq "a.example" or ends_with(lower(http.host),".a.example"))`, true, true],
    ['http.host in {"www.a.example" "a.example"}', null, true],
    ['(lower(http.host) in { "a.example" })', null, true],
    ['http.host in {"www.a.example"}', null, false],
    ['http.host in {"a.example"} and ssl', null, false],
    ['not http.host in {"a.example"}', null, false],
    ["http.host in $hosts", null, false],
    ['http.host eq "b.example"', null, false],
    ['(http.host eq "a.example") or (http.host eq "b.example")', null, false],
    ['(http.host eq "a.example" and http.request.uri.path eq "/")', null, false],
    ['upper(http.host) eq "a.example"', null, false],
    ['http.host eq "A.example"', null, false],
    ["true", null, false],
    ["", null, false],
    ['http.host eq "a.example', null, false],
    ["(http.host eq", null, false],
    [null, null, false],
    [17, null, false],
    [`(${"x ".repeat(5000)})`, null, false],
  ];
  for (const [expression, includeSubdomains, isDomainWide] of reaches)
    it(`finds ${String(expression).slice(0, 80)} ${isDomainWide ? "domain-wide" : "partial"}, subdomains ${includeSubdomains}`, () =>
      expect(reachOf(expression, APEX)).to.deep.equal({ includeSubdomains, isDomainWide }));

  it("keeps white space and brackets inside of strings", () => {
    expect(normalised('("a  b" eq "(")')).to.equal('"a  b" eq "("');
    expect(normalised('http.host eq "lower(http.host)"')).to.equal('http.host eq "lower(http.host)"');
  });
  it("strips only brackets that enclose everything", () => expect(normalised('("a") or ("b")')).to.equal('( "a" ) or ( "b" )'));

  const addresses: [expression: unknown, address: string | null][] = [
    ['concat("https://b.example", http.request.uri.path)', "https://b.example"],
    [' concat( "https://b.example" ,http.request.uri.path )', "https://b.example"],
    ['concat("https://b.example/\\"\\\\", http.request.uri.path)', 'https://b.example/"\\'],
    ['concat("https://b.example", http.request.uri)', null],
    ['concat("https://b.example", http.request.uri.path, "x")', null],
    ['wildcard_replace(http.host, "a", "b")', null],
    ["concat(", null],
    [undefined, null],
  ];
  for (const [expression, address] of addresses)
    it(`reads ${address} from ${expression}`, () => expect(concatenated(expression)).to.equal(address));
});

const intent = {
  target_url: "https://b.example",
  status_code: 308,
  preserve_path: true,
  preserve_query: false,
  include_subdomains: false,
};
const ofOurs = (change: Partial<HeldRule> = {}): HeldRule => ({
  id: "r9",
  ...ruleOf(APEX, intent),
  description: "hand",
  ...change,
});
const from = (from_value: unknown) => ({ action_parameters: { from_value } });

describe("redirects of others (assets §8.3)", () => {
  it("recognises a rule in our form with its intent, to the letter", () => {
    const expected: RedirectConflict = {
      kind: "redirect_rule",
      description: "hand",
      detail: '(http.host eq "a.example")',
      rule_id: "r9",
      domain_wide: true,
      ...intent,
      intent,
    };
    expect(conflictOf(ofOurs(), APEX)).to.deep.equal(expected);
  });

  const value = { status_code: 301, target_url: { value: "https://b.example" }, preserve_query_string: true };
  const partly: [what: string, change: Partial<HeldRule>, read: Partial<RedirectConflict>][] = [
    ["a code that may not be asked for", from({ ...value, status_code: 303 }), { status_code: 303, intent: null }],
    ["a code that is none", from({ ...value, status_code: "301" }), { status_code: null, intent: null }],
    ["no code", from({ target_url: { value: "https://b.example" } }), { status_code: null, preserve_query: null, intent: null }],
    [
      "a target that is computed",
      from({ ...value, target_url: { expression: "http.referer" } }),
      { target_url: null, preserve_path: null, preserve_query: true, status_code: 301, intent: null },
    ],
    [
      "two targets",
      from({
        ...value,
        target_url: { value: "https://b.example", expression: 'concat("https://c.example", http.request.uri.path)' },
      }),
      { target_url: null, preserve_path: null, intent: null },
    ],
    [
      "a list",
      { action_parameters: { from_list: { name: "x", key: "y" } } },
      { target_url: null, status_code: null, intent: null },
    ],
    ["another spelling of the form", { expression: FORM }, { domain_wide: true, include_subdomains: false, intent: null }],
    [
      "a set of hosts",
      { expression: 'http.host in {"a.example"}' },
      { domain_wide: true, include_subdomains: null, intent: null },
    ],
    ["another expression", { expression: "true" }, { domain_wide: false, include_subdomains: null, intent: null }],
    ["no expression", { expression: undefined }, { domain_wide: false, detail: "", intent: null }],
    ["a rule switched off", { enabled: false }, { domain_wide: false, include_subdomains: false, intent: null }],
    ["a rule that does something else", { action: "rewrite" }, { domain_wide: false, intent: null }],
    ["no description", { description: undefined }, { description: "", intent }],
    ["a loop", { ...ruleOf(APEX, { ...intent, target_url: "https://a.example/x" }) }, { domain_wide: true, intent: null }],
    [
      "a target that is no address",
      from({ ...value, target_url: { value: "b.example" } }),
      { target_url: "b.example", intent: null },
    ],
  ];
  for (const [what, change, read] of partly)
    it(`reads the readable parts of ${what}`, () => expect(conflictOf(ofOurs(change), APEX)).to.deep.include(read));

  it("reports only forwarding page rules", () => {
    const url = (constraint: object) => [{ target: "url", constraint }];
    const forwarding = { id: "forwarding_url", value: { url: "https://b.example/$1", status_code: 302 } };
    const found = pageRuleConflicts([
      { targets: url({ operator: "matches", value: "*a.example/*" }), actions: [forwarding], status: "active" },
      { targets: url({ operator: "matches", value: "a.example/x" }), actions: [{ id: "ssl" }, forwarding], status: "disabled" },
      { targets: url({ operator: "matches", value: "a.example/y" }), actions: [{ id: "always_use_https" }], status: "active" },
      { actions: [forwarding] },
      { targets: "x", actions: "y", status: 3 },
    ]);
    expect(found.map(({ kind, description, detail }) => [kind, description, detail])).to.deep.equal([
      ["page_rule", "*a.example/*", "active"],
      ["page_rule", "a.example/x", "disabled"],
      ["page_rule", "", ""],
    ]);
    expect(found[0]).to.include({ rule_id: null, domain_wide: false, target_url: null, status_code: null, intent: null });
  });
});

describe("a domain that follows its zone (assets §8.3)", () => {
  const wide = (target_url: string | null): RedirectConflict => ({ ...conflictOf(ofOurs(), APEX), target_url });
  const other = { ...wide("https://x.example"), domain_wide: false };
  const [b, c] = [wide("https://b.example"), wide("https://c.example")];
  const active: DomainSays = { status: "active", redirect_url: null };
  const toB: DomainSays = { status: "redirect", redirect_url: "https://b.example" };
  const cases: [
    what: string,
    domain: DomainSays,
    before: RedirectConflict[],
    now: RedirectConflict[],
    says: DomainSays | null,
  ][] = [
    ["one rule takes all of it", active, [], [other, b], toB],
    ["it is parked and one rule takes all of it", { status: "parked", redirect_url: null }, [], [b], toB],
    ["the rule leads elsewhere now", toB, [b], [c], { status: "redirect", redirect_url: "https://c.example" }],
    ["it says so already", toB, [b], [b], null],
    ["several take all of it", active, [], [b, c], null],
    ["the one rule does not tell where to", active, [], [wide(null)], null],
    ["one tells and another does not", active, [], [b, wide(null)], null],
    ["the rule it followed is gone", toB, [b], [], active],
    ["the rule it followed is one of several seen before", toB, [c, b], [other], active],
    ["it was set by hand", toB, [c], [], null],
    ["it was set by hand and nothing was ever seen", toB, [], [], null],
    ["it has no address and the rule is gone", { status: "redirect", redirect_url: null }, [wide(null)], [], null],
    ["it says something else by now", { status: "parked", redirect_url: "https://b.example" }, [b], [], null],
    ["a rule for a part of it is gone", toB, [{ ...b, domain_wide: false }], [], null],
  ];
  for (const [what, domain, before, now, says] of cases)
    it(`${says ? `becomes ${says.status}` : "stays"} where ${what}`, () =>
      expect(
        followed(
          domain,
          targetsOf(before).filter((target) => target !== null),
          now,
        ),
      ).to.deep.equal(says));
});
