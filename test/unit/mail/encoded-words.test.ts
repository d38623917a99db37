import { expect } from "chai";
import { decodeWords } from "postal-mime";
import { joinedWords } from "../../../core/mail/encoded-words.ts";

describe("joinedWords: encoded words that split a character (RFC 2047)", () => {
  const rows: [text: string, read: string][] = [
    ["=?utf-8?B?4oI=?= =?utf-8?B?rA==?=", "€"],
    ["=?utf-8?Q?a_=E2=82?=\r\n =?utf-8?Q?=AC_b?=", "a € b"],
    ["=?utf-8?Q?a_=E2=82?= =?UTF-8?b?rA==?=", "a €"],
    ["=?utf-8?B?4oKs4g==?= =?utf-8?B?gqw=?= x", "€€ x"],
    ["=?utf-8*en?Q?=F0=9F?=\t=?utf-8*en?Q?=98=80?=", "😀"],
    ["=?utf-8?Q?=F0?= =?utf-8?Q?=9F?= =?utf-8?Q?=98?= =?utf-8?Q?=80?=", "😀"],
    ["=?utf-8?Q?a?= b =?utf-8?Q?c?=", "a b c"],
    ["=?utf-8?Q?a?= =?iso-8859-1?Q?=E9?=", "aé"],
    ["=?iso-2022-jp?B?GyRCJCIbKEI=?= =?iso-2022-jp?B?GyRCJCQbKEI=?=", "あい"],
    ["=?utf-8?B?4oI=?=", "\ufffd"],
    ["no words", "no words"],
    ["", ""],
  ];
  for (const [text, read] of rows) it(JSON.stringify(text), () => expect(decodeWords(joinedWords(text))).to.equal(read));

  it("leaves a single word as it is", () => expect(joinedWords("a =?utf-8?Q?b?= c")).to.equal("a =?utf-8?Q?b?= c"));
});
