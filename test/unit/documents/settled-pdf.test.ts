import { expect } from "chai";
import { settledPdf } from "../../../mixins/documents/printing/settled-pdf.ts";

const html = '<meta name="dcterms.date" content="2026-03-02">';
const made = (moment: string, ids: readonly string[], tree: string) =>
  Buffer.from(
    `<</CreationDate (D:${moment}+00'00')\n/ModDate (D:${moment}+00'00')>>\n/ID (node${ids[0]})\n/ID (node${ids[1]})\n/Headers [(node${ids[1]})]\n${tree}\nxref`,
  );

describe("a PDF settled", () => {
  it("says nothing of the moment and the process it was printed in, and keeps its length", () => {
    const one = made(
      "20261122131500",
      ["00000072", "00000073"],
      "/Limits [(node00000072) (node00000073)]\n/Names [(node00000072) 91 0 R (node00000073) 89 0 R]",
    );
    // The second element came first this time.
    const other = made(
      "20270101000000",
      ["00000005", "00000004"],
      "/Limits [(node00000004) (node00000005)]\n/Names [(node00000004) 89 0 R (node00000005) 91 0 R]",
    );
    const settled = settledPdf(one, html).toString();
    expect(settledPdf(other, html).toString()).to.equal(settled);
    expect(settled).to.have.length(one.length);
    expect(settled).to.include("/CreationDate (D:20260302000000+00'00')").and.include("/Headers [(node00000002)]");
    expect(settled).to.include("/Limits [(node00000001) (node00000002)]\n/Names [(node00000001) 91 0 R (node00000002) 89 0 R]");
  });
});
