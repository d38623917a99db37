import { expect } from "chai";
import {
  consentAddress,
  grantedScopes,
  landedAt,
  landing,
  type RequestedSurfaces,
  scopesFor,
} from "../../../integrations/workspace/connections/consent.ts";
import { hasScope, SCOPE } from "../../../mixins/google/scopes.ts";
import { checkAuthorizeUrl } from "../../simulators/descriptions/check-request.mjs";

const NOTHING: RequestedSurfaces = {
  calendar_enabled: false,
  drive_enabled: false,
  mail_enabled: false,
  include_mail: false,
  include_marketing: false,
  include_analytics: false,
  include_search_console: false,
  include_ads: false,
  include_tag_manager: false,
};
const TAGS = ["readonly", "edit.containers", "edit.containerversions", "publish"].map(
  (name) => `https://www.googleapis.com/auth/tagmanager.${name}`,
);

describe("the requested scopes (workspace §2.2)", () => {
  const cases: [what: string, asked: Partial<RequestedSurfaces>, beside: string[]][] = [
    ["nothing switched on", {}, []],
    ["the calendar", { calendar_enabled: true }, [SCOPE.calendar]],
    ["files", { drive_enabled: true }, [SCOPE.drive]],
    ["mail that is asked for and switched on", { mail_enabled: true, include_mail: true }, [SCOPE.mail]],
    ["mail that is switched on and not asked for", { mail_enabled: true }, []],
    ["mail that is asked for and not switched on", { include_mail: true }, []],
    ["analytics", { include_analytics: true }, [SCOPE.analytics]],
    ["search console", { include_search_console: true }, [SCOPE.searchConsole]],
    ["advertising", { include_ads: true }, [SCOPE.ads]],
    ["marketing, which is all three", { include_marketing: true }, [SCOPE.analytics, SCOPE.searchConsole, SCOPE.ads]],
    [
      "marketing and one of the three",
      { include_marketing: true, include_ads: true },
      [SCOPE.analytics, SCOPE.searchConsole, SCOPE.ads],
    ],
    ["tag manager", { include_tag_manager: true }, TAGS],
  ];
  for (const [what, asked, beside] of cases)
    it(`are openid, email and no more than those of ${what}`, () =>
      expect(scopesFor({ ...NOTHING, ...asked })).to.deep.equal(["openid", "email", ...beside]));

  it("are in an address that Google's consent screen accepts", () => {
    const all = Object.fromEntries(Object.keys(NOTHING).map((name) => [name, true])) as unknown as RequestedSurfaces;
    const address = consentAddress("client.example", "https://a.kantoor.test", scopesFor(all), "v1.state");
    expect(checkAuthorizeUrl(address).problems).to.deep.equal([]);
    const { origin, pathname, searchParams } = new URL(address);
    expect(origin + pathname).to.equal("https://accounts.google.com/o/oauth2/v2/auth");
    const { scope, ...others } = Object.fromEntries(searchParams);
    expect(scope?.split(" ")).to.have.length(12);
    expect(others).to.deep.equal({
      client_id: "client.example",
      redirect_uri: "https://a.kantoor.test/api/v1/workspace/oauth/callback",
      response_type: "code",
      state: "v1.state",
      access_type: "offline",
      prompt: "consent",
      include_granted_scopes: "true",
    });
  });
});

describe("a person's next page (workspace §2.2)", () => {
  const cases: [next: string | undefined, place: string][] = [
    ["/home", "/home"],
    ["/home?tab=1#calendar", "/home?tab=1#calendar"],
    ["/", "/"],
    [undefined, "/settings/account"],
    ["", "/settings/account"],
    ["home", "/settings/account"],
    ["//evil.example", "/settings/account"],
    ["/\\evil.example", "/settings/account"],
    ["https://evil.example", "/settings/account"],
    ["/home\r\nSet-Cookie: a=b", "/settings/account"],
    ["/home\nx", "/settings/account"],
    [`/${"x".repeat(1000)}`, "/settings/account"],
  ];
  for (const [next, place] of cases)
    it(`is ${place} for ${JSON.stringify(next)?.slice(0, 40)}`, () => expect(landing(next)).to.equal(place));

  it("has the outcome appended, in front of a fragment", () => {
    expect(landedAt("/home", "connected")).to.equal("/home?workspace=connected");
    expect(landedAt("/home?tab=1", "error")).to.equal("/home?tab=1&workspace=error");
    expect(landedAt("/home?tab=1#a#b", "connected")).to.equal("/home?tab=1&workspace=connected#a#b");
  });
});

describe("the scopes of a grant (workspace §2.2)", () => {
  it("are those of the token's answer, which is the union already", () =>
    expect(grantedScopes(["b", "a"], ["c"], ["d"])).to.deep.equal(["a", "b"]));
  it("are the old and the asked ones for an answer without scopes", () =>
    expect(grantedScopes(null, ["c", "a"], ["a", "d"])).to.deep.equal(["a", "c", "d"]));
  it("cover the calendar by the narrow or by the broader scope", () => {
    for (const scope of [SCOPE.calendar, SCOPE.calendarWhole])
      expect(hasScope(["openid", scope], SCOPE.calendar, SCOPE.calendarWhole)).to.equal(true);
    expect(hasScope(["openid", `${SCOPE.calendar}.readonly`], SCOPE.calendar, SCOPE.calendarWhole)).to.equal(false);
  });
});
