import { expect } from "chai";
import { withoutHtml } from "../../../core/values/text.ts";
import { effortWithin } from "../../support/effort.ts";

describe("text: markdown without HTML", () => {
  it("takes time in proportion to the text, however it is built", async () => {
    const hostile = ["<!--", "<!", "<a ", "</script ", "<script ", "<https://x", "<<", "-->", "<b>"];
    const inCode = ["<x`", "`<b>``", '<a t="`', "<x<", "> ```\n<b>\n", "- `<b>\n    ", "|`<b>", "\\`<", "<x <b>`"];
    const stripping = () => {
      for (const part of [...hostile, ...inCode]) withoutHtml(part.repeat(300_000 / part.length));
      withoutHtml("<".repeat(100_000) + "b>".repeat(100_000));
    };
    expect(await effortWithin(5_000, stripping)).to.be.below(5_000);
  });
});
