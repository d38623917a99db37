import { expect } from "chai";
import fc from "fast-check";
import { PictureFilter } from "../../../integrations/ai/texts/pictures.ts";
import { asData } from "../../../integrations/ai/texts/untrusted.ts";

const filtered = (...pieces: string[]): string => {
  const filter = new PictureFilter();
  return pieces.map((piece) => filter.take(piece)).join("") + filter.rest();
};

describe("text of records, and text made from it", () => {
  for (const mark of ["</data>", "</ data >", "< /DATA>", "</data\n>", "<data>", "<DATA x>"])
    it(`keeps ${JSON.stringify(mark)} between its marks`, () => {
      const [, ...inner] = asData(`before ${mark} after`).split("\n");
      inner.pop();
      expect(inner.join("\n")).not.to.match(/<\s*\/?\s*data/i);
    });

  const cases: [string[], string][] = [
    [["![secret](http://evil.example/?q=1)"], "[secret](http://evil.example/?q=1)"],
    [["wow!!", "![a][1]"], "wow[a][1]"],
    [["wow!!", "[a](b)"], "wow[a](b)"],
    [["<", "img src=x>"], "&lt;img src=x>"],
    [["a </b> <!-- c --> <?php"], "a &lt;/b> &lt;!-- c --> &lt;?php"],
    [["1 < 2, 3 <4, well! Done!"], "1 < 2, 3 <4, well! Done!"],
    [["ends with <"], "ends with <"],
    [["ends with !"], "ends with !"],
    [["ends with <!"], "ends with &lt;!"],
  ];
  for (const [pieces, expected] of cases)
    it(`makes ${JSON.stringify(expected)} of ${JSON.stringify(pieces)}`, () => expect(filtered(...pieces)).to.equal(expected));

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
      { numRuns: 5000 },
    );
  });
});
