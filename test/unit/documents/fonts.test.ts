import { expect } from "chai";
import { fontFaces } from "../../../mixins/documents/printing/fonts.ts";

interface Rule {
  family: string;
  weight: string;
  ranges: [number, number][];
  bytes: string;
}

async function rulesOf(text: string): Promise<Rule[]> {
  const css = await fontFaces(`<html><body>${text}`);
  const rule = /font-family:"([^"]+)";font-weight:([^;]+);font-style:normal;unicode-range:([^;]+);src:url\(([^)]+)\)/g;
  return [...css.matchAll(rule)].map(([, family = "", weight = "", range = "", bytes = ""]) => ({
    family,
    weight,
    bytes,
    ranges: range.split(",").map((part) => {
      const [first = "", last = first] = part.trim().slice(2).split("-");
      return [Number.parseInt(first, 16), Number.parseInt(last, 16)];
    }),
  }));
}

const drawn = (rules: readonly Rule[], character: string): Rule[] => {
  const point = character.codePointAt(0) as number;
  return rules.filter(({ ranges }) => ranges.some(([first, last]) => point >= first && point <= last));
};

describe("the fonts of a printed document", () => {
  const SCRIPTS: Record<string, string> = {
    Latin: "Łódź Đặng Thị",
    Cyrillic: "Київ Ђорђе Ѣ",
    Greek: "Αθήνα Ἀθῆναι",
    Hebrew: "שלום",
    Arabic: "شركة پارس",
    Thai: "บริษัทจำกัด",
    Devanagari: "लिमिटेड",
    Chinese: "上海示例有限公司 臺灣",
    Japanese: "株式会社サンプル、々",
    Korean: "주식회사 한글",
    emoji: "👍 ✅ ❤️",
  };

  for (const [script, text] of Object.entries(SCRIPTS))
    it(`has a file for every character of ${script}, in every weight`, async () => {
      const rules = await rulesOf(text);
      for (const character of text.replaceAll(" ", "")) {
        const weights = drawn(rules, character).map(({ weight }) => weight);
        expect(weights.includes("100 900") || ["400", "600", "700"].every((one) => weights.includes(one)), character).to.equal(
          true,
        );
      }
    });

  it("are those of the document alone, each as data", async () => {
    const plain = await rulesOf("Factuur 2026-0001, € 12,50 voor Zoë");
    expect(plain.map(({ family, weight }) => `${family} ${weight}`)).to.deep.equal(["Inter 700", "Inter 600", "Inter 400"]);
    const mixed = await rulesOf("Factuur שלום 京");
    expect(mixed).to.have.length(3 + 3 + 1);
    for (const { bytes } of mixed) expect(bytes).to.match(/^data:font\/woff2;base64,d09GMg/);
  });

  it("let the first typeface draw what several have, in the way of the document's language", async () => {
    const [chinese, japanese, korean] = await Promise.all(
      ["直 見", "直 見 カ", "直 見 서"].map(async (text) => drawn(await rulesOf(text), "直").map(({ bytes }) => bytes)),
    );
    expect(new Set([chinese, japanese, korean].map(String)).size).to.equal(3);
    expect((await rulesOf("שלום 12")).at(-1), "digits are the document's own").to.include({ family: "Inter", weight: "400" });
    expect(drawn(await rulesOf("直 12 ❤️"), "1").every(({ family }) => family === "Inter")).to.equal(true);
  });

  it("count characters written as references of HTML and escapes of CSS, and the composed form of decomposed characters", async () => {
    for (const text of ["&#1514;", "&#x5EA;", "\\5ea "]) expect(drawn(await rulesOf(text), "ת"), text).to.have.length(3);
    expect(drawn(await rulesOf("이".normalize("NFD")), "이")).to.have.length(1);
  });
});
