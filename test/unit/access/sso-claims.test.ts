import { expect } from "chai";
import { hasGaps, identityOf } from "../../../services/access/sso/claims.ts";

const CLAIMS = { iss: "https://id.test", sub: "1", email: " Ann@Example.COM ", email_verified: true };

describe("who a provider says a person is", () => {
  it("has issuer and subject, and the address in lower case", () => {
    expect(identityOf(CLAIMS)).to.deep.equal({
      issuer: "https://id.test",
      subject: "1",
      email: "ann@example.com",
      emailVerified: true,
      name: null,
      picture: null,
    });
  });

  it("is no one without a subject that a link can store", () => {
    for (const sub of [undefined, "", 7, "x".repeat(256), "a\nb"])
      expect(identityOf({ ...CLAIMS, sub }), String(sub)).to.equal(null);
    for (const iss of [undefined, "", `https://${"x".repeat(1000)}`]) expect(identityOf({ ...CLAIMS, iss })).to.equal(null);
  });

  it("has a valid address, or none", () => {
    for (const email of [
      undefined,
      "",
      "ann",
      7,
      ["ann@example.com"],
      `${"x".repeat(320)}@example.com`,
      "ann@example.com\nbcc: b@example.com",
    ])
      expect(identityOf({ ...CLAIMS, email })?.email, String(email)).to.equal(null);
  });

  it("is verified by true, or by the text true, 1 or yes, and by nothing else", () => {
    for (const flag of [true, "true", "True", "1", "yes", "YES"])
      expect(identityOf({ ...CLAIMS, email_verified: flag })?.emailVerified).to.equal(true);
    for (const flag of [undefined, null, false, 1, 0, "false", "", "no", "on", {}, [true]])
      expect(identityOf({ ...CLAIMS, email_verified: flag })?.emailVerified, String(flag)).to.equal(false);
  });

  it("uses name and picture of the profile if the token has none, and nothing else", () => {
    const profile = {
      sub: "2",
      email: "other@example.com",
      email_verified: true,
      name: "Profile",
      picture: "https://p.test/a.png",
    };
    expect(identityOf({ ...CLAIMS, email: undefined, email_verified: undefined }, profile)).to.include({
      subject: "1",
      email: null,
      emailVerified: false,
      name: "Profile",
      picture: "https://p.test/a.png",
    });
    expect(identityOf({ ...CLAIMS, name: "Token", picture: "https://p.test/b.png" }, profile)).to.include({
      name: "Token",
      picture: "https://p.test/b.png",
    });
    expect([hasGaps(CLAIMS), hasGaps({ name: "A", picture: "https://p.test/b.png" }), hasGaps({ name: "A" })]).to.deep.equal([
      true,
      false,
      true,
    ]);
  });

  it("has a name of one line and at most 255 characters, and a picture that a page can show", () => {
    expect(identityOf({ ...CLAIMS, name: `${"é".repeat(300)}` })?.name).to.equal("é".repeat(255));
    for (const name of ["a\nb", "  ", 7, "\ud800"]) expect(identityOf({ ...CLAIMS, name })?.name).to.equal(null);
    for (const picture of [
      "javascript:alert(1)",
      "data:image/png,x",
      "//p.test/a",
      `https://p.test/${"x".repeat(2000)}`,
      "https://p.test/a b",
      {},
    ])
      expect(identityOf({ ...CLAIMS, picture })?.picture, String(picture)).to.equal(null);
  });
});
