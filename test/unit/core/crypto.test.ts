import { expect } from "chai";
import {
  decrypt,
  deriveKey,
  digest,
  encrypt,
  hashPassword,
  keyIdOf,
  passwordFits,
  randomHex,
  sameDigest,
  sealingKey,
} from "../../../core/security/crypto.ts";

const key = sealingKey("a main secret that is long enough");
const other = sealingKey("another main secret, also long enough");

describe("secrets that are read back (conventions §16)", () => {
  for (const plain of ["", "token", "zoë 😀", "x".repeat(10_000)])
    it(`come back as they were: ${plain.length} characters`, () => {
      expect(decrypt(encrypt(plain, key, "here"), [key], "here")).to.equal(plain);
    });

  it("look different each time, and hold nothing readable", () => {
    const [one, again] = [encrypt("the-token", key, "here"), encrypt("the-token", key, "here")];
    expect(one).not.to.equal(again);
    expect(Buffer.from(one.split(".")[4] as string, "base64url").toString()).not.to.contain("token");
  });

  it("name the key that sealed them, and open with it among several", () => {
    const sealed = encrypt("the-token", other, "here");
    expect([keyIdOf(sealed), keyIdOf("plain text"), keyIdOf("v1.xyz.a.b.c")]).to.deep.equal([other.id, null, null]);
    expect(decrypt(sealed, [key, other], "here")).to.equal("the-token");
    expect(decrypt(sealed, [key], "here")).to.equal(null);
  });

  it("open nowhere but in the place they were sealed for", () => {
    const sealed = encrypt("the-token", key, "here");
    expect([decrypt(sealed, [key], "there"), decrypt(sealed, [key], "")]).to.deep.equal([null, null]);
  });

  it("count as not configured when they no longer decrypt: never an error", () => {
    const sealed = encrypt("the-token", key, "here");
    const [version, id, nonce, tag, text] = sealed.split(".") as [string, string, string, string, string];
    const flip = (part: string) => `${part.startsWith("A") ? "B" : "A"}${part.slice(1)}`;
    for (const broken of [
      [version, id, flip(nonce), tag, text].join("."),
      [version, id, nonce, flip(tag), text].join("."),
      [version, id, nonce, tag.slice(0, 6), text].join("."),
      [version, id, nonce, tag, flip(text)].join("."),
      [version, id, nonce, tag].join("."),
      [version, other.id, nonce, tag, text].join("."),
      [version, id, "", "", ""].join("."),
      [version, id, "AA", "AA", "AA"].join("."),
      ["v2", id, nonce, tag, text].join("."),
      "",
      "plain text",
    ])
      expect(decrypt(broken, [key, other], "here"), broken).to.equal(null);
  });

  it("have a key of 32 bytes per main secret, and a key per purpose", () => {
    expect(key.bytes).to.have.length(32);
    expect(key.id).to.match(/^[0-9a-f]{8}$/);
    expect(sealingKey("a main secret that is long enough")).to.deep.equal(key);
    expect(other.id === key.id || other.bytes.equals(key.bytes)).to.equal(false);
    expect(deriveKey("one", "smtp").equals(deriveKey("one", "smtp"))).to.equal(true);
    expect(deriveKey("one", "smtp").equals(deriveKey("one", "tokens"))).to.equal(false);
  });

  it("have a key id that reveals nothing about the key", () => {
    expect(key.bytes.toString("hex")).not.to.contain(key.id);
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
