import { expect } from "chai";
import { adLength } from "../../../integrations/advertising/writes/requests/rules.ts";

describe("the length of a text of an ad, as the provider counts it (marketing-ads §3.9)", () => {
  const rows: [text: string, length: number][] = [
    ["Verse broodjes", 14],
    ["Café 🥐", 6],
    ["東京の靴屋", 10],
    ["서울", 4],
    ["ＡＢ", 4],
    ["ｶﾀｶﾅ", 4],
    ["「靴」", 6],
    ["{KeyWord:Schoenen}", 8],
    ["{keyword:Schoenen} kopen", 14],
    ["Vanaf {CUSTOMIZER.Price:€ 19}", 10],
    ['Nog {COUNTDOWN(2026-12-31 00:00:00,"nl",5)}', 4],
    ["{KeyWord:靴}", 2],
    ["{Something:else}", 16],
  ];
  for (const [text, length] of rows)
    it(`is ${length}: ${text}`, () => {
      expect(adLength(text)).to.equal(length);
    });
});
