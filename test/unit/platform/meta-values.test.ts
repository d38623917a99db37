import { expect } from "chai";
import type { LicenceState } from "../../../core/declare/licence.ts";
import { licensable } from "../../../core/declare/permissions.ts";
import { enabledAfter, moduleNames, tenantValues } from "../../../services/platform/meta/meta-values.ts";

const NOW = Date.parse("2026-03-02T12:00:00Z");
const selfHosted = (...names: string[]): LicenceState => ({
  licensing: "required",
  installedAt: "2025-01-01T00:00:00Z",
  modules: names.map((module) => ({ module, expiresAt: "2026-12-31T00:00:00Z", graceDays: 0 })),
  plan: null,
  planEndsAt: null,
});
const hosted = (plan: string): LicenceState => ({ ...selfHosted(), licensing: "plan", plan });

describe("values of an organisation", () => {
  it("clears optional texts by a blank and leaves required ones", () => {
    expect(tenantValues({ brand_name: "", logo_url: "", primary_color: " ", locale: "", accent_color: null })).to.deep.equal({
      logo_url: null,
      primary_color: null,
      accent_color: null,
    });
  });

  for (const [field, value] of [
    ["primary_color", "red"],
    ["primary_color", "#12345"],
    ["accent_color", "#12345g"],
    ["logo_url", "javascript:alert(1)"],
    ["icon_url", "//example.com/x.png"],
    ["locale", "de"],
    ["timezone", "Europe/Nowhere"],
    ["timezone", "+02:00"],
    ["currency", "EURO"],
    ["currency", "eur"],
    ["country", "nl"],
    ["country", "QQ"],
  ] as const)
    it(`refuses ${field} ${value}`, () => {
      expect(() => tenantValues({ [field]: value }))
        .to.throw()
        .with.nested.property(`data.fields.${field}`);
    });

  it("takes good ones, trimmed", () => {
    const good = {
      brand_name: " Noord ",
      primary_color: "#ABC",
      accent_color: "#aabbcc",
      locale: "en",
      timezone: "Europe/Brussels",
      currency: "USD",
      country: "BE",
    };
    expect(tenantValues(good)).to.deep.equal({ ...good, brand_name: "Noord" });
  });
});

describe("modules of an organisation", () => {
  it("entitled agrees with the 402 gate, licensed names a licence's modules", () => {
    const names = moduleNames(selfHosted("leave"), NOW);
    expect(names.licensed).to.deep.equal(["leave"]);
    expect(names.entitled).to.include.members(["leave", "companies", "contacts", "tasks"]).and.not.include("hr");
    expect(moduleNames(hosted("standard"), NOW).entitled).to.include("hr");
    const none = moduleNames(hosted("none"), NOW);
    expect(none.licensed).to.deep.equal([]);
    expect(none.entitled).to.include.members(["companies", "contacts", "notifications", "tasks"]);
    expect(none.entitled.filter((key) => licensable().includes(key))).to.deep.equal([]);
  });

  for (const [what, before, asked, licence, after] of [
    ["a licensed module is enabled", ["companies"], ["companies", "leave"], selfHosted("leave"), ["companies", "leave"]],
    ["an unknown module is refused", ["companies"], ["companies", "magic"], selfHosted(), "unknown"],
    ["the core is no module to switch", ["companies"], ["companies", "core"], selfHosted(), "unknown"],
    ["companies stays", ["companies", "tasks"], ["tasks"], selfHosted(), "unknown"],
    ["an integration needs its module", ["companies"], ["companies", "edge"], selfHosted("edge"), "requirements"],
    ["requirements come before the licence", ["companies"], ["companies", "edge"], selfHosted(), "requirements"],
    ["an unlicensed module is refused", ["companies"], ["companies", "hr"], selfHosted("leave"), "licence"],
    ["an enabled one may stay without a licence", ["companies", "hr"], ["companies", "hr"], selfHosted(), ["companies", "hr"]],
    ["a lapsed plan enables nothing", ["companies"], ["companies", "hr"], hosted("none"), "licence"],
    ["repeats count once", ["companies"], ["companies", "companies"], selfHosted(), ["companies"]],
  ] as const)
    it(what, () => expect(enabledAfter(before, asked, licence, NOW)).to.deep.equal(after));
});
