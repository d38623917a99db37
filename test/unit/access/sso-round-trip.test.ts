import { expect } from "chai";
import { setRuntime } from "../../../core/config/runtime.ts";
import { ownPath } from "../../../core/http/own-path.ts";
import { operatorGrants } from "../../../core/request/operator.ts";
import { newPin, readPin } from "../../../core/security/pin.ts";
import { beginRoundTrip, keepRoundTrip, keptNext, roundTripIn } from "../../../services/access/sso/round-trip.ts";

const NOW = Date.parse("2030-03-02T09:30:00Z");

describe("a sign-in while the person is at the provider", () => {
  before(() => setRuntime({ scheme: "https", config: {}, secret: "a secret for tests that nobody else has" } as never));
  const value = (cookie: string) => /=([^;]*)/.exec(cookie)?.[1];

  it("is stored in a cookie of this host that only this organisation reads, for ten minutes", () => {
    const one = beginRoundTrip("/a", "provider", NOW);
    const cookie = keepRoundTrip(one, "organisation");
    expect(cookie).to.match(/^__Host-kantoor_sign_on=v1\.[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=600; Secure$/);
    expect(roundTripIn(value(cookie), "organisation", NOW)).to.deep.equal(one);
    expect(roundTripIn(value(cookie), "organisation", NOW + 599_000)).to.deep.equal(one);
    expect(roundTripIn(value(cookie), "organisation", NOW + 600_000)).to.equal(null);
    expect(roundTripIn(value(cookie), "another", NOW)).to.equal(null);
    expect(roundTripIn(undefined, "organisation", NOW)).to.equal(null);
  });

  it("has three secrets of its own each time", () => {
    const [one, two] = [beginRoundTrip(null, "p", NOW), beginRoundTrip(null, "p", NOW)];
    expect(new Set([one.state, one.nonce, one.verifier, two.state, two.nonce, two.verifier]).size).to.equal(6);
  });

  it("leads on to a path of this site, and to nothing else", () => {
    for (const next of ["/", "/a?b=c#d", "/a/../b", "/%2F%2Fevil.test"]) expect(keptNext(next)).to.equal(next);
    for (const next of [
      undefined,
      "",
      "a",
      "//evil.test",
      "/\\evil.test",
      "https://evil.test",
      "/\tevil",
      "/a\r\nb",
      "\\/a",
      `/${"x".repeat(1000)}`,
    ])
      expect(keptNext(next), next).to.equal(null);
    expect(ownPath("/é", "/")).to.equal("/%C3%A9");
    expect(ownPath('/a b/%20?q=<x> y|"{}^`\\#z', "/")).to.equal("/a%20b/%20?q=%3Cx%3E%20y%7C%22%7B%7D%5E%60%5C#z");
  });
});

describe("a PIN", () => {
  it("is twelve digits in groups of four", () => {
    for (let time = 0; time < 50; time++) {
      const { pin, shown } = newPin();
      expect(pin).to.match(/^\d{12}$/);
      expect(shown).to.match(/^\d{4}-\d{4}-\d{4}$/);
      expect(readPin(shown)).to.equal(pin);
    }
    expect(newPin().pin).to.not.equal(newPin().pin);
  });

  it("is read with any dashes and spaces, and only where it can be one", () => {
    for (const typed of ["123456789012", "1234-5678-9012", " 1234 5678 9012 ", "1234–5678—9012", "12-34-56-78-90-12"])
      expect(readPin(typed), typed).to.equal("123456789012");
    for (const typed of ["", "12345678901", "1234567890123", "1234-5678-901x", "١٢٣٤٥٦٧٨٩٠١٢"])
      expect(readPin(typed), typed).to.equal(null);
  });
});

describe("an operator's permissions", () => {
  it("are those of the administrator's role, except what outlasts the visit, and never everything", () => {
    const held = [
      "companies.company.read",
      "settings.roles.manage",
      "settings.service_access.manage",
      "settings.auth.manage",
      "*",
    ];
    expect(operatorGrants(held)).to.deep.equal(["companies.company.read"]);
  });
});
