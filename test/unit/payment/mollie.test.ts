import { expect } from "chai";
import {
  callbackToken,
  callbackUrl,
  isSecret,
  newCallbackSecret,
  readCallbackToken,
} from "../../../integrations/payment/callbacks/callback-token.ts";
import { mollie } from "../../../integrations/payment/mollie/mollie.ts";
import { mollieLocale } from "../../../integrations/payment/mollie/mollie-locales.ts";

const ids = (body: string | Buffer, type = "application/x-www-form-urlencoded") =>
  mollie.idsIn({ headers: { "content-type": type }, body: Buffer.from(body) });

describe("Mollie's own forms (money §11)", () => {
  const modes: [key: string, mode: string | null][] = [
    ["test_abc", "test"],
    ["live_abc", "live"],
    ["live_", null],
    ["access_abc", null],
    ["Live_abc", null],
    [" live_abc", null],
    ["live_a b", null],
    ["live_a\nb", null],
    ["", null],
  ];
  for (const [key, mode] of modes)
    it(`a key '${key.replace("\n", "\\n")}' is ${mode ?? "none"}`, () => expect(mollie.modeOf(key)).to.equal(mode));

  const bodies: [what: string, body: string | Buffer, type: string | undefined, ids: string[]][] = [
    ["a form", "id=tr_abc1", undefined, ["tr_abc1"]],
    ["a form with a status, which is ignored", "id=tr_abc1&status=paid&amount=0.01", undefined, ["tr_abc1"]],
    ["a form that names one twice", "id=tr_a&id=tr_a&id=tr_b", undefined, ["tr_a", "tr_b"]],
    ["JSON with an id", '{"id":"tr_a","status":"paid"}', "application/json", ["tr_a"]],
    ["JSON with data", '{"data":{"id":"tr_a"}}', "application/json; charset=utf-8", ["tr_a"]],
    ["JSON that is called a form", ' {"id":"tr_a"}', undefined, ["tr_a"]],
    ["another kind of id", "id=ord_abc", undefined, []],
    ["an id with more behind it", "id=tr_abc%2F..%2Fmethods", undefined, []],
    ["an id on two lines", "id=tr_abc%0Atr_b", undefined, []],
    ["no id", "name=x", undefined, []],
    ["nothing", "", undefined, []],
    ["half an object", '{"id":', "application/json", []],
    ["a list", '["tr_a"]', "application/json", []],
    ["null", "null", "application/json", []],
    ["a number for an id", '{"id":1}', "application/json", []],
    ["bytes", Buffer.from([0xff, 0xfe, 0x00]), "application/json", []],
  ];
  for (const [what, body, type, wanted] of bodies)
    it(`${what} names ${wanted.join(" and ") || "nothing"}`, () => expect(ids(body, type)).to.deep.equal(wanted));

  const locales: [locale: string, spoken: string | undefined][] = [
    ["nl", "nl_NL"],
    ["nl-BE", "nl_BE"],
    ["nl_be", "nl_BE"],
    ["en", "en_GB"],
    ["en-US", "en_US"],
    ["en-AU", "en_GB"],
    ["sv", "sv_SE"],
    ["cs", "cs_CZ"],
    ["sk", "sk_SK"],
    ["en-NL", "en_NL"],
    ["da", "da_DK"],
    ["no", "nb_NO"],
    ["ja", undefined],
    ["", undefined],
  ];
  for (const [locale, spoken] of locales)
    it(`'${locale}' is ${spoken ?? "left out"}`, () => expect(mollieLocale(locale)).to.equal(spoken));
});

describe("the token of a callback address", () => {
  const [organisationId, accountId] = ["01890000-0000-7000-8000-00000000000a", "01890000-0000-7000-8000-00000000000b"];
  const secret = newCallbackSecret();
  const token = callbackToken({ organisationId, accountId, secret });

  it("is 24 random bytes behind the organisation and the account", () => {
    expect(Buffer.from(secret, "base64url")).to.have.length(24);
    expect(newCallbackSecret()).not.to.equal(secret);
    expect(readCallbackToken(token)).to.deep.equal({ organisationId, accountId, secret });
    expect(callbackUrl("https://a.example", "mollie", { organisationId, accountId, secret })).to.equal(
      `https://a.example/api/v1/invoicing/payments/webhook/mollie/${token}`,
    );
  });

  const malformed = [
    "",
    ".",
    "..",
    `${token}x`,
    token.slice(1),
    token.replaceAll(".", "-"),
    `${token}.${secret}`,
    token.toUpperCase(),
    `${token}\n`,
  ];
  for (const text of malformed)
    it(`is not '${text.slice(0, 20).replace("\n", "\\n")}…' of ${text.length} characters`, () =>
      expect(readCallbackToken(text)).to.equal(null));

  it("compares secrets of any length", () => {
    expect([isSecret(secret, secret), isSecret(`${secret}x`, secret), isSecret("", secret)]).to.deep.equal([true, false, false]);
  });
});
