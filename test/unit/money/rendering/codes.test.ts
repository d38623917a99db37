import { expect } from "chai";
import fc from "fast-check";
import { create } from "qrcode";
import { colourOf, contrast, luminance, paletteOf } from "../../../../mixins/documents/colours.ts";
import { codeColours } from "../../../../services/money/rendering/blocks/code-colours.ts";
import { codeLook, patchOf, qrSvg } from "../../../../services/money/rendering/blocks/qr.ts";
import { cases } from "../../../support/cases.ts";

const BLACK = { dark: "#000000", light: "#ffffff", replaced: false };

describe("colours of documents", () => {
  it("are hexadecimal, long or short", () => {
    for (const [text, colour] of [
      ["#FFF", "#ffffff"],
      [" #0b6e4f ", "#0b6e4f"],
      ["red", null],
      ["#12", null],
      ["#12345678", null],
      ["url(x)", null],
      ["", null],
    ] as const)
      expect(colourOf(text)).to.equal(colour);
  });

  it("have the contrast WCAG says", () => {
    expect(contrast("#000000", "#ffffff")).to.be.closeTo(21, 1e-9);
    expect(contrast("#767676", "#ffffff")).to.be.closeTo(4.54, 0.01);
  });

  it("come from the template, else the brand, and can be read", () => {
    expect(paletteOf("#aa3311", "#0b6e4f").accent).to.equal("#aa3311");
    expect(paletteOf("none", null, "#0b6e4f").accent).to.equal("#0b6e4f");
    expect(paletteOf("#ffee00")).to.deep.equal({ accent: "#ffee00", text: "#171717", onAccent: "#171717" });
  });

  it("of a code are as requested or replaced both, and can be scanned for any request", () => {
    expect(codeColours("#ffffff", "#000000")).to.deep.equal({ dark: "#171717", light: "#ffffff", replaced: true });
    const hex = fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, "0")}`);
    fc.assert(
      fc.property(hex, hex, (one, other) => {
        const { dark, light, replaced } = codeColours(one, other);
        expect(contrast(dark, light)).to.be.at.least(4.5);
        expect(luminance(light)).to.be.at.least(0.45);
        expect(luminance(dark)).to.be.lessThan(luminance(light));
        if (!replaced) expect([dark, light]).to.deep.equal([one, other]);
      }),
      cases(100),
    );
  });

  it("of a code follow its style", () => {
    const accent = "#0b6e4f";
    expect(codeLook({}, accent)).to.deep.include({ dark: accent, logo: "brand" });
    expect(codeLook({ qr_style: "brand", qr_logo: "none", qr_color: "#112233" }, accent)).to.include({
      dark: accent,
      logo: "brand",
    });
    expect(codeLook({ qr_style: "plain", qr_logo: "brand" }, accent)).to.deep.equal({ ...BLACK, logo: "none" });
    expect(codeLook({ qr_style: "custom", qr_logo: "custom", qr_color: "#112233" }, accent)).to.include({
      dark: "#112233",
      logo: "custom",
    });
  });
});

describe("codes", () => {
  /** Which modules are dark by the rectangles of the path. */
  function drawn(svg: string): Set<string> {
    const dark = new Set<string>();
    const path = /<path fill="[^"]+" d="([^"]*)"/.exec(svg)?.[1] ?? "";
    for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
      for (let step = 0; step < Number(width); step++) dark.add(`${Number(x) + step - 4},${Number(y) - 4}`);
    return dark;
  }
  const modulesOf = (payload: string, level: "M" | "H") => {
    const { modules } = create(payload, { errorCorrectionLevel: level });
    const all = Array.from({ length: modules.size ** 2 }, (_, at) => [at % modules.size, Math.floor(at / modules.size)] as const);
    return { size: modules.size, dark: all.filter(([x, y]) => modules.get(y, x)).map(([x, y]) => `${x},${y}`) };
  };
  const url = `https://noord.example.nl/invoice/${"x".repeat(43)}`;

  it("without a logo have level M and four modules of quiet", () => {
    const svg = qrSvg(url, BLACK, null, "Pay <online>");
    const { size, dark } = modulesOf(url, "M");
    expect(svg)
      .to.include(`viewBox="0 0 ${size + 8} ${size + 8}"`)
      .and.include("<title>Pay &#60;online&#62;</title>");
    expect([...drawn(svg)].sort()).to.deep.equal(dark.sort());
  });

  it("with a logo have level H, and the logo on a white patch of whole modules in the middle", () => {
    const svg = qrSvg(url, BLACK, "data:image/png;base64,AAAA", "Pay");
    const { size, dark } = modulesOf(url, "H");
    const patch = patchOf(size);
    const from = (size - patch) / 2;
    expect(Number.isInteger(from)).to.equal(true);
    const isCovered = (at: number) => at >= from && at < from + patch;
    const left = dark.filter((one) => !one.split(",").map(Number).every(isCovered));
    expect([...drawn(svg)].sort()).to.deep.equal(left.sort());
    expect(svg).to.include(`<rect x="${from + 4}" y="${from + 4}" width="${patch}" height="${patch}" fill="#ffffff"/>`);
    expect(svg).to.include('href="data:image/png;base64,AAAA"');
  });

  it("never cover more than 22 % of the width", () => {
    for (let size = 21; size <= 177; size += 4) {
      expect(patchOf(size) / size).to.be.at.most(0.22);
      expect(patchOf(size) % 2).to.equal(size % 2);
    }
  });
});
