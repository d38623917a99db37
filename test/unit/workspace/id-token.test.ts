import { expect } from "chai";
import { personIn } from "../../../integrations/workspace/connections/id-token.ts";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const CLAIMS = { iss: "https://accounts.google.com", aud: "client", sub: "1", email: "a@example.com", exp: NOW / 1000 + 3600 };
const token = (claims: object) => `x.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;

describe("the person in an ID token (workspace §2.2)", () => {
  it("is its subject with an address", () => {
    expect(personIn(token(CLAIMS), "client", NOW)).to.deep.equal({ subject: "1", email: "a@example.com" });
    expect(personIn(token({ ...CLAIMS, iss: "accounts.google.com" }), "client", NOW)).to.deep.equal({
      subject: "1",
      email: "a@example.com",
    });
  });

  const none: [what: string, token: string | null][] = [
    ["no token", null],
    ["a text", "x"],
    ["no JSON", "x.eA.x"],
    ["null", token(null as never)],
    ["no subject", token({ ...CLAIMS, sub: undefined })],
    ["a blank subject", token({ ...CLAIMS, sub: "" })],
    ["no address", token({ ...CLAIMS, email: undefined })],
    ["a blank address", token({ ...CLAIMS, email: "" })],
    ["another client", token({ ...CLAIMS, aud: "another" })],
    ["another issuer", token({ ...CLAIMS, iss: "https://evil.example" })],
    ["one that has ended", token({ ...CLAIMS, exp: NOW / 1000 })],
    ["one without an end", token({ ...CLAIMS, exp: undefined })],
  ];
  for (const [what, text] of none) it(`is rejected for ${what}`, () => expect(personIn(text, "client", NOW)).to.equal(null));
});
