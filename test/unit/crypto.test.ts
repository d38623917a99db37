import { expect } from "chai";
import { decrypt, deriveKey, digest, encrypt, hashPassword, passwordFits, randomHex, sameDigest } from "../../core/crypto.ts";

const key = deriveKey("a main secret that is long enough", "provider tokens");

describe("secrets that are read back (conventions §16)", () => {
  for (const plain of ["", "token", "zoë 😀", "x".repeat(10_000)])
    it(`come back as they were: ${plain.length} characters`, () => {
      expect(decrypt(encrypt(plain, key), key)).to.equal(plain);
    });

  it("look different each time, and hold nothing readable", () => {
    const [one, other] = [encrypt("the-token", key), encrypt("the-token", key)];
    expect(one).not.to.equal(other);
    expect(Buffer.from(one.split(".")[3] as string, "base64url").toString()).not.to.contain("token");
  });

  it("count as not configured when they no longer decrypt: never an error", () => {
    const sealed = encrypt("the-token", key);
    const [version, nonce, tag, text] = sealed.split(".") as [string, string, string, string];
    const flip = (part: string) => `${part.startsWith("A") ? "B" : "A"}${part.slice(1)}`;
    for (const broken of [
      [version, flip(nonce), tag, text].join("."),
      [version, nonce, flip(tag), text].join("."),
      [version, nonce, tag, flip(text)].join("."),
      [version, nonce, tag].join("."),
      [version, "", "", ""].join("."),
      ["v1", "AA", "AA", "AA"].join("."),
      ["v2", nonce, tag, text].join("."),
      "",
      "plain text",
    ])
      expect(decrypt(broken, key), broken).to.equal(null);
    expect(decrypt(sealed, deriveKey("another main secret, also long", "provider tokens"))).to.equal(null);
  });

  it("have a key per purpose and per main secret, 32 bytes each", () => {
    expect(key).to.have.length(32);
    expect(deriveKey("a main secret that is long enough", "provider tokens").equals(key)).to.equal(true);
    expect(deriveKey("a main secret that is long enough", "smtp").equals(key)).to.equal(false);
    expect(deriveKey("another", "provider tokens").equals(key)).to.equal(false);
  });
});

describe("secrets that are only verified", () => {
  it("are SHA-256, compared by value", () => {
    expect(digest("abc").toString("hex")).to.equal("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect(sameDigest(digest("one"), digest("one"))).to.equal(true);
    expect(sameDigest(digest("one"), digest("other"))).to.equal(false);
    expect(sameDigest(digest("one"), Buffer.alloc(3))).to.equal(false);
  });

  it("are random hex of the length asked for", () => {
    expect(randomHex(32)).to.match(/^[0-9a-f]{64}$/);
    expect(randomHex(32)).not.to.equal(randomHex(32));
  });
});

describe("passwords", () => {
  it("are argon2id with a salt of their own", async () => {
    const [one, other] = await Promise.all([hashPassword("secret"), hashPassword("secret")]);
    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.to.equal(other);
    expect(await passwordFits("secret", one)).to.equal(true);
    expect(await passwordFits("Secret", one)).to.equal(false);
  });

  it("fit no missing, damaged or decoy hash", async () => {
    expect(await passwordFits("secret", null)).to.equal(false);
    expect(await passwordFits("", null)).to.equal(false);
    expect(await passwordFits("secret", "not a hash")).to.equal(false);
    expect(await passwordFits("secret", "")).to.equal(false);
  });
});
