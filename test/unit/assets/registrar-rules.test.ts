import { expect } from "chai";
import { asciiName } from "../../../core/values/host-name.ts";
import { chosenAccount } from "../../../integrations/registrar/accounts/account-choice.ts";
import { type IssueFacts, issuesOf } from "../../../integrations/registrar/domains/issues.ts";
import { askedHosts, atFirstDot, labelOf, splitName } from "../../../integrations/registrar/names.ts";

/** A call's answer, or the code and fields of its refusal. */
function outcome(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    const { type, data } = error as { type: string; data?: { fields?: object } };
    return data?.fields ? [type, data.fields] : type;
  }
}

describe("names at a registrar", () => {
  const tlds = ["nl", "uk", "co.uk", "xn--p1ai", "com"];
  for (const [name, wanted] of [
    ["a.nl", { sld: "a", tld: "nl" }],
    ["a.co.uk", { sld: "a", tld: "co.uk" }],
    ["a.uk", { sld: "a", tld: "uk" }],
    ["xn--80a.xn--p1ai", { sld: "xn--80a", tld: "xn--p1ai" }],
    ["www.a.nl", "registrar_unknown_tld"],
    ["b.a.co.uk", "registrar_unknown_tld"],
    ["a.shop", "registrar_unknown_tld"],
    ["nl", "registrar_unknown_tld"],
    ["a.anl", "registrar_unknown_tld"],
  ] as const)
    it(`splits ${name}: ${JSON.stringify(wanted)}`, () => {
      expect(outcome(() => splitName(name, tlds))).to.deep.equal(wanted);
    });

  it("splits nothing before the account was verified", () => {
    expect(outcome(() => splitName("a.nl", []))).to.equal("registrar_not_verified");
  });

  it("takes a list's names at their first dot, in ASCII and lower case", () => {
    expect(atFirstDot("a.co.uk")).to.deep.equal({ sld: "a", tld: "co.uk" });
    expect(atFirstDot("localhost")).to.deep.equal({ sld: "localhost", tld: null });
    expect([asciiName(" A.NL. "), asciiName("Bücher.example"), labelOf("xn--bcher-kva.example")]).to.deep.equal([
      "a.nl",
      "xn--bcher-kva.example",
      "bücher.example",
    ]);
  });

  const wrong = (key: string) => ["validation", { nameservers: `errors.${key}` }];
  const six = [1, 2, 3, 4, 5, 6].map((n) => `ns${n}.x.nl`);
  for (const [typed, wanted] of [
    [
      ["NS2.x.nl", "ns1.x.nl."],
      ["ns1.x.nl", "ns2.x.nl"],
    ],
    [["ns1.x.nl", "ns1.X.nl"], wrong("invalid_nameserver_count")],
    [["ns1.x.nl"], wrong("invalid_nameserver_count")],
    [six, six],
    [[...six, "ns7.x.nl"], wrong("invalid_nameserver_count")],
    [["ns1", "ns2.x.nl"], wrong("invalid_hostname")],
    [["ns1.x.nl", ""], wrong("invalid_hostname")],
    [["ns_1.x.nl", "ns2.x.nl"], wrong("invalid_hostname")],
    [["ns1.x.nl&command=y", "ns2.x.nl"], wrong("invalid_hostname")],
    [
      ["ns1.bücher.example", "ns2.x.nl"],
      ["ns1.xn--bcher-kva.example", "ns2.x.nl"],
    ],
  ] as [string[], unknown][])
    it(`takes the name servers ${typed.join(" ")}: ${JSON.stringify(wanted)}`, () => {
      expect(outcome(() => askedHosts(typed))).to.deep.equal(wanted);
    });
});

describe("the account used for a domain", () => {
  const [a, b, off] = [
    { id: "a", active: true },
    { id: "b", active: true },
    { id: "off", active: false },
  ];
  for (const [what, accounts, asked, holder, wanted] of [
    ["the one that is named", [a, b], "A", undefined, a],
    ["the one that is named, though another holds it", [a, b], "a", "b", a],
    ["nobody's where it is unknown", [a], "c", undefined, "not_found"],
    ["refused where it is not active", [a, off], "off", undefined, "registrar_account_inactive"],
    ["the one that holds it", [a, b], undefined, "b", b],
    ["refused where the one that holds it is not active", [a, off], null, "off", "registrar_account_inactive"],
    ["the only active one", [off, b], null, undefined, b],
    ["refused where there is none", [off], undefined, undefined, "registrar_no_account"],
    [
      "refused where there are several",
      [a, b],
      undefined,
      undefined,
      ["registrar_account_ambiguous", { account_id: "errors.required" }],
    ],
  ] as [string, (typeof a)[], string | null | undefined, string | undefined, unknown][])
    it(`is ${what}`, () => {
      expect(outcome(() => chosenAccount(accounts, asked, holder))).to.deep.equal(wanted);
    });
});

describe("issues of a domain at its registrar", () => {
  const whole: NonNullable<IssueFacts["registration"]> = {
    registry_status: "active",
    expires_on: "2027-06-10",
    transfer_lock: true,
    autorenew: true,
    ns_push_status: "active",
    ns_observed: ["ns1.x.nl", "ns2.x.nl"],
  };
  const synced = { last_synced_at: "2026-06-09T00:00:00Z" };
  const known = (registration: object | null, more: Partial<IssueFacts> = {}): IssueFacts => ({
    accounts: [synced],
    registration: registration && { ...whole, ...registration },
    publicNameservers: ["ns2.x.nl", "ns1.x.nl"],
    today: "2026-06-10",
    ...more,
  });
  for (const [what, given, wanted] of [
    ["nothing", known({}), []],
    ["no account", known(null, { accounts: [] }), ["no_account"]],
    ["never synced", known(null, { accounts: [{ last_synced_at: null }] }), ["never_synced"]],
    ["found, though never synced", known({}, { accounts: [{ last_synced_at: null }] }), ["never_synced"]],
    ["in no register", known(null), ["not_in_register"]],
    ["gone from the register", known({ registry_status: "gone", expires_on: "2020-01-01" }), ["not_in_register"]],
    ["ended yesterday", known({ expires_on: "2026-06-09" }), ["expired"]],
    ["ends today", known({ expires_on: "2026-06-10" }), ["expiring_soon"]],
    ["ends in 60 days", known({ expires_on: "2026-08-09" }), ["expiring_soon"]],
    ["ends in 61 days", known({ expires_on: "2026-08-10" }), []],
    ["not said when", known({ expires_on: null }), []],
    ["may be moved away", known({ transfer_lock: false }), ["transfer_unlocked"]],
    ["not said whether", known({ transfer_lock: null, autorenew: null }), []],
    ["not renewed by itself", known({ autorenew: false }), ["autorenew_off"]],
    ["other name servers than asked for", known({ ns_push_status: "drift" }), ["nameserver_drift"]],
    ["no name servers", known({ ns_push_status: "missing", ns_observed: [] }), ["nameservers_missing"]],
    ["refused name servers", known({ ns_push_status: "error" }), ["push_error"]],
    ["others in public", known({}, { publicNameservers: ["ns1.x.nl", "ns3.x.nl"] }), ["not_delegated_yet"]],
    ["none seen in public", known({}, { publicNameservers: [] }), []],
    ["public never looked at", known({}, { publicNameservers: null }), []],
    ["not said at the registrar", known({ ns_observed: null }, { publicNameservers: ["ns3.x.nl"] }), []],
    [
      "all at once, in order",
      known({
        expires_on: "2026-07-01",
        transfer_lock: false,
        autorenew: false,
        ns_push_status: "drift",
        ns_observed: ["x.y", "z.y"],
      }),
      ["expiring_soon", "transfer_unlocked", "autorenew_off", "nameserver_drift", "not_delegated_yet"],
    ],
  ] as [string, IssueFacts, string[]][])
    it(`${what}: ${wanted.join(", ") || "none"}`, () => {
      expect(issuesOf(given)).to.deep.equal(wanted);
    });
});
