import { expect } from "chai";
import { searchWords } from "../../../core/database/lists/words.ts";

describe("the words of a search", () => {
  const rows: [q: string | undefined, words: string[] | undefined][] = [
    [undefined, undefined],
    ["", undefined],
    [" \t\n\u00a0", undefined],
    ["jansen", ["jansen"]],
    ["  jansen\u00a0 marijke\n", ["jansen", "marijke"]],
    ["jan jan Jan", ["jan", "Jan"]],
    ['"van den Berg" utrecht', ["van den Berg", "utrecht"]],
    ['utrecht "van  den', ["utrecht", "van  den"]],
    ['" a "', [" a "]],
    ['27" scherm', ['27"', "scherm"]],
    ['het "Huis"je', ["het", '"Huis"je']],
    ['"a"b c"', ['"a"b', 'c"']],
    ['"', ['"']],
    ['""', ['""']],
    ["100% a_b c\\d", ["100%", "a_b", "c\\d"]],
    ["a\u001fb", ["a\u001eb"]],
  ];
  for (const [q, words] of rows)
    it(`of ${JSON.stringify(q)} are ${JSON.stringify(words)}`, () => {
      expect(searchWords(q)).to.deep.equal(words);
    });
});
