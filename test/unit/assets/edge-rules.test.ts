import { expect } from "chai";
import { webHost } from "../../../core/values/web-address.ts";
import {
  differencesOf,
  expressionOf,
  type HeldRule,
  isIdentical,
  MARKER,
  quoted,
  type RedirectIntent,
  ruleOf,
  targetOf,
} from "../../../integrations/edge/redirects/rules/rule.ts";
import { isLoop, requireTarget } from "../../../integrations/edge/redirects/rules/target.ts";

const INTENT: RedirectIntent = {
  target_url: "https://nieuw.example",
  status_code: 301,
  preserve_path: true,
  preserve_query: true,
  include_subdomains: true,
};
const asked = (change: Partial<RedirectIntent> = {}) => ruleOf("a.example", { ...INTENT, ...change });
const held = (change: Partial<HeldRule> = {}): HeldRule => ({ id: "r1", ...structuredClone(asked()), ...change });
const parameters = (change: object) => ({
  action_parameters: { from_value: { ...asked().action_parameters.from_value, ...change } },
});

describe("the rule of a redirect (assets §8.1)", () => {
  it("takes the domain alone, or everything below it as well", () => {
    expect(expressionOf("a.example", false)).to.equal('(http.host eq "a.example")');
    expect(expressionOf("a.example", true)).to.equal('(http.host eq "a.example" or ends_with(http.host, ".a.example"))');
  });

  const strings: [text: string, literal: string][] = [
    ["plain", '"plain"'],
    ['a"b', '"a\\"b"'],
    ["a\\b", '"a\\\\b"'],
    ['\\"', '"\\\\\\""'],
  ];
  for (const [text, literal] of strings) it(`writes ${text} as ${literal}`, () => expect(quoted(text)).to.equal(literal));

  const targets: [what: string, change: Partial<RedirectIntent>, target: object][] = [
    ["the address alone without path", { preserve_path: false }, { value: "https://nieuw.example" }],
    [
      "the address as it is without path",
      { preserve_path: false, target_url: "https://n.example/" },
      { value: "https://n.example/" },
    ],
    ["the address and the path", {}, { expression: 'concat("https://nieuw.example", http.request.uri.path)' }],
    [
      "the address without one trailing slash, and the path",
      { target_url: "https://n.example/x//" },
      { expression: 'concat("https://n.example/x/", http.request.uri.path)' },
    ],
    [
      "an address with a quote and a backslash, escaped",
      { target_url: 'https://n.example/"\\' },
      { expression: 'concat("https://n.example/\\"\\\\", http.request.uri.path)' },
    ],
  ];
  for (const [what, change, target] of targets)
    it(`leads to ${what}`, () => expect(targetOf({ ...INTENT, ...change }).from_value.target_url).to.deep.equal(target));

  it("is whole", () =>
    expect(asked({ status_code: 307, preserve_query: false, preserve_path: false })).to.deep.equal({
      action: "redirect",
      expression: '(http.host eq "a.example" or ends_with(http.host, ".a.example"))',
      action_parameters: {
        from_value: { status_code: 307, target_url: { value: "https://nieuw.example" }, preserve_query_string: false },
      },
      enabled: true,
      description: MARKER,
    }));
});

describe("differences of a rule (assets §8.1)", () => {
  const cases: [what: string, change: Partial<HeldRule>, differences: string[]][] = [
    ["the same rule", {}, []],
    ["another description", { description: "of a colleague" }, []],
    ["nothing said of being enabled", { enabled: undefined }, []],
    ["a disabled one", { enabled: false }, ["enabled"]],
    ["another action", { action: "rewrite" }, ["action"]],
    ["the expression with one more blank", { expression: `${asked().expression} ` }, ["expression"]],
    ["another code, and disabled", { ...parameters({ status_code: 302 }), enabled: false }, ["status_code", "enabled"]],
    ["another target", parameters({ target_url: { value: "https://nieuw.example" } }), ["target_url"]],
    ["no query string", parameters({ preserve_query_string: false }), ["preserve_query_string"]],
    ["nothing said of the query string", parameters({ preserve_query_string: undefined }), ["preserve_query_string"]],
    ["no parameters", { action_parameters: undefined }, ["target_url", "status_code", "preserve_query_string"]],
    ["parameters of another kind", { action_parameters: "x" }, ["target_url", "status_code", "preserve_query_string"]],
  ];
  for (const [what, change, differences] of cases)
    it(`of ${what}: ${differences.join(", ") || "none"}`, () =>
      expect(differencesOf(held(change), asked())).to.deep.equal(differences));
});

describe("a rule that a lost answer left behind (assets §8.2)", () => {
  const cases: [what: string, change: Partial<HeldRule>, identical: boolean][] = [
    ["one equal in every field", {}, true],
    ["one that names more of itself", { ...({ version: "3" } as object) }, true],
    ["one with another description", { description: "mine" }, false],
    ["one without a description", { description: undefined }, false],
    ["one that is disabled", { enabled: false }, false],
    ["one with another code", parameters({ status_code: 302 }), false],
    ["one with a parameter more", { action_parameters: { ...asked().action_parameters, from_list: { name: "x" } } }, false],
  ];
  for (const [what, change, identical] of cases)
    it(`is ${identical ? "" : "not "}${what}`, () => expect(isIdentical(held(change), asked())).to.equal(identical));
});

describe("the target of a redirect (assets §8.1)", () => {
  const loops: [target: string, subdomains: boolean, loop: boolean][] = [
    ["https://a.example", false, true],
    ["https://A.Example./x?y#z", false, true],
    ["https://user@a.example:8443/", false, true],
    ["https://www.a.example", true, true],
    ["https://www.a.example", false, false],
    ["https://aa.example", true, false],
    ["https://b.example/a.example", true, false],
    ["https://b.example?x=.a.example", true, false],
    ["https://xn--grn-hoa.a.example", true, true],
    ["https://grün.a.example", true, true],
  ];
  for (const [target, subdomains, loop] of loops)
    it(`${loop ? "leads back" : "leads away"}: ${target}, ${subdomains ? "with" : "without"} subdomains`, () =>
      expect(isLoop(target, "a.example", subdomains)).to.equal(loop));

  it("is compared in ASCII", () => expect(webHost("https://Grüne-Äpfel.example")).to.equal("xn--grne-pfel-z2a4x.example"));

  const refused: [target: string, code: string, field: string][] = [
    ["nieuw.example", "validation", "errors.edge_target_absolute"],
    ["/pad", "validation", "errors.edge_target_absolute"],
    ["ftp://nieuw.example", "validation", "errors.edge_target_absolute"],
    ["javascript:alert(1)", "validation", "errors.edge_target_absolute"],
    ["https://", "validation", "errors.edge_target_absolute"],
    ["https:///pad", "validation", "errors.edge_target_absolute"],
    ["https://?pad", "validation", "errors.edge_target_absolute"],
    ["https://.", "validation", "errors.edge_target_absolute"],
    ["https://nieuw..example", "validation", "errors.edge_target_absolute"],
    ["https://nieuw .example", "validation", "errors.edge_target_absolute"],
    ["https://www.a.example", "edge_redirect_loop", "errors.edge_redirect_loop"],
  ];
  for (const [target, code, field] of refused)
    it(`refuses ${target} with ${code}`, () => {
      try {
        requireTarget(target, "a.example", true);
      } catch (error) {
        const { type, data } = error as { type: string; data: { fields: object } };
        expect([type, data.fields]).to.deep.equal([code, { target_url: field }]);
        return;
      }
      expect.fail("it was taken");
    });
  it("accepts http and https, in any case", () => {
    for (const target of ["http://b.example", "HTTPS://b.example/x", "https://www.a.example"])
      requireTarget(target, "a.example", false);
  });
});
