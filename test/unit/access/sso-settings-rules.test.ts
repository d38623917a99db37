import { expect } from "chai";
import type { ApiError, RefusalParts } from "../../../core/errors/errors.ts";
import {
  DEFAULTS,
  isComplete,
  isSameConnection,
  plainSettings,
  requireTested,
  requireWhole,
} from "../../../services/access/sso/settings-rules.ts";

const WHOLE = { ...DEFAULTS, enabled: true, discovery_url: "https://id.test/.well-known/openid-configuration", client_id: "a" };
const ROLES = ["owner", "admin", "member", "client"];

function refusal(work: () => void): object | null {
  try {
    work();
    return null;
  } catch (error) {
    const { type, data } = error as ApiError;
    return { code: type, fields: (data as RefusalParts).fields };
  }
}
const fieldsOf = (settings: object, hasSecret = true) => {
  const found = refusal(() => requireWhole({ ...WHOLE, ...settings }, hasSecret, ROLES)) as { fields: object } | null;
  return found?.fields ?? {};
};

describe("settings of single sign-on", () => {
  it("replace everything: omitted fields get their defaults, blank is null", () => {
    expect(
      plainSettings({
        enabled: false,
        enforced: false,
        name: "A",
        default_role: "admin",
        client_id: "  ",
        discovery_url: " https://a.test ",
      }),
    ).to.deep.equal({
      ...DEFAULTS,
      name: "A",
      default_role: "admin",
      discovery_url: "https://a.test",
    });
  });

  it("need all three once they are enabled, and may be half filled before", () => {
    expect(fieldsOf({})).to.deep.equal({});
    expect(fieldsOf({ discovery_url: null, client_id: null }, false)).to.deep.equal({
      discovery_url: "errors.required",
      client_id: "errors.required",
      client_secret: "errors.required",
    });
    expect(fieldsOf({ enabled: false, discovery_url: null, client_id: null }, false)).to.deep.equal({});
  });

  it("name a web address, also in a draft", () => {
    for (const url of [
      "id.test",
      "ftp://id.test",
      "https://",
      "https://a:b@id.test",
      "javascript:alert(1)",
      "https://id.test:22",
    ])
      for (const enabled of [true, false])
        expect(fieldsOf({ enabled, discovery_url: url }), url).to.deep.equal({ discovery_url: "errors.invalid_url" });
    expect(fieldsOf({ discovery_url: "http://keycloak.lan:8080/realms/a" })).to.deep.equal({});
  });

  it("are enforced only when enabled, and give a system role", () => {
    expect(fieldsOf({ enabled: false, enforced: true })).to.deep.equal({ enforced: "errors.validation" });
    expect(fieldsOf({ default_role: "boss" })).to.deep.equal({ default_role: "errors.validation" });
  });

  it("are tested as long as address, client and secret stay", () => {
    const one = { discovery_url: "https://a.test", client_id: "a", secret: "s" };
    expect(isSameConnection(one, { ...one })).to.equal(true);
    for (const other of [{ discovery_url: "https://b.test" }, { client_id: "b" }, { secret: "t" }, { secret: null }])
      expect(isSameConnection(one, { ...one, ...other }), JSON.stringify(other)).to.equal(false);
    expect(refusal(() => requireTested(true, false))).to.deep.equal({
      code: "sso_test_required",
      fields: { enforced: "errors.sso_test_required" },
    });
    expect(refusal(() => requireTested(true, true))).to.equal(null);
    expect(refusal(() => requireTested(false, false))).to.equal(null);
  });

  it("can be signed in with once nothing is missing", () => {
    const one = { enabled: true, discovery_url: "https://a.test", client_id: "a", secret: "s" };
    expect(isComplete(one)).to.equal(true);
    for (const other of [{ enabled: false }, { discovery_url: null }, { client_id: null }, { secret: null }])
      expect(isComplete({ ...one, ...other }), JSON.stringify(other)).to.equal(false);
  });
});
